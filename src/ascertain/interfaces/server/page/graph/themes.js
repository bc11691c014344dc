// Groups of names that documents name together, with the sentences that stand for each.
import { html } from "../parts/html.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { count, t } from "../parts/words.js";
import { Evidence } from "./evidence.js";
import { Names } from "./names.js";

/** @param {{ level: number }} props */
export function Themes({ level }) {
  const found = useResource("v1/graph/communities", { level });
  if (found.problem) return html`<${Trouble} problem=${found.problem} onAgain=${found.reload} />`;
  if (!found.value) return html`<${Loading} />`;
  const { levels, total, communities } = found.value;
  return html`
    ${levels > 1 && html`<div class="segments" role="group" aria-label=${t("How fine")}>${Array.from({ length: levels }, (_, each) => html`<button type="button" aria-pressed=${String(each === level)} onClick=${() => go({ level: each ? String(each) : null })}>${each === 0 ? t("Broad") : each === levels - 1 ? t("Fine") : String(each + 1)}</button>`)}</div>`}
    <p class="note">${count(total, "1 theme", "{n} themes")}</p>
    <ul class="rows">${communities.map((/** @type {any} */ each) => html`<li class="theme" key=${each.id}><h2 dir="auto">${each.label}</h2>
      <p class="facts"><span>${count(each.size, "1 name", "{n} names")}</span><span>${count(each.documents, "1 document", "{n} documents")}</span></p>
      <${Names} entities=${each.entities} /><${Evidence} evidence=${each.evidence} /></li>`)}</ul>
  `;
}
