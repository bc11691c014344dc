// What every document of a period says together: sentiment and volume over time, and the same in words.
import { html, useState } from "../parts/html.js";
import { Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";
import { Answer } from "../ask/answer.js";
import { takeEvent } from "../ask/conversation.js";
import { Progress } from "../ask/steps.js";
import { useWork } from "../service/work.js";
import { Trend } from "./trend.js";

const PERIODS = /** @type {[number, () => string][]} */ ([
  [0, () => t("as the question says")],
  [7, () => t("last {n} days", { n: 7 })],
  [30, () => t("last {n} days", { n: 30 })],
  [90, () => t("last {n} days", { n: 90 })],
  [365, () => t("last {n} days", { n: 365 })],
]);
const LONGEST = 10_000;
const NOTHING = { question: "", request: {}, answerId: "", steps: [], draft: "", text: "" };
/** The last one, for who comes back to this view. */
let latest = /** @type {any} */ (null);

/** @param {{ onOpen: (citation: any, citations: any[]) => void }} props */
export function View({ onOpen }) {
  const [question, setQuestion] = useState(latest?.question ?? "");
  const [days, setDays] = useState(0);
  const [analysis, setAnalysis] = useState(latest);
  const [pending, setPending] = useState(/** @type {import("../ask/conversation.js").Pending} */ (NOTHING));
  const [opened, setOpened] = useState(/** @type {number | null} */ (null));
  const work = useWork((event) => {
    if (event.name === "analysis") {
      latest = event.data;
      setAnalysis(latest);
    } else {
      setPending((before) => takeEvent(before, event));
    }
  });
  const ask = (/** @type {Event} */ event) => {
    event.preventDefault();
    setPending(NOTHING);
    setAnalysis(null);
    work.begin("v1/analyze/stream", { question: question.trim(), ...(days ? { days_back: days } : {}) });
  };
  const open = (/** @type {any} */ citation) => {
    setOpened(citation.n);
    onOpen(citation, analysis.citations);
  };
  return html`<div class="view">
    <h1>${t("Analysis")}</h1>
    <p class="lead">${t("What every document of a period says together, not the best few passages.")}</p>
    <form class="asking row" onSubmit=${ask}>
      <label class="wide">${t("Question")} <input type="text" dir="auto" maxlength=${LONGEST} value=${question} onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} /></label>
      <label>${t("Period")} <select value=${days} onChange=${(/** @type {any} */ event) => setDays(Number(event.target.value))}>${PERIODS.map(([number, words]) => html`<option value=${number}>${words()}</option>`)}</select></label>
      <button type="submit" class="primary" disabled=${work.isRunning || !question.trim()}>${t("Analyse")}</button>
    </form>
    ${work.isRunning && html`<${Progress} steps=${pending.steps} />`}
    ${work.problem && html`<${Trouble} problem=${work.problem} />`}
    ${!analysis && !work.isRunning && !work.problem && html`<p class="note">${t("For example how the mood about something changed in the last 30 days, or what the papers disagree about.")}</p>`}
    ${analysis && html`${analysis.findings.trend.length > 1 && html`<${Trend} analysis=${analysis} />`}<section><${Answer} answer=${analysis.answer} onOpen=${open} opened=${opened} /></section>`}
  </div>`;
}
