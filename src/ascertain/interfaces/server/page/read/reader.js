// A document beside the answer: its outline, its text or its printed pages, with the cited words marked.
import { classes, html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../parts/html.js";
import { Icon, IconButton } from "../parts/icons.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { formatDay, formatTime, t } from "../parts/words.js";
import { KIND } from "../ask/filters.js";
import { originOf, safeLink } from "../ask/layout.js";
import { segment, send } from "../service/client.js";
import { Blocks } from "./blocks.js";
import { Find } from "./find.js";
import { Outline } from "./outline.js";
import { Printed } from "./printed.js";
import { pageAt, readTree } from "./tree.js";

/** @param {{ id: string, at: string, citation: any, citations: any[], onCitation: (citation: any) => void, onClose: () => void, onAsk: (document: { id: string, title: string }) => void }} props */
export function View({ id, at, citation, citations, onCitation, onClose, onAsk }) {
  const path = `v1/documents/${segment(id)}`;
  const record = useResource(path);
  const given = useResource(`${path}/tree`);
  const tree = useMemo(() => (given.value?.id === id ? readTree(given.value) : null), [given.value, id]);
  const span = readSpan(at);
  const mark = useMemo(() => (tree && span ? makeMark(tree, span, citation) : null), [tree, at, citation]);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  const title = record.value?.title || citation?.title || "";
  const isGone = given.problem?.status === 404;
  return html`<section class="reader" aria-label=${t("Document")} onKeyDown=${(/** @type {KeyboardEvent} */ event) => stepCitation(event, citations, citation, onCitation)}>
    <header>
      <div class="row"><h2 ref=${heading} tabindex="-1" dir="auto">${title}</h2><${IconButton} icon="close" label=${t("Close the document")} onClick=${onClose} /></div>
      <${Facts} record=${record.value?.id === id ? record.value : null} citation=${citation} />
      ${citations.length > 1 && citation && html`<${Citations} citations=${citations} citation=${citation} onCitation=${onCitation} />`}
    </header>
    ${isGone && html`<div class="state"><p class="state-title">${t("The document has been deleted since")}</p>${citation && html`<blockquote>“${citation.quote}”</blockquote>`}</div>`}
    ${given.problem && !isGone && html`<${Trouble} problem=${given.problem} onAgain=${given.reload} />`}
    ${given.isLoading && !tree && html`<${Loading} />`}
    ${tree && html`<${Open} key=${id} id=${id} tree=${tree} mark=${mark} span=${span} record=${record.value} onAsk=${() => onAsk({ id, title })} />`}
  </section>`;
}

/** The document itself, and what can be done with it. @param {any} props */
function Open({ id, tree, mark, span, record, onAsk }) {
  const pages = useMemo(() => tree.pages.map((/** @type {any} */ page) => page.place.page), [tree]);
  const [isPrinted, setPrinted] = useState(pages.length > 0);
  const [whyNot, setWhyNot] = useState("");
  const [page, setPage] = useState(mark ? pageAt(tree, mark.start) : pages[0]);
  const [isOutline, setOutline] = useState(false);
  const [isFinding, setFinding] = useState(false);
  const text = useRef(/** @type {HTMLElement | null} */ (null));
  const hasPrint = pages.length > 0 && !whyNot;
  useEffect(() => {
    if (mark) setPage(pageAt(tree, mark.start));
  }, [mark]);
  useLayoutEffect(() => {
    if (!isPrinted) text.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [mark, isPrinted]);
  const goTo = (/** @type {import("./tree.js").Node} */ node) => {
    if (matchMedia("(max-width: 60rem)").matches) setOutline(false);
    if (isPrinted) setPage(pageAt(tree, node.start));
    else document.getElementById(`b${nearest(tree, node.start)}`)?.scrollIntoView({ block: "start" });
  };
  const missing = (/** @type {string} */ why) => {
    setWhyNot(why);
    setPrinted(false);
  };
  return html`
    <div class="row tools">
      ${hasPrint &&
      html`<div class="segments" role="group" aria-label=${t("Show")}><button type="button" aria-pressed=${String(isPrinted)} onClick=${() => setPrinted(true)}>${t("As printed")}</button>
        <button type="button" aria-pressed=${String(!isPrinted)} onClick=${() => setPrinted(false)}>${t("Text")}</button></div>`}
      <${IconButton} icon="outline" label=${t("Outline")} aria-pressed=${String(isOutline)} onClick=${() => setOutline(!isOutline)} />
      <${IconButton} icon="search" label=${t("Find in this document")} aria-pressed=${String(isFinding)} onClick=${() => { setPrinted(false); setFinding(!isFinding); }} />
      <${IconButton} icon="download" label=${t("Save the original file")} onClick=${() => download(id)} />
      <span class="space"></span>
      <button type="button" onClick=${onAsk}><${Icon} name="chat" /> ${t("Ask about this document")}</button>
    </div>
    ${isFinding && html`<${Find} frame=${text} onClose=${() => setFinding(false)} />`}
    <div class=${classes("opened", isOutline && "outlined")}>
      ${isOutline && html`<${Outline} tree=${tree} onGo=${goTo} />`}
      ${isPrinted
        ? html`<${Printed} id=${id} pages=${pages} page=${page} span=${span} onPage=${setPage} onMissing=${missing} />`
        : html`<div class="text-frame" ref=${text} tabindex="0" role="region" aria-label=${t("Text of the document")}>
            ${record?.completeness?.left_out.length > 0 && html`<p class="note gaps">${t("Read: {label}", { label: record.completeness.label })}</p>`}
            <${Blocks} id=${id} title=${record?.title ?? ""} tree=${tree} mark=${mark} /></div>`}
    </div>
  `;
}

/** @param {any} props */
function Facts({ record, citation }) {
  if (!record && !citation) return null;
  const { url, author, published_at: published, kind } = record ?? citation;
  const place = citation?.place;
  const time = place?.start_time === null || place?.start_time === undefined ? "" : [place.start_time, place.end_time].filter((each) => each !== null).map(formatTime).join("–");
  const facts = [kind && KIND[kind]?.(), author, formatDay(published), originOf(record ?? citation)].filter(Boolean);
  const link = safeLink(url);
  return html`<p class="facts">${facts.map((fact) => html`<span dir="auto">${fact}</span>`)}${link && html`<a href=${link} target="_blank" rel="noopener noreferrer nofollow">${t("Original")}<span class="hidden"> ${t("(in a new tab)")}</span></a>`}</p>
    ${place?.label && html`<p class="cited-place"><span class="number" aria-hidden="true">${citation.n}</span> <span dir="auto">${place.speaker ? html`<b>${place.speaker}</b> <span class="clock">${time}</span>` : place.label}</span></p>`}
    ${citation?.figure && html`<p class="note">${t("The quoted words describe a figure; {model} wrote them.", citation.figure)}</p>`}
    ${citation?.warning && html`<p class="warning" role="note">${citation.warning}</p>`}`;
}

/** The sources of the answer, a step away. @param {any} props */
function Citations({ citations, citation, onCitation }) {
  return html`<div class="cited" role="group" aria-label=${t("Sources of this answer")}>
    ${citations.map((/** @type {any} */ each) => html`<button type="button" class=${classes("chip", each.n === citation.n && "open")} aria-pressed=${String(each.n === citation.n)} title=${each.title} aria-label=${t("Source {n}: {label}", { n: each.n, label: each.title })} onClick=${() => onCitation(each)}>${each.n}</button>`)}
  </div>`;
}

/** Alt with an arrow goes to the source before or behind. @param {KeyboardEvent} event @param {any[]} citations @param {any} citation @param {(citation: any) => void} onCitation */
function stepCitation(event, citations, citation, onCitation) {
  if (!event.altKey || !citation || (event.key !== "ArrowRight" && event.key !== "ArrowLeft")) return;
  event.preventDefault();
  const at = citations.findIndex(({ n }) => n === citation.n) + (event.key === "ArrowRight" ? 1 : -1);
  if (citations[at]) onCitation(citations[at]);
}

/** @param {string} at `start-end` in code points @returns {[number, number] | null} */
function readSpan(at) {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(at) ?? [];
  return start && Number(start) < Number(end) ? [Number(start), Number(end)] : null;
}

/** @param {import("./tree.js").Tree} tree @param {[number, number]} span @param {any} citation @returns {import("./blocks.js").Mark} */
function makeMark(tree, span, citation) {
  const isOfCitation = citation && citation.span[0] === span[0] && citation.span[1] === span[1];
  const answer = isOfCitation && citation.answer;
  return { start: tree.toUnits(span[0]), end: tree.toUnits(span[1]), answer: answer ? [tree.toUnits(answer[0]), tree.toUnits(answer[1])] : null };
}

/** @param {import("./tree.js").Tree} tree @param {number} start */
const nearest = (tree, start) => (tree.nodes.findLast((node) => node.start <= start) ?? tree.nodes[0])?.start;

/** @param {string} id */
async function download(id) {
  const path = `v1/documents/${segment(id)}/original`;
  try {
    // a link would save the words of an error as a file
    await send("HEAD", path);
    const link = Object.assign(document.createElement("a"), { href: path, download: "" });
    link.click();
  } catch {
    showToast(t("The original file no longer exists; the text read from it does."));
  }
}
