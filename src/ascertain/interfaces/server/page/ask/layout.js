// How an answer is laid out: its sentences in paragraphs, lists, tables and code, each where it stands in the text of the answer.
// Positions of the service count code points, as Python does; a browser counts UTF-16 units.

import { widenToFormulas } from "../parts/formula.js";

/** @typedef {{ text: string, verdict: string, citations: number[], form: string, columns: string[], language: string, referent: string }} Sentence */
/** @typedef {{ n: number, document_id: string, title: string, url: string | null, published_at: string | null, quote: string, span: [number, number],
 *   place: any, source: string, warning: string | null, explanation: string, way: any, answer: [number, number] | null, figure: any }} Citation */
/** @typedef {{ sentence: Sentence, heading: string[], lead: string, time: string }} Placed */
/** @typedef {{ kind: "paragraph" | "list" | "steps" | "table" | "code", columns: string[], parts: Placed[] }} Group */

const FORMS = /** @type {Record<string, Group["kind"]>} */ ({ text: "paragraph", item: "list", step: "steps", row: "table", code: "code" });
const CLOCK = /^\[?\d{1,2}:\d{2}(:\d{2})?\]?$/;

/** The sentences in groups, and the lines that belong to none of them.
 * @param {{ answer: string, sentences: Sentence[] }} answer
 * @returns {{ groups: Group[], rest: string[] }} */
export function layOut({ answer, sentences }) {
  /** @type {Group[]} */
  const groups = [];
  let end = 0;
  for (const sentence of sentences) {
    const at = answer.indexOf(sentence.text, end);
    const between = at < 0 ? "" : answer.slice(end, at);
    if (at >= 0) end = at + sentence.text.length;
    const { heading, lead, time } = readBetween(sentence.form === "text" ? between : dropMarkup(between));
    const kind = FORMS[sentence.form] ?? "paragraph";
    const last = groups.at(-1);
    const goesOn = last && last.kind === kind && kind !== "code" && String(last.columns) === String(sentence.columns);
    const isNew = kind === "paragraph" && (between.includes("\n") || heading.length > 0);
    const part = { sentence, heading, lead, time };
    if (goesOn && !isNew) last.parts.push(part);
    else groups.push({ kind, columns: sentence.columns, parts: [part] });
  }
  const after = answer.slice(end).replace(/^\s*(\||```+)/, "");
  return { groups, rest: after.split("\n").filter((line) => line.trim()) };
}

/** What stands before a sentence and belongs to none: who says it, a line above it, the beginning of an item, the time at which it is said.
 * @param {string} between */
function readBetween(between) {
  const lines = between.split("\n").map((line) => line.trim());
  const last = lines.pop() ?? "";
  const heading = lines.filter(Boolean);
  if (last.startsWith("- ")) return { heading, lead: last.slice(2), time: "" };
  return CLOCK.test(last) || !last ? { heading, lead: "", time: last } : { heading: [...heading, last], lead: "", time: "" };
}

/** @param {string} between without the marks of lists, tables and code, which are drawn and not written */
const dropMarkup = (between) =>
  between
    .split("\n")
    .filter((line) => !/^\s*(\|.*|```+.*)$/.test(line))
    .map((line) => line.replace(/^\s*(-|\d+\.)\s*$/, ""))
    .join("\n");

/** A text before the words that answer, these, and what is left.
 * @param {string} text
 * @param {[number, number] | null} span in code points
 * @returns {[string, string, string]} */
export function splitAt(text, span) {
  if (!span) return [text, "", ""];
  const points = Array.from(text);
  return [points.slice(0, span[0]).join(""), points.slice(span[0], span[1]).join(""), points.slice(span[1]).join("")];
}

/** Where the words of a quote stand that answer, in code points of it.
 * @param {Citation} citation
 * @returns {[number, number] | null} */
export const answerInQuote = (citation) =>
  citation.answer ? [citation.answer[0] - citation.span[0], citation.answer[1] - citation.span[0]] : null;

/** A quote with the words in it that answer apart, formulas whole. @param {Citation} citation @returns {[string, string, string]} */
export function splitQuote(citation) {
  const [before, answering] = splitAt(citation.quote, answerInQuote(citation));
  const [start, end] = answering ? widenToFormulas(citation.quote, before.length, before.length + answering.length) : [before.length, before.length];
  return [citation.quote.slice(0, start), citation.quote.slice(start, end), citation.quote.slice(end)];
}

/** The words that answer in a sentence of the answer, by those of its citations.
 * @param {Sentence} sentence
 * @param {Citation[]} cited
 * @returns {[string, string, string]} */
export function splitSentence(sentence, cited) {
  for (const citation of cited) {
    const span = answerInQuote(citation);
    if (!span) continue;
    const words = splitAt(citation.quote, span)[1].trim();
    const places = words ? findWords(sentence.text, words) : [];
    // said twice, it is not sure which of them answers
    if (places.length === 1) {
      const [start, end] = widenToFormulas(sentence.text, ...places[0]);
      return [sentence.text.slice(0, start), sentence.text.slice(start, end), sentence.text.slice(end)];
    }
  }
  return [sentence.text, "", ""];
}

/** @param {string} text @param {string} words @returns {[number, number][]} */
function findWords(text, words) {
  const pattern = words.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const wanted = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, "gu");
  return Array.from(text.matchAll(wanted), (match) => [match.index, match.index + match[0].length]);
}

/** Where something stands, in words. @param {Citation} citation */
export const placeOf = (citation) => citation.place?.label ?? "";

/** The file or site that a document comes from. @param {{ url: string | null, source: string }} document */
export function originOf({ url, source }) {
  if (url) {
    try {
      return new URL(url).hostname;
    } catch {
      return "";
    }
  }
  return source.replace(/^upload:/, "").split(/[\\/]/).at(-1) ?? source;
}

/** An address that may be opened: of the web, and no script. @param {string | null} url */
export const safeLink = (url) => (url && /^https?:\/\//i.test(url) ? url : null);
