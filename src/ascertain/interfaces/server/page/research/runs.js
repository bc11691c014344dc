// The runs on record: opened again, deleted, compared two at a time.
import { classes, html, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { Confirmation } from "../parts/dialog.js";
import { IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { showToast } from "../parts/toast.js";
import { count, formatDay, formatNumber, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";
import { VERDICTS } from "./run.js";

/** @param {{ runs: any[] | null, modes: Record<string, () => string>, current: string, onChange: () => void }} props */
export function Runs({ runs, modes, current, onChange }) {
  const [deleted, setDeleted] = useState(/** @type {any} */ (null));
  if (!runs) return null;
  if (!runs.length) return html`<p class="note">${t("Nothing was researched yet.")}</p>`;
  const remove = async () => {
    await call("DELETE", `v1/research/${segment(deleted.id)}`).catch((problem) => showToast(problem.message));
    if (deleted.id === current) go({ run: null }, { replace: true });
    onChange();
  };
  return html`<section><h2 class="small">${t("Runs")}</h2>
    <ul class="rows" aria-label=${t("Runs")}>${runs.map((run) => html`<li key=${run.id}><div class=${classes("document", run.id === current && "open")}>
      <button type="button" class="name" dir="auto" onClick=${() => go({ run: run.id })}>${run.subject}</button>
      <span class="facts">${[modes[run.mode]?.() ?? run.mode, count(run.steps, "1 step", "{n} steps"), formatDay(run.started_at), run.claims > 0 && t("{sound} of {n} claims supported", { sound: formatNumber(run.supported), n: formatNumber(run.claims) })].filter(Boolean).map((fact) => html`<span>${fact}</span>`)}</span>
      <span class=${classes("badge", run.state === "finished" && "good")}>${run.state === "finished" ? t("finished") : t("unfinished")}</span>
      <${IconButton} icon="trash" class="on-hover" label=${t("Delete {title}", { title: run.subject })} onClick=${() => setDeleted(run)} /></div></li>`)}</ul>
    ${runs.length > 1 && html`<${Comparison} runs=${runs} />`}
    ${deleted && html`<${Confirmation} title=${t("Delete this run?")} words=${t("What was fetched for it is deleted too.")} action=${t("Delete")} onConfirm=${remove} onClose=${() => setDeleted(null)}><p dir="auto">${deleted.subject}</p></${Confirmation}>`}
  </section>`;
}

/** @param {{ runs: any[] }} props */
function Comparison({ runs }) {
  const [one, setOne] = useState(runs[0].id);
  const [other, setOther] = useState(runs[1].id);
  const [isWanted, setWanted] = useState(false);
  const found = useResource(isWanted && one !== other ? `v1/research/${segment(one)}/comparison/${segment(other)}` : null);
  const select = (/** @type {string} */ label, /** @type {string} */ value, /** @type {(id: string) => void} */ onChange) => html`<label>${label} <select value=${value} onChange=${(/** @type {any} */ event) => onChange(event.target.value)}>${runs.map((run) => html`<option value=${run.id}>${run.subject.slice(0, 60)} (${formatDay(run.started_at)}, ${run.id.slice(0, 4)})</option>`)}</select></label>`;
  return html`<details class="more" onToggle=${(/** @type {any} */ event) => setWanted(event.target.open)}><summary>${t("Compare two")}</summary>
    <div class="row asking">${select(t("One run"), one, setOne)} ${select(t("Another"), other, setOther)}</div>
    ${found.value && groupsOf(found.value).map(([title, lines]) => html`<h3 class="small">${title}</h3><ul class="text">${lines.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`)}</details>`;
}

/** What two runs have in common, and what only one has. @param {any} found @returns {[string, string[]][]} */
function groupsOf(found) {
  const changed = found.changed.map((/** @type {any} */ each) => t("{claim} {one}; in the other {other}", { claim: each.claim, one: VERDICTS[each.one][0](), other: VERDICTS[each.other][0]() }));
  const groups = /** @type {[string, string[]][]} */ ([
    [t("Judged otherwise"), changed],
    [t("Found by both"), found.findings_of_both],
    [t("Found only by the first"), found.findings_of_one],
    [t("Found only by the second"), found.findings_of_other],
    [t("Sources only of the first"), found.sources_of_one],
    [t("Sources only of the second"), found.sources_of_other],
  ]).filter(([, lines]) => lines.length);
  return groups.length ? groups : [[t("Both found nothing"), [t("There is no finding to compare.")]]];
}
