// What a question may be answered from: documents or news, kinds, dates, folders, tags, languages; or one document alone.
import { html } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { t } from "../parts/words.js";

/** @typedef {{ mode: "documents" | "news", kinds: string[], since: string, until: string, sources: string[], tags: string[], languages: string[], timeRange: string, document: { id: string, title: string } | null }} Selection */

export const EVERYTHING = /** @type {Selection} */ ({ mode: "documents", kinds: [], since: "", until: "", sources: [], tags: [], languages: [], timeRange: "any", document: null });
export const KINDS = /** @type {Record<string, () => string>} */ ({
  prose: () => t("Texts"),
  article: () => t("Articles"),
  paper: () => t("Papers"),
  transcript: () => t("Recordings"),
});
/** Of one document. */
export const KIND = /** @type {Record<string, () => string>} */ ({
  prose: () => t("Text"),
  article: () => t("Article"),
  paper: () => t("Paper"),
  transcript: () => t("Recording"),
});
const RANGES = /** @type {Record<string, () => string>} */ ({ any: () => t("Any time"), day: () => t("Last day"), week: () => t("Last week"), month: () => t("Last month"), year: () => t("Last year") });

/** What to send along with a question. @param {Selection} chosen */
export function requestOf(chosen) {
  if (chosen.mode === "news") return { mode: "news", ...(chosen.timeRange === "any" ? {} : { time_range: chosen.timeRange }) };
  if (chosen.document) return { filter: { document_ids: [chosen.document.id] } };
  const conditions = {
    kinds: chosen.kinds,
    sources: chosen.sources,
    tags: chosen.tags,
    languages: chosen.languages,
    published_from: chosen.since || null,
    published_before: chosen.until ? dayAfter(chosen.until) : null,
  };
  const given = Object.fromEntries(Object.entries(conditions).filter(([, value]) => value && value.length));
  return Object.keys(given).length ? { filter: given } : {};
}

/** @param {Selection} chosen */
export function countConditions({ mode, kinds, since, until, tags, languages, timeRange }) {
  if (mode === "news") return Number(timeRange !== "any");
  return [kinds.length, since || until, tags.length, languages.length].filter(Boolean).length;
}

/** @param {string} day */
const dayAfter = (day) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

/** @param {string} origin */
export const originName = (origin) => (origin === "upload:*" ? t("Uploaded files") : origin.replace(/^upload:/, "").replace(/^\w+:\/\//, "").replace(/\/\*$/, "").replace(/\/$/, "").split("/").slice(-2).join("/"));

/** The controls. @param {{ chosen: Selection, onChange: (chosen: Selection) => void }} props */
export function Filters({ chosen, onChange }) {
  const facets = useResource("v1/documents/facets");
  const namesOf = (/** @type {string} */ facet) => (facets.value?.[facet] ?? []).map((/** @type {any} */ { value }) => value);
  const set = (/** @type {Partial<Selection>} */ changes) => onChange({ ...chosen, ...changes });
  if (chosen.mode === "news") {
    return html`<fieldset><legend>${t("Published")}</legend>
      <select aria-label=${t("Published")} value=${chosen.timeRange} onChange=${(/** @type {any} */ event) => set({ timeRange: event.target.value })}>
        ${Object.entries(RANGES).map(([name, words]) => html`<option value=${name}>${words()}</option>`)}
      </select></fieldset>`;
  }
  const isEmpty = chosen.since && chosen.until && chosen.since > chosen.until;
  return html`
    <${Choices} title=${t("Kinds")} names=${namesOf("kinds")} chosen=${chosen.kinds} nameOf=${(/** @type {string} */ name) => KINDS[name]?.() ?? name} onChange=${(/** @type {string[]} */ kinds) => set({ kinds })} />
    <fieldset><legend>${t("Published")}</legend><div class="row">
      <label>${t("from")} <input type="date" value=${chosen.since} onInput=${(/** @type {any} */ event) => set({ since: event.target.value })} /></label>
      <label>${t("to")} <input type="date" value=${chosen.until} onInput=${(/** @type {any} */ event) => set({ until: event.target.value })} /></label></div>
      ${isEmpty && html`<p class="note">${t("The first day is after the last: no document can match.")}</p>`}</fieldset>
    <${Choices} title=${t("Tags")} names=${namesOf("tags")} chosen=${chosen.tags} onChange=${(/** @type {string[]} */ tags) => set({ tags })} />
    <${Choices} title=${t("Languages")} names=${namesOf("languages")} chosen=${chosen.languages} nameOf=${languageName} onChange=${(/** @type {string[]} */ languages) => set({ languages })} />
    ${countConditions(chosen) > 0 && html`<button type="button" class="quiet" onClick=${() => onChange({ ...EVERYTHING, mode: chosen.mode, sources: chosen.sources })}>${t("Ask everything again")}</button>`}
  `;
}

/** @param {any} props */
function Choices({ title, names, chosen, nameOf = String, onChange }) {
  if (!names.length) return null;
  const toggle = (/** @type {string} */ name) => onChange(chosen.includes(name) ? chosen.filter((/** @type {string} */ each) => each !== name) : [...chosen, name]);
  return html`<fieldset><legend>${title}</legend><div class="choices">
    ${names.map((/** @type {string} */ name) => html`<button type="button" class="choice" aria-pressed=${String(chosen.includes(name))} onClick=${() => toggle(name)} dir="auto">${nameOf(name)}</button>`)}
  </div></fieldset>`;
}

/** @param {string} code */
function languageName(code) {
  try {
    return new Intl.DisplayNames(document.documentElement.lang, { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
