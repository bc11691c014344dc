// What was computed over a table: the figure of each group as a bar.
import { html, useState } from "../parts/html.js";
import { Bars } from "../parts/bars.js";
import { count, formatNumber, t } from "../parts/words.js";

const SHOWN = 12;

/** @param {{ computation: any }} props */
export function Computed({ computation }) {
  const [areAllShown, showAll] = useState(false);
  if (!computation) return null;
  const { groups, meaning, rows, of_rows: ofRows, table } = computation;
  const shown = areAllShown ? groups : groups.slice(0, SHOWN);
  const bars = shown.map((/** @type {any} */ group) => ({ name: group.name, value: group.value, words: formatNumber(group.value) }));
  return html`<figure class="computed">
    ${groups.length > 1 && html`<${Bars} title=${meaning} rows=${bars} isTitleShown=${false} />`}
    ${shown.length < groups.length && html`<button type="button" class="quiet" onClick=${() => showAll(true)}>${t("Show all {n}", { n: formatNumber(groups.length) })}</button>`}
    <figcaption class="note" dir="auto">${t("Computed: {meaning}.", { meaning })} ${count(rows, "1 row", "{n} rows")} ${t("of {n} in {table}", { n: formatNumber(ofRows), table })}</figcaption>
  </figure>`;
}
