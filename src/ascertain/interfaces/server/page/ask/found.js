// How the graph led to sources of an answer, and what was fetched for the conversation alone.
import { html } from "../parts/html.js";
import { follow, go, linkTo } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { formatDay, t } from "../parts/words.js";
import { segment } from "../service/client.js";
import { safeLink } from "./layout.js";

/** From the question, or a document that was found, over names to the passage that is cited.
 * @param {{ citations: any[], onOpen: (citation: any) => void }} props */
export function Found({ citations, onOpen }) {
  const led = groupLed(citations);
  if (!led.length) return null;
  return html`<details class="way found"><summary>${t("How this was found")}</summary><ul>
    ${led.map(([citation, ...others]) => html`<li class="chain" key=${citation.n}>
      ${citation.way.from ? html`<button type="button" class="choice" dir="auto" onClick=${() => go({ document: citation.way.from.document_id, at: null })}>${citation.way.from.title}</button>` : html`<span class="note">${t("Your question")}</span>`}
      ${citation.way.entities.map((/** @type {any} */ entity) => {
        const address = { view: "graph", entity: entity.id };
        return html`<span aria-hidden="true">→</span> <a class="button choice" href=${linkTo(address)} onClick=${follow(address)} dir="auto">${entity.name}</a>`;
      })}
      <span aria-hidden="true">→</span> <button type="button" class="choice" dir="auto" onClick=${() => onOpen(citation)}><b>${[citation, ...others].map(({ n }) => n).join(", ")}</b> ${citation.title}</button></li>`)}
  </ul></details>`;
}

/** Those that the graph led to; of one document and by one way together. @param {any[]} citations @returns {any[][]} */
function groupLed(citations) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const citation of citations) {
    if (!citation.way) continue;
    const key = JSON.stringify([citation.document_id, citation.way]);
    groups.set(key, [...(groups.get(key) ?? []), citation]);
  }
  return [...groups.values()];
}

/** @param {{ conversation: string, turns: number }} props */
export function Fetched({ conversation, turns }) {
  const found = useResource(conversation && turns ? `v1/conversations/${segment(conversation)}/sources` : null);
  const documents = found.value?.documents ?? [];
  if (!documents.length) return null;
  return html`<details class="way"><summary>${t("Fetched for this conversation ({n})", { n: documents.length })}</summary>
    <ul class="rows">${documents.map((/** @type {any} */ each) => html`<li class="document" key=${each.id}><button type="button" class="name" dir="auto" onClick=${() => go({ document: each.id, at: null })}>${each.title}</button>
      <span class="facts">${[formatDay(each.published_at), safeLink(each.url)].filter(Boolean).map((fact) => html`<span>${fact}</span>`)}</span></li>`)}</ul></details>`;
}
