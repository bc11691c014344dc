// Work in the background that was not begun in this visit: addresses, files of somebody else or of before a reload.
import { classes, html, useEffect, useRef } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { showToast } from "../parts/toast.js";
import { count, formatAgo, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

const SHOWN = 5;
const LOOK_MS = 1500;
const IDLE_MS = 10_000;
const STATES = /** @type {Record<string, [() => string, string]>} */ ({
  queued: [() => t("waiting"), ""],
  running: [() => t("being read"), ""],
  finished: [() => t("added"), "good"],
  failed: [() => t("failed"), "bad"],
  cancelled: [() => t("stopped"), "warn"],
});

/** @param {{ uploads: { jobId: string }[], onEnded: () => void }} props */
export function Jobs({ uploads, onEnded }) {
  const jobs = useResource("v1/jobs", { limit: 20 });
  const own = new Set(uploads.map(({ jobId }) => jobId));
  const others = (jobs.value?.jobs ?? []).filter((/** @type {any} */ { id }) => !own.has(id)).slice(0, SHOWN);
  const running = others.filter((/** @type {any} */ { state }) => state === "queued" || state === "running").length;
  const before = useRef(0);
  useEffect(() => {
    if (running < before.current) onEnded();
    before.current = running;
    const timer = setInterval(jobs.reload, running ? LOOK_MS : IDLE_MS);
    return () => clearInterval(timer);
  }, [running, jobs.reload]);
  if (!others.length) return null;
  const act = async (/** @type {string} */ method, /** @type {string} */ path) => {
    await call(method, path).catch((problem) => showToast(problem.message));
    jobs.reload();
  };
  return html`<details class="more" open=${running > 0}><summary>${t("Added before")}</summary><ul class="jobs">${others.map((/** @type {any} */ job) => {
    const [words, tone] = STATES[job.state] ?? [() => job.state, ""];
    return html`<li class="upload" key=${job.id}>
      <span class="name" dir="auto">${job.what}</span>
      <span class="facts">${[cameOf(job.report), formatAgo(job.updated_at)].filter(Boolean).join(" · ")}</span>
      <span class=${classes("badge", tone)}>${words()}</span>
      ${job.state === "failed" && html`<${IconButton} icon="again" label=${t("Try {name} again", { name: job.what })} onClick=${() => act("POST", `v1/jobs/${segment(job.id)}/retry`)} />`}
      ${(job.state === "queued" || job.state === "running") && html`<${IconButton} icon="close" label=${t("Stop adding {name}", { name: job.what })} onClick=${() => act("DELETE", `v1/jobs/${segment(job.id)}`)} />`}
      ${job.state === "running" && html`<progress max=${job.total || 1} value=${job.done} aria-label=${t("Progress of {name}", { name: job.what })}></progress>`}
      ${listReasons(job).map((line) => html`<p class="reason" dir="auto">${line}</p>`)}</li>`;
  })}</ul></details>`;
}

/** @param {any} report */
const cameOf = (report) => [report?.added > 0 && count(report.added, "1 document", "{n} documents"), report?.duplicates > 0 && t("{n} known already", { n: report.duplicates })].filter(Boolean).join(", ");

/** @param {any} job @returns {string[]} */
const listReasons = ({ reason, report }) => [...(reason ? [reason] : []), ...(report?.failures ?? []).slice(0, 3).map((/** @type {any} */ failure) => `${failure.source}: ${failure.reason}`)];
