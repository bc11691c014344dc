// What the documents name, how it is connected, and the sentences that say so.
import { html } from "../parts/html.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { count, t } from "../parts/words.js";
import { Entity } from "./entity.js";
import { EntityBox } from "./entity_box.js";
import { Names } from "./names.js";
import { Path } from "./path.js";
import { Themes } from "./themes.js";

const WAYS = /** @type {Record<string, () => string>} */ ({ entity: () => t("Entity"), path: () => t("Path"), themes: () => t("Themes") });

/** @param {{ address: Record<string, string> }} props */
export function View({ address }) {
  const stats = useResource("v1/graph");
  const way = address.way ?? "entity";
  const choose = (/** @type {string} */ name) => go({ view: "graph", way: name === "entity" ? null : name }, { keep: false });
  const isEmpty = stats.value && !stats.value.entities;
  return html`<div class="view graph">
    <h1>${t("Graph")}</h1>
    <p class="lead">${t("What your documents name, and the sentences that connect it.")}</p>
    ${stats.problem && html`<${Trouble} problem=${stats.problem} onAgain=${stats.reload} />`}
    ${!stats.value && !stats.problem && html`<${Loading} />`}
    ${isEmpty && html`<div class="state calm"><p class="state-title">${stats.value.enabled ? t("The graph is empty") : t("The graph is switched off")}</p><p>${stats.value.enabled ? t("It grows with the documents that are added.") : t("The operator of the service can switch it on with graph.build.")}</p></div>`}
    ${stats.value?.entities > 0 &&
    html`<div class="segments" role="group" aria-label=${t("Show")}>${Object.entries(WAYS).map(([name, words]) => html`<button type="button" aria-pressed=${String(way === name)} onClick=${() => choose(name)}>${words()}</button>`)}</div>
      ${way === "entity" && html`<${ByName} entity=${address.entity ?? ""} topic=${address.topic ?? ""} stats=${stats.value} />`}
      ${way === "path" && html`<${Path} from=${address.from ?? ""} to=${address.to ?? ""} />`}
      ${way === "themes" && html`<${Themes} level=${Number(address.level ?? 0)} />`}`}
  </div>`;
}

/** @param {{ entity: string, topic: string, stats: any }} props */
function ByName({ entity, topic, stats }) {
  return html`
    <${EntityBox} label=${t("Find a name")} value="" onChoose=${(/** @type {any} */ found) => go({ view: "graph", entity: found.id }, { keep: false })} />
    ${entity
      ? html`<${Entity} key=${`${entity} ${topic}`} id=${entity} topic=${topic} />`
      : html`<p class="note">${count(stats.entities, "1 name", "{n} names")} · ${count(stats.links, "1 connection", "{n} connections")}</p>
          <h2 class="small">${t("Named most")}</h2><${Names} entities=${stats.top} />`}
  `;
}
