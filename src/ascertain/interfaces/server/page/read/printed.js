// The pages of a PDF or a scan as they are printed, the cited words marked on them.
import { classes, html, useEffect, useRef, useState } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { t } from "../parts/words.js";
import { segment, send } from "../service/client.js";

const ZOOMS = [1, 1.5, 2, 3];

/** @param {{ id: string, pages: number[], page: number, span: [number, number] | null, onPage: (page: number) => void, onMissing: (why: string) => void }} props span in the service's positions */
export function Printed({ id, pages, page, span, onPage, onMissing }) {
  const [zoom, setZoom] = useState(1);
  const [image, setImage] = useState({ url: "", of: "" });
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const place = pages.indexOf(page);
  const marked = span ? { start: span[0], end: span[1] } : {};
  const wanted = JSON.stringify([id, page, marked]);
  useEffect(() => {
    const abort = new AbortController();
    send("GET", `v1/documents/${segment(id)}/pages/${page}.png`, { query: marked, signal: abort.signal })
      .then((response) => response.blob())
      .then((blob) => setImage({ url: URL.createObjectURL(blob), of: wanted }))
      .catch((problem) => abort.signal.aborted || onMissing(problem.message));
    return () => abort.abort();
  }, [wanted]);
  useEffect(() => () => URL.revokeObjectURL(image.url), [image.url]);
  const turn = (/** @type {number} */ step) => {
    const next = pages[place + step];
    if (next) onPage(next);
    frame.current?.scrollTo(0, 0);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowRight" || event.key === "PageDown") turn(1);
    else if (event.key === "ArrowLeft" || event.key === "PageUp") turn(-1);
    else return;
    event.preventDefault();
  };
  const change = (/** @type {any} */ event) => {
    const number = Number(event.target.value);
    if (pages.includes(number)) onPage(number);
    else event.target.value = page;
  };
  return html`<div class="printed">
    <div class="row page-tools">
      <${IconButton} icon="left" label=${t("Page before")} disabled=${place <= 0} onClick=${() => turn(-1)} />
      <label class="page-number"><span class="hidden">${t("Page")}</span><input type="number" min=${pages[0]} max=${pages.at(-1)} value=${page} onChange=${change} /></label> <span class="note">${t("of {n}", { n: pages.at(-1) ?? 0 })}</span>
      <${IconButton} icon="right" label=${t("Next page")} disabled=${place >= pages.length - 1} onClick=${() => turn(1)} />
      <span class="space"></span>
      <button type="button" class="quiet" onClick=${() => setZoom(ZOOMS[(ZOOMS.indexOf(zoom) + 1) % ZOOMS.length])}>${t("Zoom: {n} %", { n: Math.round(zoom * 100) })}</button>
    </div>
    <div class=${classes("sheet", image.of !== wanted && "waiting")} ref=${frame} tabindex="0" role="region" aria-label=${t("Page {n}, as printed", { n: page })} onKeyDown=${press}>
      ${image.url && html`<img src=${image.url} style=${{ width: `${zoom * 100}%` }} alt=${span ? t("Page {n} with the quoted words marked", { n: page }) : t("Page {n}, as printed", { n: page })} />`}
    </div>
  </div>`;
}
