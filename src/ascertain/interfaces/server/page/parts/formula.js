// Formulas as TeX writes them, drawn as MathML; the library for it is fetched when there is one. What is none of TeX stays text.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./html.js";

/** @typedef {{ start: number, end: number, tex: string, isBlock: boolean }} Place */

/** Longer than any that people write; the rest stays text. */
const LONGEST = 2000;
/** Sizes in em that a formula may ask for, macros that it may expand: it comes from documents of anybody. */
const MOST_EM = 5;
const MOST_EXPANDED = 200;
/** `$$…$$`, `\[…\]`, `\(…\)`, and `$…$` as pandoc reads it: no space inside the dollars, no digit behind them. */
const FORMULA = /\$\$([^$]+)\$\$|\\\[([\s\S]{1,2000}?)\\\]|\\\((.{1,2000}?)\\\)|(?<![\\$\w])\$(?![\s$])((?:\\.|[^$\\\n])*?[^\s$\\])\$(?![\d$])/g;
/** What sums of money between dollars do not have. */
const IS_MATH = /[\\^_={}<>]|^[A-Za-z]['′]?$/;

/** @param {string} text @returns {Place[]} */
export function findFormulas(text) {
  if (!text.includes("$") && !text.includes("\\")) return [];
  const found = [];
  for (const match of text.matchAll(FORMULA)) {
    const [whole, block, bracket, inline, dollar] = match;
    const tex = block ?? bracket ?? inline ?? dollar;
    if (tex.length > LONGEST || (dollar !== undefined && !IS_MATH.test(dollar))) continue;
    found.push({ start: match.index, end: match.index + whole.length, tex, isBlock: (block ?? bracket) !== undefined });
  }
  return found;
}

/** A stretch of a text that cuts no formula in two. @param {string} text @param {number} start @param {number} end @returns {[number, number]} */
export function widenToFormulas(text, start, end) {
  for (const each of findFormulas(text)) {
    if (each.start < start && start < each.end) start = each.start;
    if (each.start < end && end < each.end) end = each.end;
  }
  return [start, end];
}

/** Text with its formulas drawn. @param {string} text @returns {any} */
export function drawFormulas(text) {
  const places = findFormulas(text);
  if (!places.length) return text;
  const drawn = [];
  let at = 0;
  for (const { start, end, tex, isBlock } of places) {
    drawn.push(text.slice(at, start), html`<${Formula} key=${start} source=${text.slice(start, end)} tex=${tex} isBlock=${isBlock} />`);
    at = end;
  }
  return [...drawn, text.slice(at)];
}

/** @type {any} */
let library = null;

/** @param {{ source: string, tex: string, isBlock: boolean }} props */
export function Formula({ source, tex, isBlock }) {
  const [isReady, setReady] = useState(library !== null);
  const [failed, setFailed] = useState("");
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (library) return;
    import("../vendor/temml.js").then((module) => {
      library = module.default;
      setReady(true);
    }, () => {});
  }, []);
  const isDrawn = isReady && failed !== source;
  useLayoutEffect(() => {
    if (!isDrawn || !place.current) return;
    try {
      library.render(tex, place.current, { displayMode: isBlock, throwOnError: true, trust: false, strict: false, maxSize: [MOST_EM, MOST_EM], maxExpand: MOST_EXPANDED });
    } catch {
      setFailed(source);
    }
  }, [isDrawn, tex, isBlock]);
  // another element once it is drawn: what the library puts in is none of Preact's
  return isDrawn ? html`<span key="drawn" ref=${place} class=${isBlock ? "formula block" : "formula"} title=${tex}></span>` : html`<span key="text">${source}</span>`;
}
