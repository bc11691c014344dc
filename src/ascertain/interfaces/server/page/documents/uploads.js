// Files on their way into the knowledge base: each is sent by itself, so that each has its own progress, result and second try.
import { useEffect, useState } from "../parts/html.js";
import { t } from "../parts/words.js";
import { Problem, call, get, newId, segment } from "../service/client.js";

/** @typedef {{ id: string, name: string, size: number, file: File | null, options: { profile: string, tags: string[] }, state: "waiting" | "sending" | "queued" | "running" | "finished" | "failed" | "cancelled",
 *   share: number, isTaken: boolean, replaces: boolean, jobId: string, reason: string, report: any, request: XMLHttpRequest | null }} Upload */

const AT_ONCE = 3;
const LOOK_MS = 800;
/** Work of others that may have begun since. */
const OTHER_JOBS = 50;
/** Windows and Macs leave these in folders. */
const JUNK = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|~\$[^/]*|\.[^/]*)$/;

/** @type {Upload[]} */
let uploads = [];
/** @type {Set<(uploads: Upload[]) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const ended = new Set();
let timer = 0;

/** @param {Upload} upload @param {Partial<Upload>} changes */
function change(upload, changes) {
  uploads = uploads.map((each) => (each.id === upload.id ? { ...each, ...changes } : each));
  listeners.forEach((listener) => listener(uploads));
}

// what has not been sent yet would be lost with the page
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ state }) => state === "waiting" || state === "sending")) event.preventDefault();
});

/** The files of this visit. @param {() => void} [onEnded] called when one of them has been read */
export function useUploads(onEnded) {
  const [shown, setShown] = useState(uploads);
  useEffect(() => {
    listeners.add(setShown);
    if (onEnded) ended.add(onEnded);
    return () => {
      listeners.delete(setShown);
      if (onEnded) ended.delete(onEnded);
    };
  }, [onEnded]);
  return shown;
}

/** @param {{ file: File, name: string }[]} files @param {{ profile: string, tags: string[] }} [options] */
export function addFiles(files, options = { profile: "", tags: [] }) {
  const added = files
    .filter(({ name }) => !JUNK.test(name))
    .map(({ file, name }) => /** @type {Upload} */ ({ id: newId(), name, size: file.size, file, options, state: "waiting", share: 0, isTaken: false, replaces: false, jobId: "", reason: "", report: null, request: null }));
  uploads = [...added, ...uploads];
  listeners.forEach((listener) => listener(uploads));
  sendNext();
}

export function clearEnded() {
  uploads = uploads.filter(isUnderWay);
  listeners.forEach((listener) => listener(uploads));
}

/** @param {Upload} upload */
export const isUnderWay = ({ state }) => state === "waiting" || state === "sending" || state === "queued" || state === "running";

/** Once more, where it failed: the file is still here or, if it was handed over, still there. @param {Upload} upload */
export async function retryUpload(upload) {
  if (!upload.jobId) {
    change(upload, { state: "waiting", share: 0, reason: "" });
    sendNext();
    return;
  }
  try {
    const { job } = await call("POST", `v1/jobs/${segment(upload.jobId)}/retry`);
    change(upload, { state: job.state, reason: "", report: null });
    watch();
  } catch {
    // the service has let the file go
    change(upload, { state: "waiting", share: 0, jobId: "", reason: "" });
    sendNext();
  }
}

/** Put it in the place of a file of the same name that somebody else added. @param {Upload} upload */
export function replaceFile(upload) {
  change(upload, { state: "waiting", share: 0, reason: "", isTaken: false, replaces: true });
  sendNext();
}

/** @param {Upload} upload */
export async function cancelUpload(upload) {
  upload.request?.abort();
  change(upload, { state: "cancelled", request: null });
  if (upload.jobId) await call("DELETE", `v1/jobs/${segment(upload.jobId)}`).catch(() => {});
  sendNext();
}

function sendNext() {
  const free = AT_ONCE - uploads.filter(({ state }) => state === "sending").length;
  uploads
    .filter(({ state }) => state === "waiting")
    .reverse()
    .slice(0, Math.max(0, free))
    .forEach(sendFile);
}

/** @param {Upload} upload */
function sendFile(upload) {
  const form = new FormData();
  form.append("files", /** @type {File} */ (upload.file), upload.name);
  if (upload.replaces) form.append("replace", "true");
  if (upload.options.profile) form.append("profile", upload.options.profile);
  upload.options.tags.forEach((tag) => form.append("tags", tag));
  // fetch says nothing of what has been sent so far
  const request = new XMLHttpRequest();
  request.open("POST", "v1/documents");
  request.responseType = "json";
  request.upload.onprogress = ({ loaded, total }) => change(upload, { share: total ? loaded / total : 0 });
  request.onload = () => {
    if (request.status === 202) {
      change(upload, { state: "queued", share: 0, jobId: request.response.job.id, request: null });
      watch();
    } else {
      change(upload, { state: "failed", isTaken: request.status === 409, reason: request.response?.detail ?? `${request.status}`, request: null });
    }
    sendNext();
  };
  request.onerror = () => {
    change(upload, { state: "failed", reason: t("The service does not answer"), request: null });
    sendNext();
  };
  change(upload, { state: "sending", request });
  request.send(form);
}

/** Look at the jobs of the files until each has ended. */
function watch() {
  clearTimeout(timer);
  timer = setTimeout(look, LOOK_MS);
}

async function look() {
  const waiting = uploads.filter(({ jobId, state }) => jobId && (state === "queued" || state === "running"));
  if (!waiting.length) return;
  try {
    const { jobs } = await get("v1/jobs", { limit: Math.min(1000, waiting.length + OTHER_JOBS) });
    const byId = new Map(jobs.map((/** @type {any} */ job) => [job.id, job]));
    for (const upload of waiting) {
      const job = byId.get(upload.jobId);
      if (job) takeJob(upload, job);
    }
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return;
    // away for a moment: the jobs go on without being looked at
  }
  watch();
}

/** @param {Upload} upload @param {any} job */
function takeJob(upload, job) {
  const share = job.total ? job.done / job.total : 0;
  const failures = job.report?.failures ?? [];
  const isUnread = job.state === "finished" && failures.length > 0 && !job.report.added && !job.report.changed && !job.report.unchanged;
  const reason = job.reason || failures.map((/** @type {any} */ failure) => failure.reason).join("; ");
  change(upload, { state: isUnread ? "failed" : job.state, share, reason, report: job.report });
  if (job.state !== "queued" && job.state !== "running") ended.forEach((listener) => listener());
}

/** The files of something that was dropped, with those in its folders. @param {DataTransfer} dropped */
export async function readDrop(dropped) {
  const entries = Array.from(dropped.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return Array.from(dropped.files, (file) => ({ file, name: file.name }));
  const found = await Promise.all(entries.map((entry) => readEntry(/** @type {FileSystemEntry} */ (entry), "")));
  return found.flat();
}

/** @param {FileSystemEntry} entry @param {string} folder @returns {Promise<{ file: File, name: string }[]>} */
async function readEntry(entry, folder) {
  const name = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
    return [{ file, name }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  // a reader gives a hundred at a time, and none once it is through
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) break;
    found.push(...(await Promise.all(entries.map((/** @type {FileSystemEntry} */ each) => readEntry(each, `${name}/`)))));
  }
  return found.flat();
}

/** @param {FileList} files of an input; those of a folder with their place in it */
export const readInput = (files) => Array.from(files, (file) => ({ file, name: file.webkitRelativePath || file.name }));
