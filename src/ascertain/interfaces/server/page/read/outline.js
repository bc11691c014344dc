// What a document is made of, to go there: its headings, or else its parts, its pages, its speakers.
import { html } from "../parts/html.js";
import { formatTime, t } from "../parts/words.js";

/** @param {{ tree: import("./tree.js").Tree, onGo: (node: import("./tree.js").Node) => void }} props */
export function Outline({ tree, onGo }) {
  const entries = listEntries(tree);
  const least = Math.min(...entries.map(({ node }) => node.level));
  return html`<nav class="outline" aria-label=${t("Outline")}>
    ${entries.length ? "" : html`<p class="note">${t("This document has no headings.")}</p>`}
    <ul>${entries.map(({ node, name }) => html`<li style=${{ paddingInlineStart: `${(node.level - least) * 0.8}rem` }}><button type="button" dir="auto" onClick=${() => onGo(node)}>${name}</button></li>`)}</ul>
  </nav>`;
}

/** @param {import("./tree.js").Tree} tree */
function listEntries({ text, headings, parts, pages, turns }) {
  if (headings.length > 1) return headings.map((node) => ({ node, name: text.slice(node.start, node.end) }));
  if (parts.length) return parts.map((node) => ({ node, name: node.place.part ?? "" }));
  if (pages.length) return pages.map((node) => ({ node, name: t("Page {n}", { n: node.place.page }) }));
  if (turns.length) return turns.map((node) => ({ node, name: [node.place.start_time === null ? "" : formatTime(node.place.start_time), node.place.speaker].filter(Boolean).join("  ") }));
  return headings.map((node) => ({ node, name: text.slice(node.start, node.end) }));
}
