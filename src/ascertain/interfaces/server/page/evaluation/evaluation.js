// Is it better than before, on one's own documents: runs compared, and golden sets looked at question by question.
import { classes, html, useState } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { count, formatDay, t } from "../parts/words.js";
import { Golden } from "./golden.js";

const SCALES_OF_THEIR_OWN = new Set(["seconds", "dollars", "confidence", "sentences"]);
const MOST_CHANGED = 20;

export function View() {
  const kept = useResource("v1/evaluation");
  const { value, problem } = kept;
  return html`<div class="view">
    <h1>${t("Evaluation")}</h1>
    <p class="lead">${t("Is it better than before, on your own documents?")}</p>
    ${problem && html`<${Trouble} problem=${problem} onAgain=${kept.reload} />`}
    ${!value && !problem && html`<${Loading} />`}
    ${value && !value.runs.length && !value.golden.length && html`<${Empty} />`}
    ${value?.golden.length > 0 && html`<${Golden} sets=${value.golden} />`}
    ${value?.runs.length > 0 && html`<${Runs} runs=${value.runs} />`}
  </div>`;
}

/** What somebody does who has measured nothing yet. */
function Empty() {
  return html`<div class="state calm"><p class="state-title">${t("Nothing was measured yet")}</p>
    <p>${t("Questions with known answers are a golden set. These commands propose one from your documents, and measure the answers to it:")}</p>
    <p><code>ascertain eval generate .ascertain/evaluation/golden.jsonl</code></p>
    <p><code>ascertain eval answers .ascertain/evaluation/golden.jsonl --save .ascertain/evaluation/first.json</code></p>
    <p>${t("The contents of the home's folder evaluation are shown here: questions to review, and runs to compare.")}</p></div>`;
}

/** @param {{ runs: any[] }} props */
function Runs({ runs }) {
  const [before, setBefore] = useState(runs[1]?.name ?? "");
  const [after, setAfter] = useState(runs[0].name);
  const select = (/** @type {string} */ label, /** @type {string} */ value, /** @type {(name: string) => void} */ onChange) => html`<label>${label} <select value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>${runs.map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></label>`;
  return html`<section><h2 class="small">${t("Runs")}</h2>
    <ul class="rows" aria-label=${t("Runs")}>${runs.map((run) => html`<li class="theme"><b dir="auto">${run.name}</b> <span class="facts"><span>${run.kind}</span><span>${count(run.questions, "1 question", "{n} questions")}</span><span>${formatDay(run.started)}</span></span>
      <p class="note">${run.main} ${run.mean.toFixed(3)}, 95 %: ${run.interval[0].toFixed(3)}–${run.interval[1].toFixed(3)}</p></li>`)}</ul>
    ${runs.length > 1 && html`<div class="row asking">${select(t("Before"), before, setBefore)} ${select(t("After"), after, setAfter)}</div>`}
    ${before && before !== after && html`<${Comparison} before=${before} after=${after} />`}
  </section>`;
}

/** @param {{ before: string, after: string }} props */
function Comparison({ before, after }) {
  const found = useResource("v1/evaluation/comparison", { before, after });
  if (found.problem) return html`<${Trouble} problem=${found.problem} />`;
  if (!found.value) return html`<${Loading} />`;
  const { metrics, questions, changed, main } = found.value;
  const shown = metrics.filter(({ name }) => !SCALES_OF_THEIR_OWN.has(name));
  const moved = metrics.filter((/** @type {any} */ each) => each.verdict === "better" || each.verdict === "worse");
  const most = Math.max(...shown.flatMap(({ interval }) => interval.map(Math.abs)), Number.EPSILON);
  return html`
    <h2 class="small">${before} → ${after}</h2>
    <div class="table-frame" tabindex="0" role="region" aria-label=${t("Differences")}><table class="differences"><thead><tr><th scope="col">${t("Figure")}</th><th scope="col">${t("Before")}</th><th scope="col">${t("After")}</th><th scope="col">${t("Difference, with its 95 % interval")}</th></tr></thead>
      <tbody>${shown.map((/** @type {any} */ each) => html`<tr><th scope="row">${each.name}</th><td>${each.before.toFixed(3)}</td><td>${each.after.toFixed(3)}</td>
        <td><span class="interval" aria-hidden="true"><i class=${classes("span", each.verdict)} style=${{ left: `${50 + (50 * each.interval[0]) / most}%`, width: `${(50 * (each.interval[1] - each.interval[0])) / most}%` }}></i><i class="zero"></i></span> ${each.difference >= 0 ? "+" : ""}${each.difference.toFixed(3)}</td></tr>`)}</tbody></table></div>
    <p class="note">${count(questions, "1 question in both.", "{n} questions in both.")} ${moved.length ? t("More than chance: {names}.", { names: moved.map((/** @type {any} */ each) => each.name).join(", ") }) : t("Nothing changed by more than chance explains.")}</p>
    ${changed.length > 0 && html`<h3 class="small">${t("Questions whose {main} changed", { main })}</h3><ul class="rows">${changed.slice(0, MOST_CHANGED).map((/** @type {any} */ each) => html`<li class="theme row"><span dir="auto">${each.question}</span><span class="space"></span><span class=${classes("badge", each.after > each.before ? "good" : "bad")}>${each.before.toFixed(2)} → ${each.after.toFixed(2)}</span></li>`)}</ul>`}
  `;
}
