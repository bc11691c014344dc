// Sentiment and the number of documents over time; a column that is chosen shows its documents.
import { classes, html, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { count, formatDay, t } from "../parts/words.js";

const MOODS = /** @type {Record<string, () => string>} */ ({ positive: () => t("positive"), neutral: () => t("neutral"), negative: () => t("negative") });
const WIDTH = 600;
const HEIGHT = 120;

/** @param {{ analysis: any }} props */
export function Trend({ analysis: { findings: { trend, step }, titles } }) {
  const [chosen, setChosen] = useState(/** @type {number | null} */ (null));
  const most = Math.max(...trend.map((/** @type {any} */ point) => point.documents.length), 1);
  const spoken = trend.map((/** @type {any} */ { first, mood }) => `${formatDay(first)}: ${mood.toFixed(2)}`).join("; ");
  return html`
    <section><h2 class="small">${t("Sentiment")}</h2>
      <svg class="course" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${t("Mean sentiment: {points}", { points: spoken })}>
        <line class="zero" x1="0" x2=${WIDTH} y1=${HEIGHT / 2} y2=${HEIGHT / 2} vector-effect="non-scaling-stroke" />
        <polyline points=${trend.map((/** @type {any} */ { mood }, /** @type {number} */ place) => `${(WIDTH * (place + 0.5)) / trend.length},${(HEIGHT * (1 - mood)) / 2}`).join(" ")} vector-effect="non-scaling-stroke" />
      </svg>
      <p class="axis note"><span>${formatDay(trend[0].first)}</span><span>${t("from −1, bad, to +1, good")}</span><span>${formatDay(trend.at(-1).first)}</span></p>
    </section>
    <section><h2 class="small">${t("Documents")}</h2>
      <ol class="columns-chart moods" aria-label=${t("Documents by mood")}>${trend.map((/** @type {any} */ point, /** @type {number} */ place) => html`<li><button type="button" class=${classes("stack", chosen !== null && chosen !== place && "faded")} aria-pressed=${String(chosen === place)} aria-label=${describePoint(point)} title=${describePoint(point)} onClick=${() => setChosen(chosen === place ? null : place)}>
        ${point.shares.filter((/** @type {any} */ share) => share.documents.length).map((/** @type {any} */ share) => html`<span class=${`part ${share.mood}`} style=${{ height: `${(100 * share.documents.length) / most}%` }}></span>`)}</button></li>`)}</ol>
      <p class="legend note">${Object.entries(MOODS).map(([mood, words]) => html`<span><i class=${`part ${mood}`}></i> ${words()}</span>`)}</p>
      ${chosen === null
        ? html`<p class="note">${t("Choose a column to see its documents.")}</p>`
        : html`<h3>${formatDay(trend[chosen].first)}${step > 1 ? ` – ${count(step, "1 day", "{n} days")}` : ""}</h3><ul class="rows">${trend[chosen].shares.flatMap((/** @type {any} */ share) => share.documents.map((/** @type {string} */ id) => html`<li class="document"><button type="button" class="name" dir="auto" onClick=${() => go({ document: id, at: null })}>${titles[id] ?? id}</button><span class="facts"><span>${MOODS[share.mood]?.()}</span></span></li>`))}</ul>`}
    </section>
  `;
}

/** @param {any} point */
const describePoint = ({ first, shares }) => `${formatDay(first)}: ${shares.map((/** @type {any} */ share) => `${MOODS[share.mood]?.() ?? share.mood} ${share.documents.length}`).join(", ")}`;
