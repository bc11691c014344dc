// The questions of a golden set that are not reviewed yet, each beside the places that answer it: stored, dropped or skipped.
import { html, useEffect, useState } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

const NAME = "ascertain.validator";
const GRADES = /** @type {[string, () => string][]} */ ([
  ["", () => t("as proposed")],
  ["2", () => t("all answer it")],
  ["1", () => t("all help")],
]);

/** @param {{ sets: any[] }} props */
export function Golden({ sets }) {
  const [name, setName] = useState(sets[0].name);
  const [skipped, setSkipped] = useState(/** @type {string[]} */ ([]));
  const found = useResource(`v1/evaluation/golden/${segment(name)}`);
  const questions = found.value?.questions ?? [];
  const question = questions.find((/** @type {any} */ each) => !each.validated && !skipped.includes(each.id));
  const act = async (/** @type {string} */ method, /** @type {object | undefined} */ json) => {
    try {
      await call(method, `v1/evaluation/golden/${segment(name)}/${segment(question.id)}`, { json });
      await found.reload();
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message);
    }
  };
  return html`<section><h2 class="small">${t("Golden sets")}</h2>
    ${sets.length > 1 && html`<label class="asking">${t("Set")} <select value=${name} onChange=${(/** @type {any} */ event) => setName(event.target.value)}>${sets.map((each) => html`<option value=${each.name}>${each.name}</option>`)}</select></label>`}
    ${found.problem && html`<${Trouble} problem=${found.problem} />`}
    ${!found.value && !found.problem && html`<${Loading} />`}
    ${found.value && html`<p class="note" role="status">${t("{done} of {n} questions are validated.", { done: questions.filter((/** @type {any} */ each) => each.validated).length, n: questions.length })}</p>`}
    ${question && html`<${Question} key=${`${name} ${question.id}`} question=${question} onKeep=${(/** @type {object} */ body) => act("PUT", body)} onDrop=${() => act("DELETE", undefined)} onSkip=${() => setSkipped([...skipped, question.id])} />`}
  </section>`;
}

/** @param {any} props */
function Question({ question, onKeep, onDrop, onSkip }) {
  const [asked, setAsked] = useState(question.question);
  const [answers, setAnswers] = useState(question.answers.join("\n"));
  const [grade, setGrade] = useState("");
  const [isAnswerable, setAnswerable] = useState(question.answerable);
  const [by, setBy] = useState(localStorage.getItem(NAME) ?? "");
  useEffect(() => localStorage.setItem(NAME, by), [by]);
  const keep = (/** @type {Event} */ event) => {
    event.preventDefault();
    onKeep({ question: asked, answers: answers.split("\n"), answerable: isAnswerable, grade: grade ? Number(grade) : null, validated_by: by });
  };
  return html`<form class="golden" onSubmit=${keep}>
    ${question.places.map((/** @type {any} */ place) => html`<blockquote class="theme"><p class="facts"><span dir="auto">${place.source}</span><span>${t("grade {n}", { n: place.grade })}</span></p>
      ${place.is_there ? html`<p dir="auto">… ${place.before} <mark>${place.quote}</mark> ${place.after} …</p>` : html`<p class="warning">${t("not found in the documents")}</p>`}</blockquote>`)}
    <label class="wide">${t("Question")} <input type="text" dir="auto" value=${asked} onInput=${(/** @type {any} */ event) => setAsked(event.target.value)} /></label>
    <label class="wide">${t("Answers, one per line")} <textarea rows="3" dir="auto" value=${answers} onInput=${(/** @type {any} */ event) => setAnswers(event.target.value)}></textarea></label>
    <div class="row"><label>${t("The documents")} <select value=${grade} onChange=${(/** @type {any} */ event) => setGrade(event.target.value)}>${GRADES.map(([value, words]) => html`<option value=${value}>${words()}</option>`)}</select></label>
      <label>${t("Your name, stored with the question")} <input type="text" value=${by} onInput=${(/** @type {any} */ event) => setBy(event.target.value)} /></label></div>
    <label class="row"><input type="checkbox" checked=${!isAnswerable} onChange=${(/** @type {any} */ event) => setAnswerable(!event.target.checked)} /> ${t("The documents do not answer it")}</label>
    <div class="row"><button type="submit" class="primary" disabled=${!asked.trim()}>${t("Keep")}</button><button type="button" onClick=${onDrop}>${t("Drop")}</button><button type="button" onClick=${onSkip}>${t("Skip")}</button></div>
  </form>`;
}
