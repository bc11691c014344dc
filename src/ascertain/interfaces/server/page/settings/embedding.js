// What texts are compared with: the embedding model, what moving to another takes, and the move while it goes on.
import { html, useEffect, useRef, useState } from "../parts/html.js";
import { Confirmation } from "../parts/dialog.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { count, formatNumber, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

/** As the service says it. */
const HERE = "this machine";
const LOOK_MS = 1500;
const KNOWN = ["all-MiniLM-L6-v2", "openai:text-embedding-3-small", "openai:text-embedding-3-large"];

/** @param {{ onMoved: () => void }} props */
export function Embedding({ onMoved }) {
  const loaded = useResource("v1/settings/embedder");
  const { model, move } = loaded.value ?? {};
  const isMoving = move?.state === "queued" || move?.state === "running";
  const wasMoving = useRef(false);
  useEffect(() => {
    if (wasMoving.current && !isMoving && move?.state === "finished") onMoved();
    wasMoving.current = isMoving;
    if (!isMoving) return undefined;
    const timer = setInterval(loaded.reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  return html`<section aria-labelledby="embedding"><h2 id="embedding">${t("Search by meaning")}</h2>
    ${loaded.problem && html`<${Trouble} problem=${loaded.problem} onAgain=${loaded.reload} />`}
    ${loaded.isLoading && !model && html`<${Loading} />`}
    ${model && html`
      <div class="theme"><p><b dir="auto">${model.name}</b> <span class="note">${model.where === HERE ? t("this machine") : model.where}</span></p>
        <p class="note">${t("An embedding model turns each passage into numbers, and finds passages close in meaning to a question.")} ${count(model.chunks, "1 passage is embedded with it.", "{n} passages are embedded with it.")}</p>
        ${model.is_behind && html`<p class="warning">${t("The passages are still those of {model}.", { model: model.stored })}</p>`}</div>
      ${move && html`<${Move} move=${move} onChange=${loaded.reload} />`}
      ${!isMoving && html`<${Another} inUse=${model.name} onStarted=${loaded.reload} />`}`}
  </section>`;
}

/** @param {{ move: any, onChange: () => void }} props */
function Move({ move, onChange }) {
  const name = move.what.replace(/^embedding with /, "");
  const act = async (/** @type {string} */ method, /** @type {string} */ path) => {
    await call(method, path).catch((problem) => showToast(problem.message || t("The service does not answer")));
    onChange();
  };
  const share = move.total ? Math.floor((100 * move.done) / move.total) : 0;
  if (move.state === "queued" || move.state === "running")
    return html`<div class="state calm" role="status"><p class="state-title">${t("Moving to {model}: {share} %", { model: name, share })}</p>
      <p><progress max=${move.total || 1} value=${move.done} aria-label=${t("Progress of {name}", { name })}></progress></p>
      <p>${t("{done} of {n} passages. Questions are answered with the old ones until all are there.", { done: formatNumber(move.done), n: formatNumber(move.total) })}</p>
      <p><button type="button" onClick=${() => act("DELETE", `v1/jobs/${segment(move.id)}`)}>${t("Stop the move")}</button></p></div>`;
  if (move.state === "failed")
    return html`<div class="state bad" role="status"><p class="state-title">${t("The move to {model} did not finish", { model: name })}</p><p dir="auto">${move.reason}</p>
      <p>${t("Nothing is lost: questions are answered as before. It continues where it stopped.")}</p>
      <p><button type="button" onClick=${() => act("POST", `v1/jobs/${segment(move.id)}/retry`)}>${t("Continue it")}</button></p></div>`;
  const notes = move.report?.notes ?? [];
  return notes.length > 0 && html`<ul class="text">${notes.map((/** @type {string} */ note) => html`<li class="warning" dir="auto">${note}</li>`)}</ul>`;
}

/** Another model: what it takes first, then the move. @param {{ inUse: string, onStarted: () => void }} props */
function Another({ inUse, onStarted }) {
  const [name, setName] = useState("");
  const [estimate, setEstimate] = useState(/** @type {any} */ (null));
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const ask = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    setFailure("");
    setEstimate(null);
    await call("POST", "v1/settings/embedder/estimate", { json: { embedder: name.trim() } }).then(setEstimate, (problem) => setFailure(problem.message || t("The service does not answer")));
    setBusy(false);
  };
  const begin = async () => {
    await call("POST", "v1/settings/embedder/move", { json: { embedder: estimate.name } }).catch((problem) => showToast(problem.message || t("The service does not answer")));
    setEstimate(null);
    onStarted();
  };
  return html`<details class="more"><summary>${t("Move to another model")}</summary>
    <p class="note">${t("For other languages or your field. A model at a provider receives the text of every document, and each question; one on this machine keeps them here.")}</p>
    <form class="row" onSubmit=${ask}><label class="wide">${t("Model")} <input type="text" maxlength="300" list="embedders" spellcheck=${false} autocomplete="off" placeholder="openai:text-embedding-3-small" value=${name} onInput=${(/** @type {any} */ event) => { setName(event.target.value); setEstimate(null); }} /></label>
      <datalist id="embedders">${KNOWN.filter((each) => each !== inUse).map((each) => html`<option value=${each}></option>`)}</datalist>
      <button type="submit" disabled=${isBusy || !name.trim()}>${isBusy ? t("Being tried …") : t("Estimate the move")}</button></form>
    <p class="note">${t("It is tried with a few sentences that contain none of your data.")}</p>
    <p class="warning" role="alert">${failure}</p>
    ${estimate && html`<div class="theme" role="status"><dl class="times"><div><dt>${t("Passages")}</dt><dd>${formatNumber(estimate.chunks)}</dd></div><div><dt>${t("Takes about")}</dt><dd>${nameDuration(estimate.seconds)}</dd></div>
        ${!estimate.is_here && html`<div><dt>${t("Tokens")}</dt><dd>${formatNumber(estimate.tokens)}</dd></div>`}${estimate.usd > 0 && html`<div><dt>${t("Costs about")}</dt><dd>${estimate.usd < 0.01 ? "< $0.01" : `$${estimate.usd.toFixed(2)}`}</dd></div>`}</dl>
      <p class=${estimate.is_here ? "note" : "warning"}>${estimate.is_here ? t("Everything stays on this machine.") : t("The text of every document is sent to {where}.", { where: estimate.where })}</p>
      <p><button type="button" class="primary" onClick=${() => setAsking(true)}>${t("Move to it")}</button></p></div>`}
    ${isAsking && html`<${Confirmation} title=${t("Move to {model}?", { model: estimate.name })} words=${t("For everyone who uses this service. It can be stopped, and moved back.")} action=${t("Move")} onConfirm=${begin} onClose=${() => setAsking(false)} />`}
  </details>`;
}

/** @param {number} seconds */
function nameDuration(seconds) {
  if (seconds < 60) return t("less than a minute");
  if (seconds < 5400) return count(Math.round(seconds / 60), "1 minute", "{n} minutes");
  return count(Math.round(seconds / 3600), "1 hour", "{n} hours");
}
