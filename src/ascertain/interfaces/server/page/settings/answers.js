// How answers are written, and when none is given.
import { html, useState } from "../parts/html.js";
import { LANGUAGES, t } from "../parts/words.js";

const LENGTHS = /** @type {Record<string, () => string>} */ ({ auto: () => t("As the question needs"), short: () => t("Short"), medium: () => t("Medium"), long: () => t("Long") });

/** @param {{ answers: any, hasChat: boolean, onChange: (body: { values: Record<string, string | number> }) => Promise<void> }} props */
export function Answers({ answers, hasChat, onChange }) {
  const [threshold, setThreshold] = useState(answers.rejection_threshold);
  const set = (/** @type {string} */ name, /** @type {string | number} */ value) => onChange({ values: { [`answers.${name}`]: value } });
  return html`<section aria-labelledby="answers"><h2 id="answers">${t("Answers")}</h2>
    <div class="fields">
      <label>${t("Most sentences")} <input type="number" min="1" max="30" value=${answers.max_sentences} onChange=${(/** @type {any} */ event) => event.target.checkValidity() && set("max_sentences", Number(event.target.value))} /></label>
      <label>${t("No answer below a confidence of {n}", { n: threshold })} <input type="range" min="0" max="100" step="5" value=${threshold} onInput=${(/** @type {any} */ event) => setThreshold(Number(event.target.value))} onChange=${(/** @type {any} */ event) => set("rejection_threshold", Number(event.target.value))} />
        <span class="note">${t("Higher where a wrong answer costs more than none.")}</span></label>
      <label>${t("Length")} <select value=${answers.length} disabled=${!hasChat} onChange=${(/** @type {any} */ event) => set("length", event.target.value)}>${Object.entries(LENGTHS).map(([name, words]) => html`<option value=${name}>${words()}</option>`)}</select></label>
      <label>${t("Language")} <select value=${answers.language} disabled=${!hasChat} onChange=${(/** @type {any} */ event) => set("language", event.target.value)}>
        <option value="">${t("That of the question")}</option>${listLanguages(answers.language).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
    </div>
    ${!hasChat && html`<p class="note">${t("Length and language apply with a chat model: without one, answers quote the documents.")}</p>`}
  </section>`;
}

/** Languages by their English names, as given to a chat model. @param {string} current @returns {[string, string][]} */
function listLanguages(current) {
  const names = new Intl.DisplayNames("en", { type: "language" });
  const known = /** @type {[string, string][]} */ (Object.entries(LANGUAGES).map(([code, words]) => [names.of(code) ?? code, words]));
  return current && !known.some(([name]) => name === current) ? [...known, [current, current]] : known;
}
