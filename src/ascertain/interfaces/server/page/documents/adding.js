// Adding documents: files and folders, or web addresses.
import { html, useRef, useState } from "../parts/html.js";
import { follow, linkTo } from "../parts/address.js";
import { Icon } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { t } from "../parts/words.js";
import { call } from "../service/client.js";
import { Jobs } from "./jobs.js";
import { PROFILES } from "./profiles.js";
import { UploadList } from "./upload_list.js";
import { addFiles, readInput, useUploads } from "./uploads.js";


/** @param {{ onEnded: () => void }} props */
export function Adding({ onEnded }) {
  const [isWeb, setWeb] = useState(false);
  const [profile, setProfile] = useState("");
  const [tags, setTags] = useState("");
  const uploads = useUploads(onEnded);
  const options = { profile, tags: tags.split(",").map((tag) => tag.trim()).filter(Boolean) };
  return html`<section class="adding" aria-label=${t("Add documents")}>
    <div class="segments" role="group" aria-label=${t("Add")}><button type="button" aria-pressed=${String(!isWeb)} onClick=${() => setWeb(false)}>${t("Files")}</button>
      <button type="button" aria-pressed=${String(isWeb)} onClick=${() => setWeb(true)}>${t("Web addresses")}</button></div>
    ${isWeb ? html`<${Addresses} options=${options} />` : html`<${Files} options=${options} />`}
    <details class="more"><summary>${t("More about them")}</summary><div class="row">
      <label>${t("What they are")} <select value=${profile} onChange=${(/** @type {any} */ event) => setProfile(event.target.value)}>${Object.entries(PROFILES).map(([name, words]) => html`<option value=${name}>${words()}</option>`)}</select></label>
      <label>${t("Tags, separated by commas")} <input type="text" value=${tags} onInput=${(/** @type {any} */ event) => setTags(event.target.value)} /></label>
    </div></details>
    <${UploadList} uploads=${uploads} />
    <${Jobs} uploads=${uploads} onEnded=${onEnded} />
  </section>`;
}

/** @param {{ options: { profile: string, tags: string[] } }} props */
function Files({ options }) {
  const formats = useResource("v1/documents/formats");
  const [files, folder] = [useRef(/** @type {HTMLInputElement | null} */ (null)), useRef(/** @type {HTMLInputElement | null} */ (null))];
  const suffixes = formats.value?.suffixes ?? [];
  const add = (/** @type {any} */ event) => {
    addFiles(readInput(event.target.files), options);
    event.target.value = "";
  };
  return html`<div class="drop-place">
    <button type="button" class="primary" onClick=${() => files.current?.click()}><${Icon} name="upload" /> ${t("Choose files")}</button>
    <button type="button" onClick=${() => folder.current?.click()}>${t("Choose a folder")}</button>
    <span class="note">${t("or drop them anywhere on this page")}</span>
    <input ref=${files} type="file" multiple hidden accept=${suffixes.map((/** @type {string} */ suffix) => `.${suffix}`).join(",")} onChange=${add} data-testid="files" />
    <input ref=${folder} type="file" webkitdirectory hidden onChange=${add} />
    <p class="note">${t("PDF, Word, slides, sheets, HTML, Markdown, e-mail, subtitles, code and more.")}</p>
  </div>`;
}

/** @param {{ options: { profile: string, tags: string[] } }} props */
function Addresses({ options }) {
  const [written, setWritten] = useState("");
  const [failure, setFailure] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFailure("");
    try {
      await call("POST", "v1/documents/addresses", { json: { addresses: written.split(/\s+/).filter(Boolean), tags: options.tags, ...(options.profile ? { profile: options.profile } : {}) } });
      setWritten("");
    } catch (problem) {
      setFailure(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
  };
  return html`<form onSubmit=${send}>
    <label>${t("Pages, feeds and arXiv ids, one per line")}
      <textarea rows="3" placeholder=${"https://example.org/article\nhttps://example.org/feed.xml\narxiv:1706.03762"} value=${written} onInput=${(/** @type {any} */ event) => setWritten(event.target.value)}></textarea></label>
    ${failure && html`<p class="warning" role="alert">${failure}</p>`}
    <button type="submit" class="primary" disabled=${!written.trim()}>${t("Fetch and add")}</button>
    <p class="note">${t("They are read once. To read something regularly, add a source:")} <a href=${linkTo({ view: "sources" })} onClick=${follow({ view: "sources" })}>${t("Sources")}</a></p>
  </form>`;
}
