// Notebooks: sources that are often asked together, under a name. The service has them: one's own, and those that others share.
import { html, useEffect, useState } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { count, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

/** @typedef {{ id: string, name: string, sources: string[], owner: string, is_own: boolean, is_shared: boolean }} Notebook */

/** Where they were while the browser alone had them. */
const EARLIER = "ascertain.notebooks";
const LONGEST_NAME = 60;

/** @param {string[]} one @param {string[]} other */
const isSame = (one, other) => one.length === other.length && one.every((each) => other.includes(each));

/** @param {{ chosen: string[], onChange: (sources: string[]) => void }} props */
export function Notebooks({ chosen, onChange }) {
  const listed = useResource("v1/notebooks");
  const [name, setName] = useState("");
  const [picked, setPicked] = useState("");
  const notebooks = /** @type {Notebook[]} */ (listed.value?.notebooks ?? []);
  const current = notebooks.find(({ id, sources }) => id === picked && isSame(sources, chosen)) ?? notebooks.find(({ sources }) => isSame(sources, chosen));
  // ticks were changed since one was chosen
  const changed = current ? undefined : notebooks.find(({ id, is_own: isOwn }) => id === picked && isOwn);
  const isLoaded = Boolean(listed.value);
  useEffect(() => {
    if (isLoaded) bringEarlier(notebooks).then((hasBrought) => (hasBrought ? listed.reload() : undefined));
  }, [isLoaded]);
  const attempt = async (/** @type {() => Promise<any>} */ work) => {
    try {
      const done = await work();
      await listed.reload();
      return done;
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message || t("The service does not answer"));
      return null;
    }
  };
  const change = (/** @type {Notebook} */ notebook, /** @type {any} */ changes) => attempt(() => call("PATCH", `v1/notebooks/${segment(notebook.id)}`, { json: changes }));
  const add = async () => {
    const named = name.trim();
    if (!named) return;
    // one of this name takes the new sources
    const same = notebooks.find((each) => each.is_own && each.name === named);
    const kept = same ? await change(same, { sources: chosen }) : await attempt(() => call("POST", "v1/notebooks", { json: { name: named, sources: chosen } }));
    if (!kept) return;
    setPicked(kept.id);
    setName("");
  };
  const pick = (/** @type {Notebook} */ notebook) => {
    setPicked(notebook === current ? "" : notebook.id);
    onChange(notebook === current ? [] : notebook.sources);
  };
  const remove = async (/** @type {Notebook} */ notebook) => {
    await attempt(() => call("DELETE", `v1/notebooks/${segment(notebook.id)}`));
    showToast(t("The notebook {name} is deleted; its documents stay.", { name: notebook.name }));
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter") return;
    // the box stands in the form of the question
    event.preventDefault();
    add();
  };
  if (listed.problem && !isLoaded) return html`<${Trouble} problem=${listed.problem} onAgain=${listed.reload} />`;
  if (!notebooks.length && !chosen.length) return null;
  return html`<fieldset class="notebooks"><legend>${t("Notebooks")}</legend>
    ${notebooks.length > 0 && html`<div class="choices">${notebooks.map((each) => html`<span key=${each.id} class="notebook"><button type="button" class="choice" dir="auto" aria-pressed=${String(each === current)} title=${describe(each)} onClick=${() => pick(each)}>${each.name}${!each.is_own && html`<span class="note"> · ${each.owner || t("shared")}</span>`}</button>
      ${each === current && each.is_own && html`${each.owner && html`<${IconButton} icon="link" label=${each.is_shared ? t("Keep the notebook {name} to yourself", { name: each.name }) : t("Share the notebook {name}", { name: each.name })} aria-pressed=${String(each.is_shared)} onClick=${() => change(each, { is_shared: !each.is_shared })} />`}
        <${IconButton} icon="trash" label=${t("Delete the notebook {name}", { name: each.name })} onClick=${() => remove(each)} />`}</span>`)}</div>`}
    ${current?.is_own && current.owner && html`<p class="note" role="status">${current.is_shared ? t("Everybody who sees your documents may use it.") : t("It is yours alone, in every browser that you use.")}</p>`}
    ${changed && chosen.length > 0 && html`<p><button type="button" onClick=${() => change(changed, { sources: chosen })}>${t("Put these into {name}", { name: changed.name })}</button></p>`}
    ${chosen.length > 0 && !current && html`<div class="row"><label class="grow"><span class="hidden">${t("Name of a notebook of what is ticked")}</span><input type="text" maxlength=${LONGEST_NAME} placeholder=${t("Name of a notebook of what is ticked")} value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} onKeyDown=${press} /></label>
      <button type="button" disabled=${!name.trim()} onClick=${add}>${t("Keep")}</button></div>`}
  </fieldset>`;
}

/** @param {Notebook} notebook */
function describe({ sources, is_own: isOwn, is_shared: isShared }) {
  const amount = count(sources.length, "1 source", "{n} sources");
  return isShared ? `${amount} · ${isOwn ? t("shared by you") : t("shared")}` : amount;
}

/** Those of this browser alone, brought to the service once. @param {Notebook[]} there @returns {Promise<boolean>} whether there were any */
async function bringEarlier(there) {
  const kept = localStorage.getItem(EARLIER);
  if (!kept) return false;
  localStorage.removeItem(EARLIER);
  try {
    const earlier = JSON.parse(kept).filter((/** @type {any} */ each) => typeof each.name === "string" && Array.isArray(each.sources));
    for (const { name, sources } of earlier) {
      if (!there.some((each) => each.is_own && each.name === name)) await call("POST", "v1/notebooks", { json: { name, sources } });
    }
    return true;
  } catch {
    // they are there for the next time
    localStorage.setItem(EARLIER, kept);
    return false;
  }
}
