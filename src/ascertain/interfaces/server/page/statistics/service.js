// How well the answers served: what changed of late, what was thought of them, what stayed without an answer.
import { html } from "../parts/html.js";
import { Interval } from "../parts/bars.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { count, formatNumber, t } from "../parts/words.js";

const DAYS = 7;
const FIGURES = /** @type {{ name: string, words: () => string, scale: number, unit: string }[]} */ ([
  { name: "confidence", words: () => t("Confidence"), scale: 1, unit: "" },
  { name: "declined", words: () => t("Without an answer"), scale: 100, unit: " %" },
  { name: "up", words: () => t("Thumbs up"), scale: 100, unit: " %" },
]);

export function Service() {
  const drift = useResource("v1/feedback/drift", { days: DAYS });
  const feedback = useResource("v1/feedback/summary");
  return html`${drift.value && html`<${Drift} drift=${drift.value} />`}${feedback.value && html`<${Feedback} summary=${feedback.value} />`}`;
}

/** @param {{ drift: any }} props */
function Drift({ drift: { recent, earlier, moved, unanswered } }) {
  if (!recent.answers && !earlier.answers) return html`<h2 class="small">${t("Answers")}</h2><p class="note">${t("No questions yet: statistics on answers appear here.")}</p>`;
  const cell = (/** @type {any} */ figure, /** @type {any} */ { scale, unit }, tone = "") =>
    figure.value === null ? html`<td class="note">–</td>` : html`<td><${Interval} value=${(figure.value * scale) / 100} low=${(figure.low * scale) / 100} high=${(figure.high * scale) / 100} tone=${tone} /> ${formatNumber(Math.round(figure.value * scale))}${unit} <span class="note">${formatNumber(Math.round(figure.low * scale))}–${formatNumber(Math.round(figure.high * scale))}</span></td>`;
  return html`<section><h2 class="small">${t("Answers of the last {n} days, and those before", { n: DAYS })}</h2>
    <div class="table-frame" tabindex="0" role="region" aria-label=${t("Answers")}><table>
      <thead><tr><td></td><th scope="col">${t("Last {n} days", { n: DAYS })} <span class="note">${count(recent.answers, "1 answer", "{n} answers")}</span></th><th scope="col">${t("Before")} <span class="note">${count(earlier.answers, "1 answer", "{n} answers")}</span></th><td></td></tr></thead>
      <tbody>${FIGURES.map((figure) => html`<tr><th scope="row">${figure.words()}</th>${cell(recent[figure.name], figure)}${cell(earlier[figure.name], figure, "earlier")}<td>${moved.includes(figure.name) ? html`<span class="badge warn">${t("has changed")}</span>` : ""}</td></tr>`)}</tbody>
    </table></div>
    <p class="note">${t("The smaller numbers are the 95 % interval. Something has changed where the intervals do not overlap.")}</p>
    ${unanswered.length > 0 && html`<h2 class="small">${t("Questions without an answer")}</h2><ul class="rows">${unanswered.map((/** @type {any} */ theme) => html`<li class="theme"><b dir="auto">${theme.word}</b><ul>${theme.questions.map((/** @type {string} */ question) => html`<li dir="auto">${question}</li>`)}</ul></li>`)}</ul>
      <p><button type="button" onClick=${() => go({ view: "documents" }, { keep: false })}>${t("Add documents about them")}</button></p>`}
  </section>`;
}

/** @param {{ summary: any }} props */
function Feedback({ summary: { judged, up, rows } }) {
  if (!judged) return html`<section><h2 class="small">${t("What people thought")}</h2><p class="note">${t("No answers have been rated yet. Thumbs under an answer are counted here.")}</p></section>`;
  return html`<section><h2 class="small">${t("What people thought")}</h2>
    <p>${t("{up} of {n} judgements are thumbs up.", { up: formatNumber(up), n: formatNumber(judged) })}</p>
    <div class="table-frame" tabindex="0" role="region" aria-label=${t("What people thought")}><table>
      <thead><tr><th scope="col">${t("Questions")}</th><th scope="col">${t("Search")}</th><th scope="col">${t("Thumbs up")}</th><th scope="col">${t("Judged")}</th></tr></thead>
      <tbody>${rows.map((/** @type {any} */ row) => html`<tr><td>${row.question_kind}</td><td>${row.strategy}</td><td><${Interval} value=${row.share} low=${row.low} high=${row.high} /> ${Math.round(row.share * 100)} % <span class="note">${Math.round(row.low * 100)}–${Math.round(row.high * 100)}</span></td><td>${formatNumber(row.judged)}</td></tr>`)}</tbody>
    </table></div></section>`;
}
