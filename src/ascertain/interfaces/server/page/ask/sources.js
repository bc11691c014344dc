// The sources a question may use, ticked: folders and sites as a whole, or documents one by one.
import { html, useEffect, useState } from "../parts/html.js";
import { Icon } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { count, formatDay, formatNumber, t } from "../parts/words.js";
import { originName } from "./filters.js";
import { Notebooks } from "./notebooks.js";

const SHOWN = 40;
const TYPING_MS = 200;
/** As many as the service takes of one condition. */
const MOST = 100;

/** @param {{ chosen: string[], onChange: (sources: string[]) => void }} props sources as the service's filter takes them */
export function Sources({ chosen, onChange }) {
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setWanted(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const facets = useResource("v1/documents/facets");
  const found = useResource("v1/documents", { q: wanted, state: "indexed", sort: "title", limit: SHOWN });
  const folders = (facets.value?.sources ?? []).filter((/** @type {any} */ { value }) => originName(value).toLowerCase().includes(wanted.toLowerCase()));
  const documents = found.value?.documents ?? [];
  const known = new Set([...folders.map((/** @type {any} */ each) => each.value), ...documents.map((/** @type {any} */ each) => each.source)]);
  const others = wanted ? [] : chosen.filter((source) => !known.has(source));
  const toggle = (/** @type {string} */ source) => onChange(chosen.includes(source) ? chosen.filter((each) => each !== source) : [...chosen, source]);
  const tick = (/** @type {string} */ source, /** @type {any} */ words, /** @type {any} */ facts) => html`<label class="tick"><input type="checkbox" checked=${chosen.includes(source)} disabled=${!chosen.includes(source) && chosen.length >= MOST} onChange=${() => toggle(source)} />
    <span dir="auto">${words}</span> <span class="note">${facts}</span></label>`;
  return html`
    <div class="row"><p class="note" role="status">${chosen.length ? count(chosen.length, "Only 1 source is asked.", "Only {n} sources are asked.") : t("All documents are asked. Tick some to ask these only.")}</p><span class="space"></span>
      ${chosen.length > 0 && html`<button type="button" class="quiet" onClick=${() => onChange([])}>${t("Ask all")}</button>`}</div>
    <${Notebooks} chosen=${chosen} onChange=${onChange} />
    <label class="search"><${Icon} name="search" /><span class="hidden">${t("Search the documents")}</span>
      <input type="search" placeholder=${t("Title, author, file or tag")} value=${typed} onInput=${(/** @type {any} */ event) => setTyped(event.target.value)} /></label>
    ${others.length > 0 && html`<fieldset><legend>${t("Ticked")}</legend>${others.map((source) => tick(source, originName(source), ""))}</fieldset>`}
    ${folders.length > 0 && html`<fieldset><legend>${t("Folders and sites")}</legend>${folders.map((/** @type {any} */ each) => tick(each.value, originName(each.value), count(each.documents, "1 document", "{n} documents")))}</fieldset>`}
    <fieldset><legend>${t("Documents")}</legend>${documents.map((/** @type {any} */ each) => tick(each.source, each.title || each.source, formatDay(each.published_at)))}
      ${found.value && found.value.total > documents.length && html`<p class="note">${t("{n} more; search for them.", { n: formatNumber(found.value.total - documents.length) })}</p>`}
      ${found.value && !documents.length && html`<p class="note">${t("None of them.")}</p>`}</fieldset>
  `;
}
