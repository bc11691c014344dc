// Finding words in the document that is open: every place is coloured, one after the other is gone to.
import { html, useEffect, useRef, useState } from "../parts/html.js";
import { IconButton } from "../parts/icons.js";
import { t } from "../parts/words.js";

const MOST = 2000;

/** @param {{ frame: { current: HTMLElement | null }, onClose: () => void }} props */
export function Find({ frame, onClose }) {
  const [wanted, setWanted] = useState("");
  const [places, setPlaces] = useState(/** @type {Range[]} */ ([]));
  const [at, setAt] = useState(0);
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    setPlaces(frame.current && wanted.trim() ? findPlaces(frame.current, wanted.trim()) : []);
    setAt(0);
  }, [wanted]);
  useEffect(() => {
    colour("find", places);
    colour("find-current", places.slice(at, at + 1));
    places[at]?.startContainer.parentElement?.scrollIntoView({ block: "center" });
    return () => [colour("find", []), colour("find-current", [])].forEach(() => {});
  }, [places, at]);
  const step = (/** @type {number} */ by) => places.length && setAt((at + by + places.length) % places.length);
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const position = !wanted.trim() ? "" : places.length ? t("{at} of {n}", { at: at + 1, n: places.length }) : t("not found");
  return html`<div class="find row" role="search">
    <input ref=${box} type="search" aria-label=${t("Find in this document")} placeholder=${t("Find in this document")} value=${wanted} onInput=${(/** @type {any} */ event) => setWanted(event.target.value)} onKeyDown=${press} />
    <span class="note" role="status">${position}</span>
    <${IconButton} icon="up" label=${t("Place before")} disabled=${places.length < 2} onClick=${() => step(-1)} />
    <${IconButton} icon="down" label=${t("Next place")} disabled=${places.length < 2} onClick=${() => step(1)} />
    <${IconButton} icon="close" label=${t("End the search")} onClick=${onClose} />
  </div>`;
}

/** @param {HTMLElement} frame @param {string} wanted */
function findPlaces(frame, wanted) {
  const small = wanted.toLowerCase();
  const walker = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
  /** @type {Range[]} */
  const found = [];
  for (let node = walker.nextNode(); node && found.length < MOST; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    // letters that have another length in small are rare, and would shift what is coloured
    if (text.length !== node.textContent?.length) continue;
    for (let at = text.indexOf(small); at >= 0 && found.length < MOST; at = text.indexOf(small, at + small.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + small.length);
      found.push(range);
    }
  }
  return found;
}

/** @param {string} name @param {Range[]} ranges */
function colour(name, ranges) {
  const highlights = /** @type {any} */ (CSS).highlights;
  // a browser without them still goes from place to place
  if (highlights) highlights.set(name, new /** @type {any} */ (globalThis).Highlight(...ranges));
}
