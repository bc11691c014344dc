// The documents: added, looked through, read, deleted.
import { classes, html, useCallback, useEffect, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { Confirmation } from "../parts/dialog.js";
import { Icon, IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { count, formatDay, formatNumber, t } from "../parts/words.js";
import { KIND, KINDS } from "../ask/filters.js";
import { call, segment } from "../service/client.js";
import { Adding } from "./adding.js";

const ROWS = 30;
const TYPING_MS = 200;
const STATES = /** @type {Record<string, [() => string, string]>} */ ({
  indexed: [() => t("ready"), "good"],
  duplicate: [() => t("duplicate"), "warn"],
  failed: [() => t("failed"), "bad"],
});
const ORDERS = /** @type {Record<string, () => string>} */ ({
  "-added": () => t("Last added"),
  "-published": () => t("Newest"),
  published: () => t("Oldest"),
  title: () => t("Title"),
  source: () => t("Folder"),
});

/** @param {{ address: Record<string, string> }} props */
export function View({ address }) {
  const { q = "", kind = "", state = "", sort = "-added", page = "1" } = address;
  const found = useResource("v1/documents", { q, kind, state, sort, limit: ROWS, offset: (Number(page) - 1) * ROWS });
  const [deleted, setDeleted] = useState(/** @type {any} */ (null));
  const reload = found.reload;
  const choose = (/** @type {Record<string, string>} */ changes) => go({ page: null, ...changes }, { replace: true });
  const remove = async () => {
    try {
      await call("DELETE", `v1/documents/${segment(deleted.id)}`);
      showToast(t("{title} is deleted.", { title: deleted.title }));
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message);
    }
    reload();
  };
  const total = found.value?.total ?? 0;
  const isNarrowed = Boolean(q || kind || state);
  return html`<div class="view">
    <h1>${t("Documents")}</h1>
    <p class="lead">${t("What questions are answered from.")}</p>
    <${Adding} onEnded=${reload} />
    <${Conditions} q=${q} kind=${kind} state=${state} sort=${sort} onChoose=${choose} />
    ${found.problem && html`<${Trouble} problem=${found.problem} onAgain=${reload} />`}
    ${found.isLoading && !found.value && html`<${Loading} />`}
    ${found.value &&
    html`<p class="note" role="status">${total ? count(total, "1 document", "{n} documents") : isNarrowed ? t("None of them.") : t("There are none yet. Add the first above.")}</p>
      <ul class=${classes("rows", found.isLoading && "waiting")} aria-label=${t("Documents")}>${found.value.documents.map((/** @type {any} */ document) => html`<li key=${document.id}><${DocumentRow} document=${document} isOpen=${address.document === document.id} onDelete=${() => setDeleted(document)} /></li>`)}</ul>
      <${Pages} page=${Number(page)} pages=${Math.ceil(total / ROWS)} />`}
    ${deleted &&
    html`<${Confirmation} title=${t("Delete this document?")} words=${t("Its passages are no longer found, and answers that cited it keep only the quote.")} action=${t("Delete")} onConfirm=${remove} onClose=${() => setDeleted(null)}>
      <p dir="auto">${deleted.title || deleted.source}</p></${Confirmation}>`}
  </div>`;
}

/** @param {any} props */
function Conditions({ q, kind, state, sort, onChoose }) {
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => onChoose({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const select = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, /** @type {Record<string, string>} */ options) =>
    html`<label><span class="hidden">${label}</span><select aria-label=${label} value=${value} onChange=${(/** @type {any} */ event) => onChoose({ [name]: event.target.value })}>
      ${Object.entries(options).map(([option, words]) => html`<option value=${option}>${words}</option>`)}</select></label>`;
  const named = (/** @type {Record<string, () => string>} */ names) => Object.fromEntries(Object.entries(names).map(([name, words]) => [name, words()]));
  return html`<div class="row conditions" role="search">
    <label class="search"><${Icon} name="search" /><span class="hidden">${t("Search the documents")}</span>
      <input type="search" placeholder=${t("Title, author, file or tag")} value=${typed} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} /></label>
    ${select("kind", t("Kind"), kind, { "": t("All kinds"), ...named(KINDS) })}
    ${select("state", t("State"), state, { "": t("Any state"), ...Object.fromEntries(Object.entries(STATES).map(([name, [words]]) => [name, words()])) })}
    ${select("sort", t("Order"), sort, named(ORDERS))}
  </div>`;
}

/** @param {{ document: any, isOpen: boolean, onDelete: () => void }} props */
function DocumentRow({ document, isOpen, onDelete }) {
  const [words, tone] = STATES[document.state] ?? [() => document.state, ""];
  const facts = [KIND[document.kind]?.(), document.author, formatDay(document.published_at), document.chunks > 0 && count(document.chunks, "1 passage", "{n} passages"), ...document.tags];
  const { completeness } = document;
  const gaps = completeness && (completeness.left_out.length || completeness.notes.length) ? t("Read: {label}", { label: completeness.label }) : "";
  const open = useCallback(() => go({ document: document.id, at: null }), [document.id]);
  return html`<div class=${classes("document", isOpen && "open")}>
    <button type="button" class="name" dir="auto" disabled=${document.state === "failed"} onClick=${open}>${document.title || document.source}</button>
    <span class="facts">${facts.filter(Boolean).map((fact) => html`<span dir="auto">${fact}</span>`)}</span>
    <span class=${classes("badge", tone)}>${words()}</span>
    <${IconButton} icon="trash" class="on-hover" label=${t("Delete {title}", { title: document.title || document.source })} onClick=${onDelete} />
    ${[document.reason, gaps].filter(Boolean).map((line) => html`<p class="reason" dir="auto">${line}</p>`)}
  </div>`;
}

/** @param {{ page: number, pages: number }} props */
function Pages({ page, pages }) {
  if (pages < 2) return null;
  const to = (/** @type {number} */ number) => {
    go({ page: number > 1 ? String(number) : null });
    document.querySelector(".view")?.scrollIntoView();
  };
  return html`<nav class="row pages" aria-label=${t("Pages of the list")}>
    <button type="button" disabled=${page <= 1} onClick=${() => to(page - 1)}><${Icon} name="left" /> ${t("Before")}</button>
    <span class="note">${t("{page} of {pages}", { page: formatNumber(page), pages: formatNumber(pages) })}</span>
    <button type="button" disabled=${page >= pages} onClick=${() => to(page + 1)}>${t("Next")} <${Icon} name="right" /></button>
  </nav>`;
}
