// The documents: added, looked through, read, deleted.
import { classes, html, useCallback, useEffect, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { Confirmation } from "../parts/dialog.js";
import { Icon, IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { count, formatDay, formatNumber, t } from "../parts/words.js";
import { EVERYTHING, KIND, KINDS, originName } from "../ask/filters.js";
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

/** @param {{ address: Record<string, string>, chosen: import("../ask/filters.js").Selection, onChoose: (chosen: import("../ask/filters.js").Selection) => void, session: any }} props */
export function View({ address, chosen, onChoose, session }) {
  const mayChange = session?.role !== "read";
  const { q = "", kind = "", state = "", source = "", tag = "", sort = "-added", page = "1" } = address;
  const found = useResource("v1/documents", { q, kind, state, source, tag, sort, limit: ROWS, offset: (Number(page) - 1) * ROWS });
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
  const isNarrowed = Boolean(q || kind || state || source || tag);
  const tick = (/** @type {string} */ each) => onChoose({ ...EVERYTHING, sources: chosen.sources.includes(each) ? chosen.sources.filter((other) => other !== each) : [...chosen.sources, each] });
  return html`<div class="view">
    <h1>${t("Documents")}</h1>
    <p class="lead">${t("The sources of the answers.")}</p>
    ${mayChange && html`<${Adding} onEnded=${reload} />`}
    <${Conditions} q=${q} kind=${kind} state=${state} source=${source} tag=${tag} sort=${sort} onChoose=${choose} />
    <${Ticked} sources=${chosen.sources} onClear=${() => onChoose({ ...chosen, sources: [] })} />
    ${found.problem && html`<${Trouble} problem=${found.problem} onAgain=${reload} />`}
    ${found.isLoading && !found.value && html`<${Loading} />`}
    ${found.value &&
    html`<p class="note" role="status">${total ? count(total, "1 document", "{n} documents") : isNarrowed ? t("None of them.") : t("None yet. Add the first above.")}</p>
      <ul class=${classes("rows", found.isLoading && "waiting")} aria-label=${t("Documents")}>${found.value.documents.map((/** @type {any} */ document) => html`<li key=${document.id}><${DocumentRow} document=${document} isOpen=${address.document === document.id} isTicked=${chosen.sources.includes(document.source)} onTick=${() => tick(document.source)} onDelete=${mayChange ? () => setDeleted(document) : null} /></li>`)}</ul>
      <${Pages} page=${Number(page)} pages=${Math.ceil(total / ROWS)} />`}
    ${deleted &&
    html`<${Confirmation} title=${t("Delete this document?")} words=${t("Its passages are no longer found, and answers that cited it keep only the quote.")} action=${t("Delete")} onConfirm=${remove} onClose=${() => setDeleted(null)}>
      <p dir="auto">${deleted.title || deleted.source}</p></${Confirmation}>`}
  </div>`;
}

/** @param {any} props */
function Conditions({ q, kind, state, source, tag, sort, onChoose }) {
  const facets = useResource("v1/documents/facets");
  const valuesOf = (/** @type {string} */ name, nameOf = (/** @type {string} */ value) => value) => Object.fromEntries((facets.value?.[name] ?? []).map((/** @type {any} */ { value }) => [value, nameOf(value)]));
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
    ${facets.value?.sources.length > 1 && select("source", t("Folder or site"), source, { "": t("All folders"), ...valuesOf("sources", originName) })}
    ${facets.value?.tags.length > 0 && select("tag", t("Tag"), tag, { "": t("All tags"), ...valuesOf("tags") })}
    ${select("state", t("State"), state, { "": t("Any state"), ...Object.fromEntries(Object.entries(STATES).map(([name, [words]]) => [name, words()])) })}
    ${select("sort", t("Order"), sort, named(ORDERS))}
  </div>`;
}

/** What was ticked, to be asked alone. @param {{ sources: string[], onClear: () => void }} props */
function Ticked({ sources, onClear }) {
  if (!sources.length) return null;
  return html`<div class="row ticked" role="status"><span>${count(sources.length, "1 source is ticked.", "{n} sources are ticked.")}</span><span class="space"></span>
    <button type="button" class="quiet" onClick=${onClear}>${t("Tick none")}</button>
    <button type="button" class="primary" onClick=${() => go({}, { keep: false })}><${Icon} name="chat" /> ${t("Ask these")}</button></div>`;
}

/** @param {{ document: any, isOpen: boolean, isTicked: boolean, onTick: () => void, onDelete: null | (() => void) }} props */
function DocumentRow({ document, isOpen, isTicked, onTick, onDelete }) {
  const [words, tone] = STATES[document.state] ?? [() => document.state, ""];
  const facts = [KIND[document.kind]?.(), document.author, formatDay(document.published_at), document.chunks > 0 && count(document.chunks, "1 passage", "{n} passages"), ...document.tags];
  const { completeness } = document;
  const gaps = completeness && (completeness.left_out.length || completeness.notes.length) ? t("Read: {label}", { label: completeness.label }) : "";
  const open = useCallback(() => go({ document: document.id, at: null }), [document.id]);
  return html`<div class=${classes("document", isOpen && "open")}>
    <input type="checkbox" aria-label=${t("Ask {title}", { title: document.title || document.source })} checked=${isTicked} disabled=${document.state !== "indexed"} onChange=${onTick} />
    <button type="button" class="name" dir="auto" disabled=${document.state === "failed"} onClick=${open}>${document.title || document.source}</button>
    <span class="facts">${facts.filter(Boolean).map((fact) => html`<span dir="auto">${fact}</span>`)}</span>
    <span class=${classes("badge", tone)}>${words()}</span>
    ${onDelete && html`<${IconButton} icon="trash" class="on-hover" label=${t("Delete {title}", { title: document.title || document.source })} onClick=${onDelete} />`}
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
