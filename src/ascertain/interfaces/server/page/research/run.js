// What a run of research came to: findings, claims with what speaks for and against them, and what stayed open.
import { classes, html, useState } from "../parts/html.js";
import { Icon } from "../parts/icons.js";
import { showToast } from "../parts/toast.js";
import { count, formatDay, t } from "../parts/words.js";
import { saveFile } from "../ask/copy.js";
import { segment, send } from "../service/client.js";

export const VERDICTS = /** @type {Record<string, [() => string, string]>} */ ({
  supported: [() => t("supported"), "good"],
  contradicted: [() => t("contradicted"), "bad"],
  not_established: [() => t("not established"), ""],
  inferred: [() => t("inferred"), "warn"],
  not_in_sources: [() => t("not in the sources"), "bad"],
});

/** @param {{ run: any, modes: Record<string, () => string>, onOpen: (citation: any, citations: any[]) => void, onResume: () => void }} props */
export function Run({ run, modes, onOpen, onResume }) {
  const [opened, setOpened] = useState(/** @type {number | null} */ (null));
  const byNumber = new Map(run.citations.map((/** @type {any} */ citation) => [citation.n, citation]));
  const open = (/** @type {number} */ n) => {
    setOpened(n);
    onOpen(byNumber.get(n), run.citations);
  };
  const chips = (/** @type {number[]} */ numbers) => numbers.filter((n) => byNumber.has(n)).map((n) => html`<button type="button" class=${classes("chip", opened === n && "open")} aria-label=${t("Source {n}: {label}", { n, label: byNumber.get(n).title })} onClick=${() => open(n)}>${n}</button>`);
  const facts = [modes[run.mode]?.() ?? run.mode, count(run.steps.length, "1 step", "{n} steps"), formatDay(run.started_at)];
  const framing = (/** @type {string} */ name) => run.framing.filter((/** @type {any} */ each) => each.section === name);
  const claims = [...(run.verdict ? [run.verdict] : []), ...run.claims];
  const openQuestions = run.sub_questions.filter((/** @type {any} */ each) => each.is_open);
  return html`<section class="run">
    <h2 dir="auto">${run.title || run.subject || run.url || run.id}</h2>
    <p class="facts">${facts.map((fact) => html`<span>${fact}</span>`)}</p>
    ${run.state === "running" && html`<p class="note">${t("This run has no report yet.")}</p><p><button type="button" onClick=${onResume}>${t("Continue it")}</button></p>`}
    <${Sentences} title=${t("Introduction")} sentences=${framing("introduction")} chips=${chips} />
    <${Sentences} title=${t("In plain language")} sentences=${run.summary?.sentences ?? []} chips=${chips} />
    <${Sentences} title=${t("Findings")} sentences=${run.findings} chips=${chips} />
    <${Sentences} title=${t("Comparison")} sentences=${framing("comparison")} chips=${chips} />
    <${Sentences} title=${t("Conclusion")} sentences=${framing("conclusion")} chips=${chips} />
    ${claims.length > 0 && html`<h3 class="small">${t("Claims")}</h3><ul class="rows">${claims.map((claim) => html`<${Claim} claim=${claim} chips=${chips} />`)}</ul>`}
    ${openQuestions.length > 0 && html`<h3 class="small">${t("What could not be established")}</h3><ul class="text">${openQuestions.map((/** @type {any} */ each) => html`<li dir="auto">${each.text}</li>`)}</ul>`}
    ${run.problems.map((/** @type {string} */ problem) => html`<p class="note" dir="auto">${problem}</p>`)}
    <details class="way"><summary>${t("How it came about")}</summary><ol>${run.steps.map((/** @type {any} */ step) => html`<li><span class="step">${step.agent}</span> <span class="outcome" dir="auto">${step.outcome}</span><span class="reason" dir="auto">${step.reason}</span></li>`)}</ol></details>
    ${run.state === "finished" && html`<p class="row"><button type="button" onClick=${() => save(run.id, "markdown", "md")}><${Icon} name="download" /> ${t("Report as Markdown")}</button> <button type="button" onClick=${() => save(run.id, "html", "html")}><${Icon} name="download" /> ${t("Report as HTML")}</button></p>`}
  </section>`;
}

/** @param {any} props */
function Sentences({ title, sentences, chips }) {
  if (!sentences.length) return null;
  return html`<h3 class="small">${title}</h3><ul class="text findings">${sentences.map((/** @type {any} */ sentence) => {
    const [words, tone] = VERDICTS[sentence.verdict ?? "supported"] ?? [() => sentence.verdict, ""];
    const isSure = !sentence.verdict || sentence.verdict === "supported";
    return html`<li dir="auto">${sentence.text} ${chips(sentence.citations)} ${!isSure && html`<span class=${`badge ${tone}`} title=${sentence.reason}>${words()}</span>`}</li>`;
  })}</ul>`;
}

/** @param {any} props */
function Claim({ claim, chips }) {
  const [words, tone] = VERDICTS[claim.verdict];
  return html`<li class="theme claim"><p dir="auto"><b>${claim.claim}</b> <span class=${`badge ${tone}`}>${words()}</span></p>
    ${claim.evidence_for.length > 0 && html`<p class="note">${t("for")}: ${chips(claim.evidence_for)}</p>`}
    ${claim.evidence_against.length > 0 && html`<p class="note">${t("against")}: ${chips(claim.evidence_against)}</p>`}
    <p class="reason" dir="auto">${claim.reason}</p></li>`;
}

/** @param {string} id @param {string} format @param {string} suffix */
async function save(id, format, suffix) {
  try {
    const response = await send("GET", `v1/research/${segment(id)}/report`, { query: { format } });
    saveFile(`research-${id}.${suffix}`, await response.text(), suffix === "md" ? "text/markdown" : "text/html");
  } catch (problem) {
    showToast(/** @type {Error} */ (problem).message || t("The service does not answer"));
  }
}
