// How two names are connected, with the sentences behind each step.
import { html } from "../parts/html.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Loading } from "../parts/state.js";
import { count, t } from "../parts/words.js";
import { get, segment } from "../service/client.js";
import { EntityBox } from "./entity_box.js";
import { Evidence } from "./evidence.js";
import { Nearby } from "./nearby.js";
import { Ways } from "./ways.js";

/** @param {{ from: string, to: string }} props */
export function Path({ from, to }) {
  const found = useResource(from && to ? "v1/graph/path" : null, { from, to });
  return html`<div class="ends">
      <${EntityBox} label=${t("From")} value=${found.value?.from.name ?? from} onChoose=${(/** @type {any} */ entity) => go({ from: entity.id })} />
      <${EntityBox} label=${t("To")} value=${found.value?.to.name ?? to} onChoose=${(/** @type {any} */ entity) => go({ to: entity.id })} />
    </div>
    ${!(from && to) && html`<p class="note">${t("Choose two names to see what connects them.")}</p>`}
    ${found.problem && html`<${Nearby} problem=${found.problem} onChoose=${(/** @type {string} */ id) => replaceUnknown(from, id)} />`}
    ${found.isLoading && html`<${Loading} />`}
    ${found.value && !found.isLoading && !found.value.paths.length && html`<p class="note">${t("Nothing connects them.")}</p>`}
    ${!found.isLoading && (found.value?.paths ?? []).some((/** @type {any} */ way) => way.entities.length > 1) && html`<${Ways} ways=${found.value.paths} onChoose=${(/** @type {string} */ id) => go({ view: "graph", entity: id }, { keep: false })} />`}
    ${!found.isLoading && (found.value?.paths ?? []).map((/** @type {any} */ way, /** @type {number} */ place) => html`<${Way} way=${way} number=${place + 1} />`)}`;
}

/** Put a known name where the unknown one stood; where neither is known, that is the first. @param {string} from @param {string} id */
async function replaceUnknown(from, id) {
  const isKnown = await get(`v1/graph/entities/${from.split("/").map(segment).join("/")}`, { neighbours: 0, passages: 0 }).then(() => true, () => false);
  go(isKnown ? { to: id } : { from: id });
}

/** @param {{ way: any, number: number }} props */
function Way({ way: { entities, steps }, number }) {
  return html`<section class="path-way"><h2 class="small">${t("Way {n}", { n: number })}</h2><ol>
    ${entities.map((/** @type {any} */ entity, /** @type {number} */ place) => html`<li><button type="button" class="node-name" dir="auto" onClick=${() => go({ view: "graph", entity: entity.id }, { keep: false })}>${entity.name}</button>
      ${steps[place] && html`<div class="step-between"><span class="note">${[count(steps[place].sentences, "1 sentence", "{n} sentences"), ...steps[place].predicates].join(" · ")}</span><${Evidence} evidence=${steps[place].evidence} /></div>`}</li>`)}
  </ol></section>`;
}
