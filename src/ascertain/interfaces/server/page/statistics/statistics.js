// What is in the knowledge base, and how well it serves.
import { html } from "../parts/html.js";
import { Bars, Columns } from "../parts/bars.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { count, formatDay, formatNumber, formatSize, t } from "../parts/words.js";
import { KINDS } from "../ask/filters.js";
import { Service } from "./service.js";

const MOST_DATED = 1000;
const STATES = /** @type {Record<string, () => string>} */ ({ indexed: () => t("ready"), duplicate: () => t("duplicate"), failed: () => t("failed") });

export function View() {
  const stats = useResource("v1/stats");
  const { value, problem } = stats;
  return html`<div class="view statistics">
    <h1>${t("Statistics")}</h1>
    <p class="lead">${t("What is in the knowledge base, and how well it serves.")}</p>
    ${problem && html`<${Trouble} problem=${problem} onAgain=${stats.reload} />`}
    ${!value && !problem && html`<${Loading} />`}
    ${value && !value.documents && html`<div class="state calm"><p class="state-title">${t("Nothing to count yet")}</p><p>${t("Add documents first.")}</p></div>`}
    ${value?.documents > 0 && html`<${Holdings} stats=${value} /><${Service} />`}
  </div>`;
}

/** @param {{ stats: any }} props */
function Holdings({ stats }) {
  const dated = useResource("v1/documents", { limit: MOST_DATED, sort: "-published" });
  const months = countMonths(dated.value?.documents ?? []);
  const shares = (/** @type {Record<string, number>} */ given) => Object.entries(given).map(([name, share]) => ({ name: name.replaceAll("_", " "), value: share, words: `${Math.round(share * 100)} %` }));
  return html`
    <dl class="figures">
      <${Figure} name=${t("Documents")} words=${formatNumber(stats.documents)} />
      <${Figure} name=${t("Passages")} words=${formatNumber(stats.chunks)} />
      ${stats.bytes_on_disk !== null && html`<${Figure} name=${t("On disk")} words=${formatSize(stats.bytes_on_disk)} />`}
      ${stats.graph && html`<${Figure} name=${t("Names in the graph")} words=${formatNumber(stats.graph.names)} />`}
    </dl>
    <p class="note">${stats.earliest && stats.latest && t("Published {first} to {last}.", { first: formatDay(stats.earliest), last: formatDay(stats.latest) })} ${t("Found by {model}.", { model: stats.embedding_model ?? "" })}</p>
    <div class="columns">
      <${Bars} title=${t("By kind")} rows=${named(stats.by_kind, KINDS)} />
      <${Bars} title=${t("By state")} rows=${named(stats.by_state, STATES)} />
      <${Bars} title=${t("By type")} rows=${shares(stats.corpus.types)} />
      <${Bars} title=${t("By subject")} rows=${shares(stats.corpus.domains)} />
    </div>
    ${months.length > 1 && html`<${Columns} title=${t("By month of publication")} rows=${months} />`}
  `;
}

/** @param {{ name: string, words: string, note?: string }} props */
export const Figure = ({ name, words, note = "" }) => html`<div class="figure"><dt>${name}</dt><dd>${words}${note && html`<span class="note"> ${note}</span>`}</dd></div>`;

/** @param {Record<string, number>} counts @param {Record<string, () => string>} names */
const named = (counts, names) =>
  Object.entries(counts)
    .map(([name, value]) => ({ name: names[name]?.() ?? name, value, words: formatNumber(value) }))
    .sort((one, other) => other.value - one.value);

/** Documents by month, with the months between that have none. @param {any[]} documents */
function countMonths(documents) {
  const counts = new Map();
  for (const { published_at: published } of documents) {
    if (published) counts.set(published.slice(0, 7), (counts.get(published.slice(0, 7)) ?? 0) + 1);
  }
  const months = [...counts.keys()].sort();
  const rows = [];
  for (let month = months[0]; month && month <= /** @type {string} */ (months.at(-1)) && rows.length < 600; month = nextMonth(month)) {
    const value = counts.get(month) ?? 0;
    rows.push({ name: month, value, words: count(value, "1 document", "{n} documents") });
  }
  return rows;
}

/** @param {string} month */
function nextMonth(month) {
  const [year, number] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
