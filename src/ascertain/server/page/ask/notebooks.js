// Notebooks: sources that are often asked together, under a name. They are kept in this browser.
import { html, useState } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { count, t } from "../parts/words.js";

/** @typedef {{ name: string, sources: string[] }} Notebook */

const KEPT = "ascertain.notebooks";
const LONGEST_NAME = 60;

/** @returns {Notebook[]} */
function readNotebooks() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return kept.filter((/** @type {any} */ each) => typeof each.name === "string" && Array.isArray(each.sources));
  } catch {
    return [];
  }
}

/** @param {string[]} one @param {string[]} other */
const isSame = (one, other) => one.length === other.length && one.every((each) => other.includes(each));

/** @param {{ chosen: string[], onChange: (sources: string[]) => void }} props */
export function Notebooks({ chosen, onChange }) {
  const [notebooks, setNotebooks] = useState(readNotebooks);
  const [name, setName] = useState("");
  const current = notebooks.find(({ sources }) => isSame(sources, chosen));
  const keep = (/** @type {Notebook[]} */ next) => {
    localStorage.setItem(KEPT, JSON.stringify(next));
    setNotebooks(next);
  };
  const add = () => {
    const named = name.trim();
    if (!named) return;
    // one of this name takes the new sources
    keep([...notebooks.filter((each) => each.name !== named), { name: named, sources: chosen }].sort((one, other) => one.name.localeCompare(other.name)));
    setName("");
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter") return;
    // the box stands in the form of the question
    event.preventDefault();
    add();
  };
  if (!notebooks.length && !chosen.length) return null;
  return html`<fieldset class="notebooks"><legend>${t("Notebooks")}</legend>
    ${notebooks.length > 0 && html`<div class="choices">${notebooks.map((each) => html`<span key=${each.name} class="notebook"><button type="button" class="choice" dir="auto" aria-pressed=${String(each === current)} title=${count(each.sources.length, "1 source", "{n} sources")} onClick=${() => onChange(each === current ? [] : each.sources)}>${each.name}</button>
      ${each === current && html`<${IconButton} icon="trash" label=${t("Forget the notebook {name}", { name: each.name })} onClick=${() => keep(notebooks.filter((other) => other !== each))} />`}</span>`)}</div>`}
    ${chosen.length > 0 && !current && html`<div class="row"><label class="grow"><span class="hidden">${t("Name of a notebook of what is ticked")}</span><input type="text" maxlength=${LONGEST_NAME} placeholder=${t("Name of a notebook of what is ticked")} value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} onKeyDown=${press} /></label>
      <button type="button" disabled=${!name.trim()} onClick=${add}>${t("Keep")}</button></div><p class="note">${t("It is stored in this browser.")}</p>`}
  </fieldset>`;
}
