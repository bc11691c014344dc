// Names to go on with, those named most first.
import { html, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { formatNumber, t } from "../parts/words.js";

/** Names to go on with. @param {{ entities: any[] }} props */
export function Names({ entities }) {
  const [areAllShown, showAll] = useState(false);
  const shown = areAllShown ? entities : entities.slice(0, 24);
  return html`<div class="choices">${shown.map((each) => html`<button type="button" class="choice" dir="auto" onClick=${() => go({ view: "graph", entity: each.id }, { keep: false })}>${each.name} <span class="note">${formatNumber(each.mentions)}</span></button>`)}
    ${shown.length < entities.length && html`<button type="button" class="quiet choice" onClick=${() => showAll(true)}>${t("Show all {n}", { n: entities.length })}</button>`}</div>`;
}
