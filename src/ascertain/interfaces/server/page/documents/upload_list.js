// The files on their way: what each has come to, and what can be done about it.
import { classes, html } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { count, formatSize, t } from "../parts/words.js";
import { cancelUpload, clearEnded, isUnderWay, replaceFile, retryUpload } from "./uploads.js";

const STATES = /** @type {Record<string, () => string>} */ ({
  waiting: () => t("waiting"),
  sending: () => t("sending"),
  queued: () => t("waiting to be read"),
  running: () => t("being read"),
  finished: () => t("added"),
  failed: () => t("failed"),
  cancelled: () => t("stopped"),
});
const TONES = /** @type {Record<string, string>} */ ({ finished: "good", failed: "bad", cancelled: "warn" });

/** @param {{ uploads: import("./uploads.js").Upload[] }} props */
export function UploadList({ uploads }) {
  if (!uploads.length) return null;
  const left = uploads.filter(isUnderWay).length;
  return html`<section class="uploads" aria-label=${t("Files on their way")}>
    <header class="row"><p role="status">${left ? count(left, "1 file on its way", "{n} files on their way") : count(uploads.length, "1 file is done", "{n} files are done")}</p>
      ${left < uploads.length && html`<button type="button" class="quiet" onClick=${clearEnded}>${t("Clear")}</button>`}</header>
    <ul>${uploads.map((upload) => html`<li key=${upload.id}><${UploadRow} upload=${upload} /></li>`)}</ul>
  </section>`;
}

/** @param {{ upload: import("./uploads.js").Upload }} props */
function UploadRow({ upload }) {
  const isMoving = upload.state === "sending" || upload.state === "running";
  return html`<div class="upload">
    <span class="name" dir="auto" title=${upload.name}>${upload.name}</span>
    <span class="facts">${[formatSize(upload.size), cameOf(upload.report)].filter(Boolean).join(" · ")}</span>
    <span class=${classes("badge", TONES[describeState(upload)])}>${upload.report?.duplicates && upload.state === "finished" ? t("known already") : STATES[upload.state]()}</span>
    ${upload.state === "failed" && !upload.isTaken && html`<${IconButton} icon="again" label=${t("Try {name} again", { name: upload.name })} onClick=${() => retryUpload(upload)} />`}
    ${upload.isTaken && html`<button type="button" class="quiet" onClick=${() => replaceFile(upload)}>${t("Replace it")}</button>`}
    ${isUnderWay(upload) && html`<${IconButton} icon="close" label=${t("Stop adding {name}", { name: upload.name })} onClick=${() => cancelUpload(upload)} />`}
    ${isMoving && html`<progress max="1" value=${upload.share} aria-label=${t("Progress of {name}", { name: upload.name })}></progress>`}
    ${upload.reason && html`<p class="reason" dir="auto">${upload.reason}</p>`}
    ${describeGaps(upload.report).map((gap) => html`<p class="reason" dir="auto">${gap}</p>`)}
  </div>`;
}

/** @param {import("./uploads.js").Upload} upload */
const describeState = ({ state, report }) => (state === "finished" && report?.duplicates ? "cancelled" : state);

/** @param {any} report */
function cameOf(report) {
  if (!report) return "";
  const parts = [
    report.added > 1 && t("{n} documents", { n: report.added }),
    report.chunks > 0 && count(report.chunks, "1 passage", "{n} passages"),
    report.unchanged > 0 && t("unchanged"),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** What of a file was not read. @param {any} report @returns {string[]} */
const describeGaps = (report) =>
  (report?.completeness ?? [])
    .filter((/** @type {any} */ { completeness }) => completeness.left_out.length || completeness.notes.length)
    .map((/** @type {any} */ { completeness }) => t("Read: {label}", { label: completeness.label }));
