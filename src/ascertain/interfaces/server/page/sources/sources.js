// Places that are read again and again: how each is, when it is read next, and what can be done with it.
import { classes, html, useEffect, useState } from "../parts/html.js";
import { follow, linkTo } from "../parts/address.js";
import { Confirmation } from "../parts/dialog.js";
import { Icon, IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { count, formatAgo, formatUntil, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";
import { NewSource } from "./new_source.js";
import { KINDS } from "./kinds.js";

const LOOK_MS = 1500;
const IDLE_MS = 15_000;
const STATES = /** @type {Record<string, [() => string, string]>} */ ({
  new: [() => t("not read yet"), ""],
  reading: [() => t("being read"), ""],
  read: [() => t("up to date"), "good"],
  failed: [() => t("failed"), "bad"],
  interrupted: [() => t("interrupted"), "warn"],
});

/** @param {{ session: any }} props */
export function View({ session }) {
  const found = useResource("v1/sources");
  const waiting = useWaiting(found.reload);
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState(/** @type {any} */ (null));
  const sources = found.value?.sources ?? [];
  const isBusy = waiting.names.length > 0 || sources.some((/** @type {any} */ { state, next_at: next }) => state === "reading" || (state === "new" && next));
  useEffect(() => {
    const timer = setInterval(found.reload, isBusy ? LOOK_MS : IDLE_MS);
    return () => clearInterval(timer);
  }, [isBusy, found.reload]);
  const sync = async (/** @type {string} */ name) => {
    const { job } = await call("POST", `v1/sources/${segment(name)}/sync`);
    waiting.add(name, job.id);
  };
  const added = (/** @type {any} */ source) => {
    setAdding(false);
    showToast(t("{name} was added and is being read.", { name: source.name }));
    found.reload();
  };
  return html`<div class="view">
    <h1>${t("Sources")}</h1>
    <p class="lead">${t("Places that are read regularly: new items are added, changed ones replaced, missing ones deleted.")}</p>
    ${session?.is_admin && (isAdding
      ? html`<${NewSource} onAdded=${added} onClose=${() => setAdding(false)} />`
      : html`<p class="row head-row"><button type="button" class="primary" onClick=${() => setAdding(true)}><${Icon} name="plus" /> ${t("Add a source")}</button></p>`)}
    ${found.problem && html`<${Trouble} problem=${found.problem} onAgain=${found.reload} />`}
    ${found.isLoading && !found.value && html`<${Loading} />`}
    ${found.value && !sources.length && !isAdding && html`<div class="state calm"><p class="state-title">${t("There are no sources yet")}</p>
      <p>${session?.is_admin ? t("Add a web site, a feed, a repository or a mailbox, and it stays up to date by itself. Single files and pages are added under Documents.") : t("An administrator can add web sites, feeds, repositories and mailboxes, which then stay up to date by themselves.")}</p></div>`}
    <ul class="rows" aria-label=${t("Sources")}>${sources.map((/** @type {any} */ source) => html`<li key=${source.name}><${SourceRow} source=${source} isWaiting=${waiting.names.includes(source.name)}
      onSync=${session?.role === "read" ? null : () => sync(source.name).catch((problem) => showToast(problem.message || t("The service does not answer")))} onRemove=${session?.is_admin ? () => setRemoved(source) : null} /></li>`)}</ul>
    ${removed && html`<${Removal} source=${removed} onDone=${found.reload} onClose=${() => setRemoved(null)} />`}
  </div>`;
}

/** Sources whose reading was asked for here and has not ended, so that a button that was pressed says so until it has.
 * @param {() => void} onEnded */
function useWaiting(onEnded) {
  const [jobs, setJobs] = useState(/** @type {Record<string, string>} */ ({}));
  useEffect(() => {
    if (!Object.keys(jobs).length) return undefined;
    const timer = setInterval(async () => {
      for (const [name, id] of Object.entries(jobs)) {
        const job = await call("GET", `v1/jobs/${segment(id)}`).catch((problem) => (problem.status === 404 ? { state: "finished" } : null));
        if (!job || job.state === "queued" || job.state === "running") continue;
        setJobs((now) => Object.fromEntries(Object.entries(now).filter(([each]) => each !== name)));
        onEnded();
      }
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [jobs]);
  return { names: Object.keys(jobs), add: (/** @type {string} */ name, /** @type {string} */ id) => setJobs((now) => ({ ...now, [name]: id })) };
}

/** @param {{ source: any, isWaiting: boolean, onSync: null | (() => void), onRemove: null | (() => void) }} props */
function SourceRow({ source, isWaiting, onSync, onRemove }) {
  const isReading = isWaiting || source.state === "reading";
  const [words, tone] = STATES[isReading ? "reading" : source.state] ?? [() => source.state, ""];
  const { outcome } = source;
  const came = [
    outcome.added > 0 && count(outcome.added, "1 added", "{n} added"),
    outcome.changed > 0 && count(outcome.changed, "1 changed", "{n} changed"),
    outcome.deleted > 0 && count(outcome.deleted, "1 deleted", "{n} deleted"),
    outcome.unchanged > 0 && count(outcome.unchanged, "1 unchanged", "{n} unchanged"),
    outcome.failed > 0 && count(outcome.failed, "1 failed", "{n} failed"),
  ].filter(Boolean);
  return html`<article class="watched" aria-label=${source.name}>
    <header><h2>${source.name} <span class=${classes("badge", tone)}>${words()}</span></h2>
      ${onSync && html`<button type="button" disabled=${isReading} aria-label=${`${t("Read now")}: ${source.name}`} onClick=${onSync}>${isReading ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="again" />`} ${t("Read now")}</button>`}
      ${onRemove && html`<${IconButton} icon="trash" label=${t("Remove {name}", { name: source.name })} onClick=${onRemove} />`}</header>
    <p class="facts"><span>${KINDS[source.kind]?.name() ?? source.kind}</span><span dir="auto">${source.address}</span>${source.tags.map((/** @type {string} */ tag) => html`<span dir="auto">${tag}</span>`)}</p>
    <dl class="times"><div><dt>${t("Last read")}</dt><dd>${source.read_at ? formatAgo(source.read_at) : t("never")}</dd></div>
      <div><dt>${t("Next")}</dt><dd>${isReading ? t("now") : source.next_at ? formatUntil(source.next_at) : t("only when asked")}</dd></div>
      ${source.read_at && html`<div><dt>${t("Last time")}</dt><dd>${came.length ? came.join(", ") : t("nothing new")}</dd></div>`}</dl>
    ${source.reason && html`<p class="warning" dir="auto">${source.reason}</p>`}
    ${outcome.notes.map((/** @type {string} */ note) => html`<p class="note" dir="auto">${note}</p>`)}
    ${outcome.failures.length > 0 && html`<details class="more"><summary>${t("What could not be read")}</summary><ul>${outcome.failures.map((/** @type {any} */ failure) => html`<li class="reason" dir="auto">${failure.source}: ${failure.reason}</li>`)}</ul></details>`}
    ${source.tags.length > 0 && source.read_at && html`<p class="note"><a href=${linkTo({ view: "documents", tag: source.tags[0] })} onClick=${follow({ view: "documents", tag: source.tags[0] })}>${t("Documents with the tag {tag}", { tag: source.tags[0] })}</a></p>`}
  </article>`;
}

/** @param {{ source: any, onDone: () => void, onClose: () => void }} props */
function Removal({ source, onDone, onClose }) {
  const [keeps, setKeeps] = useState(false);
  const remove = async () => {
    try {
      const { deleted } = await call("DELETE", `v1/sources/${segment(source.name)}`, { query: { keep_documents: keeps } });
      showToast(deleted ? count(deleted, "Removed, with 1 document.", "Removed, with {n} documents.") : t("{name} is no longer read.", { name: source.name }));
    } catch (problem) {
      showToast(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
    onDone();
  };
  return html`<${Confirmation} title=${t("Remove this source?")} words=${keeps ? t("It is no longer read; its documents stay as they are.") : t("It is no longer read, and the documents that came from it are deleted here. The source itself is not changed.")} action=${t("Remove")} onConfirm=${remove} onClose=${onClose}>
    <p dir="auto"><b>${source.name}</b> ${source.address}</p>
    <label class="tick"><input type="checkbox" checked=${keeps} onChange=${(/** @type {any} */ event) => setKeeps(event.target.checked)} /> <span>${t("Leave its documents here")}</span></label>
  </${Confirmation}>`;
}
