// What was done for an answer: while it is on its way, and afterwards with reasons and figures.
import { html } from "../parts/html.js";
import { count, formatNumber, t } from "../parts/words.js";

const WORKING = /** @type {Record<string, () => string>} */ ({
  cache: () => t("Looking for an earlier answer"),
  rewrite: () => t("Reading the question"),
  recall: () => t("Looking at the last answer"),
  parts: () => t("Answering each part"),
  part: () => t("Answering each part"),
  join: () => t("Putting the answer together"),
  supervise: () => t("Deciding who answers"),
  plan: () => t("Working out what is asked"),
  strategy: () => t("Choosing how to search"),
  expand: () => t("Wording it in other ways"),
  retrieve: () => t("Searching the documents"),
  search: () => t("Searching the documents"),
  graph: () => t("Following names through the graph"),
  topics: () => t("Naming the topics"),
  rerank: () => t("Ordering what was found"),
  overview: () => t("Surveying the themes"),
  digest: () => t("Gathering the stories of the time"),
  reread: () => t("Looking beyond the documents quoted last"),
  document: () => t("Presenting the document"),
  compute: () => t("Computing over the tables"),
  analyse: () => t("Reading every document of the period"),
  validate: () => t("Checking whether it is true"),
  research: () => t("Researching with several agents"),
  gather: () => t("Gathering every place that names it"),
  judge: () => t("Judging what was found"),
  switch: () => t("Searching in another way"),
  refine: () => t("Wording the question again"),
  undate: () => t("Looking without the dates"),
  classify: () => t("Sorting the question"),
  web: () => t("Searching the web"),
  generate: () => t("Writing the answer"),
  compose: () => t("Putting the answer together"),
  check: () => t("Checking every sentence against its source"),
  evaluate: () => t("Looking at the answer as a whole"),
  greet: () => t("Replying"),
  reject: () => t("Saying what was searched"),
  finish: () => t("Done"),
});
const QUIET = new Set(["finish", "greet", "reject"]);
const OUTCOME = 120;

/** A step as people call it. @param {string} node */
export const stepName = (node) => WORKING[node]?.() ?? node.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());

/** @param {string} text */
const shorten = (text) => (text.length > OUTCOME ? `${text.slice(0, OUTCOME - 1).trimEnd()}…` : text);

/** @typedef {{ node: string, outcome: string, isRunning: boolean }} Step */

/** The steps so far. @param {{ steps: Step[] }} props */
export function Progress({ steps }) {
  const shown = steps.length ? steps : [{ node: "", outcome: "", isRunning: true }];
  return html`
    <ol class="steps" role="status" aria-live="polite">
      ${shown.map(({ node, outcome, isRunning }) => html`<li class=${isRunning && "running"}>
        <span>${node ? stepName(node) : t("Sending the question")}${isRunning ? " …" : ""}
          ${!isRunning && !QUIET.has(node) && html` <span class="outcome" dir="auto">${shorten(outcome)}</span>`}</span></li>`)}
    </ol>
  `;
}

/** How an answer came about. @param {{ answer: any }} props */
export function Way({ answer }) {
  if (!answer.decisions.length) return null;
  return html`
    <details class="way">
      <summary>${t("How this answer came about")} <span class="facts">${facts(answer).join(" · ")}</span></summary>
      <ol>
        ${answer.decisions.map((/** @type {any} */ decision) => html`<li>
          <span class="step">${stepName(decision.node)}</span> <span class="outcome" dir="auto">${decision.outcome}</span>
          ${decision.reason && html`<span class="reason" dir="auto">${decision.reason}</span>`}
          <span class="detail">${describeScores(decision)}</span></li>`)}
      </ol>
    </details>
  `;
}

/** @param {any} answer */
function facts({ usage, seconds, strategy, attempts, is_cached: isCached }) {
  const tokens = usage.input_tokens + usage.output_tokens;
  const spent = usage.calls
    ? `${count(usage.calls, "1 model call", "{n} model calls")}, ${t("{n} tokens", { n: formatNumber(tokens) })}${usage.cost_usd ? `, $${usage.cost_usd.toFixed(4)}` : ""}`
    : t("no model calls");
  const rounds = attempts > 1 ? `, ${t("{n} rounds", { n: attempts })}` : "";
  return [isCached && t("answered before"), `${seconds.toFixed(1)} s`, t("{strategy} search", { strategy }) + rounds, spent].filter(Boolean);
}

/** @param {any} decision */
const describeScores = ({ scores, seconds }) =>
  [...Object.entries(scores).map(([name, value]) => `${name.replaceAll("_", " ")} ${formatNumber(/** @type {number} */ (value))}`), seconds >= 0.001 ? `${seconds.toFixed(3)} s` : ""]
    .filter(Boolean)
    .join(" · ");
