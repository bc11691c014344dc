// A name that is not in the documents: what is near it, or else what went wrong.
import { html } from "../parts/html.js";
import { Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";

/** @param {{ problem: any, onChoose: (id: string) => void }} props */
export function Nearby({ problem, onChoose }) {
  if (problem.status !== 404 || !problem.suggestions.length) return html`<${Trouble} problem=${problem} />`;
  return html`<div class="state" role="status"><p class="state-title" dir="auto">${problem.message}</p><p>${t("Did you mean one of these?")}</p>
    <div class="choices">${problem.suggestions.map((/** @type {string} */ name) => html`<button type="button" class="choice" dir="auto" onClick=${() => onChoose(name)}>${name}</button>`)}</div></div>`;
}
