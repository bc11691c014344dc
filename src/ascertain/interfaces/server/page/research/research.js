// Several agents look into a question or a page; every sentence is cited and checked.
import { html, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";
import { segment } from "../service/client.js";
import { useWork } from "../service/work.js";
import { Run } from "./run.js";
import { Runs } from "./runs.js";

const MODES = /** @type {Record<string, () => string>} */ ({ quick: () => t("Quick"), deep: () => t("Deep") });
const SOURCES = /** @type {Record<string, () => string>} */ ({ documents: () => t("Documents"), web: () => t("The web"), arxiv: () => t("arXiv") });
const LONGEST = 10_000;

/** @param {{ address: Record<string, string>, onOpen: (citation: any, citations: any[]) => void }} props */
export function View({ address, onOpen }) {
  const runs = useResource("v1/research");
  const [steps, setSteps] = useState(/** @type {any[]} */ ([]));
  const work = useWork(({ name, data }) => {
    if (name === "started") go({ run: data.run_id }, { replace: true });
    if (name === "step") setSteps((before) => [...before.filter(({ number }) => number !== data.number), data]);
    if (name === "report") runs.reload();
  });
  // a run that has just begun is not on record yet
  const run = useResource(address.run && !work.isRunning ? `v1/research/${segment(address.run)}` : null);
  const begin = (/** @type {string} */ path, /** @type {object | undefined} */ body) => {
    setSteps([]);
    work.begin(path, body);
  };
  return html`<div class="view">
    <h1>${t("Research")}</h1>
    <p class="lead">${t("Several agents look into a question or a page; every sentence is cited and checked.")}</p>
    <${Subject} isRunning=${work.isRunning} onBegin=${(/** @type {object} */ body) => begin("v1/research", body)} />
    ${(work.isRunning || (work.problem && steps.length > 0)) && html`<ol class="steps" role="status" aria-live="polite">${steps.map((step) => html`<li class=${step.state === "started" && "running"}><span>${step.agent}: <span class="outcome" dir="auto">${step.outcome || step.reason}</span></span></li>`)}</ol>`}
    ${work.problem && html`<${Trouble} problem=${work.problem} />`}
    ${run.problem && run.problem.status !== 404 && html`<${Trouble} problem=${run.problem} />`}
    ${run.problem?.status === 404 && !work.isRunning && html`<p class="note">${t("This run is no longer stored.")}</p>`}
    ${run.value && run.value.id === address.run && !work.isRunning && html`<${Run} key=${run.value.id} run=${run.value} modes=${MODES} onOpen=${onOpen} onResume=${() => begin(`v1/research/${segment(address.run)}/resume`, undefined)} />`}
    <${Runs} runs=${runs.value?.runs ?? null} modes=${MODES} current=${address.run ?? ""} onChange=${runs.reload} />
  </div>`;
}

/** @param {{ isRunning: boolean, onBegin: (body: object) => void }} props */
function Subject({ isRunning, onBegin }) {
  const [subject, setSubject] = useState("");
  const [mode, setMode] = useState("quick");
  const [sources, setSources] = useState(["documents"]);
  const begin = (/** @type {Event} */ event) => {
    event.preventDefault();
    onBegin(bodyOf(subject.trim(), mode, sources));
  };
  const toggle = (/** @type {string} */ name) => setSources(sources.includes(name) ? sources.filter((each) => each !== name) : [...sources, name]);
  return html`<form class="asking" onSubmit=${begin}>
    <label class="wide">${t("Question, or address of a page")} <input type="text" dir="auto" maxlength=${LONGEST} value=${subject} onInput=${(/** @type {any} */ event) => setSubject(event.target.value)} /></label>
    <div class="row">
      <div class="segments" role="group" aria-label=${t("How far")}>${Object.entries(MODES).map(([name, words]) => html`<button type="button" aria-pressed=${String(mode === name)} onClick=${() => setMode(name)}>${words()}</button>`)}</div>
      <div class="choices" role="group" aria-label=${t("Sources")}>${Object.entries(SOURCES).map(([name, words]) => html`<button type="button" class="choice" aria-pressed=${String(sources.includes(name))} onClick=${() => toggle(name)}>${words()}</button>`)}</div>
      <span class="space"></span>
      <button type="submit" class="primary" disabled=${isRunning || !subject.trim()}>${t("Begin")}</button>
    </div>
  </form>`;
}

/** A page is fetched from the web, whatever is chosen. @param {string} subject @param {string} mode @param {string[]} sources */
function bodyOf(subject, mode, sources) {
  const isPage = /^https?:\/\//i.test(subject);
  const chosen = [...new Set([...(sources.length ? sources : ["documents"]), ...(isPage ? ["web"] : [])])];
  return { [isPage ? "url" : "question"]: subject, mode, sources: chosen };
}
