// The text of a document, each block as what it is: headings, lists, tables, code, turns of a recording.
import { Fragment, classes, html, useMemo } from "../parts/html.js";
import { Code } from "../parts/code.js";
import { drawFormulas, widenToFormulas } from "../parts/formula.js";
import { formatTime, t } from "../parts/words.js";
import { segment } from "../service/client.js";
import { fillGaps } from "./tree.js";

/** @typedef {{ start: number, end: number, answer: [number, number] | null }} Mark in the browser's positions */

/** @param {{ id: string, title: string, tree: import("./tree.js").Tree, mark: Mark | null }} props */
export function Blocks({ id, title, tree, mark }) {
  const dividers = useMemo(() => listDividers(tree), [tree]);
  const [first] = tree.nodes;
  // the title stands above already
  const isTitle = first?.kind === "heading" && tree.text.slice(first.start, first.end) === title && !(mark && mark.start < first.end);
  return html`<div class="blocks" dir="auto">
    ${tree.nodes.slice(isTitle ? 1 : 0).map((node) => html`<${Fragment} key=${node.start}>
      ${dividers.get(node.start)?.map((words) => html`<p class="divider"><span>${words}</span></p>`)}
      <${Block} id=${id} tree=${tree} node=${node} mark=${mark && mark.start < node.end && node.start < mark.end ? mark : null} />
    </${Fragment}>`)}
  </div>`;
}

/** Where pages and parts begin, by the block that begins them. @param {import("./tree.js").Tree} tree */
function listDividers(tree) {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  const note = (/** @type {import("./tree.js").Node[]} */ layout, /** @type {(place: any) => string} */ nameOf) => {
    for (const each of layout) {
      const first = tree.nodes.find((node) => node.start >= each.start);
      if (first) found.set(first.start, [...(found.get(first.start) ?? []), nameOf(each.place)]);
    }
  };
  note(tree.pages, ({ page }) => t("Page {n}", { n: page }));
  note(tree.parts, ({ part }) => part ?? "");
  return found;
}

/** @param {any} props */
function Block({ id, tree, node, mark }) {
  // the same element again is not looked into: a long document is drawn once
  return useMemo(() => html`<div class=${classes("block", node.is_hidden && "unseen")} id=${`b${node.start}`}>${drawNode({ id, text: tree.text, mark }, node)}</div>`, [tree, node, mark]);
}

/** @typedef {{ id: string, text: string, mark: Mark | null }} Drawing */

/** @param {Drawing} drawing @param {import("./tree.js").Node} node @returns {any} */
function drawNode(drawing, node) {
  const inside = () => drawInside(drawing, node, node.start);
  switch (node.kind) {
    case "heading": {
      const tag = `h${Math.min(6, Math.max(2, node.level + 1))}`;
      return html`<${tag} class=${classes("read-heading", `level-${node.level}`)}>${drawText(drawing, node.start, node.end)}</${tag}>`;
    }
    case "list":
      return html`<ul class="read-list">${node.children.map((child) => html`<li>${drawNode(drawing, child)}</li>`)}</ul>`;
    case "item": {
      const label = node.label ?? "";
      const content = label && drawing.text.startsWith(label, node.start) ? skipSpace(drawing.text, node.start + label.length) : node.start;
      return html`<span class="item-mark" aria-hidden="true">${/^[-*+•]?$/.test(label) ? "•" : label}</span><div>${drawInside(drawing, node, content)}</div>`;
    }
    case "table":
      return drawTable(drawing, node);
    case "code":
      return html`<pre class="read-code" tabindex="0">${drawing.mark && drawing.mark.start < node.end && node.start < drawing.mark.end ? html`<code>${drawText(drawing, node.start, node.end, String)}</code>` : html`<${Code} text=${drawing.text.slice(node.start, node.end)} language=${node.label ?? ""} />`}</pre>`;
    case "quotation":
      return html`<blockquote>${inside()}</blockquote>`;
    case "turn":
      return drawTurn(drawing, node);
    case "figure":
      return html`<figure><img loading="lazy" src=${`v1/documents/${segment(drawing.id)}/figures/${node.figure?.digest}`} alt="" onError=${(/** @type {any} */ event) => event.target.remove()} />
        <figcaption>${drawText(drawing, node.start, node.end)} <span class="note">${t("described by {model}", { model: node.figure?.model ?? "" })}</span></figcaption></figure>`;
    case "admonition":
    case "comment":
      return html`<aside class=${node.kind}>${node.label && html`<p class="note">${node.label}</p>`}${inside()}</aside>`;
    case "caption":
    case "footnote":
    case "furniture":
      return html`<div class=${`read-small ${node.kind}`}>${inside()}</div>`;
    default:
      return node.children.length ? html`<div>${inside()}</div>` : html`<p>${drawText(drawing, node.start, node.end)}</p>`;
  }
}

/** @param {Drawing} drawing @param {import("./tree.js").Node} node @param {number} start @returns {any} */
function drawInside(drawing, node, start) {
  if (!node.children.length) return html`<p>${drawText(drawing, start, node.end)}</p>`;
  return fillGaps(node.children, start, node.end, drawing.text).map((child) => drawNode(drawing, child));
}

/** Rows stand on a line each, with ` | ` between their cells. @param {Drawing} drawing @param {import("./tree.js").Node} node */
function drawTable(drawing, node) {
  let at = node.start;
  const rows = drawing.text.slice(node.start, node.end).split("\n").map((line) => {
    const cells = line.split(" | ").map((cell) => {
      const drawn = drawText(drawing, at, at + cell.length);
      at += cell.length + 3;
      return drawn;
    });
    // behind the last cell stands a line end, where a separator was counted
    at -= 2;
    return cells;
  });
  const [head, body] = [rows.slice(0, node.header_rows), rows.slice(node.header_rows)];
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${t("Table")}><table>
    ${head.length > 0 && html`<thead>${head.map((cells) => html`<tr>${cells.map((cell) => html`<th scope="col" dir="auto">${cell}</th>`)}</tr>`)}</thead>`}
    <tbody>${body.map((cells) => html`<tr>${cells.map((cell) => html`<td dir="auto">${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** What somebody says, with name and time. @param {Drawing} drawing @param {import("./tree.js").Node} node */
function drawTurn(drawing, node) {
  const speaker = node.place?.speaker ?? "";
  const named = speaker && drawing.text.startsWith(`${speaker}:`, node.start) ? skipSpace(drawing.text, node.start + speaker.length + 1) : node.start;
  const time = node.place?.start_time;
  return html`<div class="said"><p class="who">${time !== null && time !== undefined && html`<span class="clock">${formatTime(time)}</span>`} <span class="speaker" dir="auto">${speaker}</span></p>
    <p dir="auto">${drawText(drawing, named, node.end)}</p></div>`;
}

/** A stretch of the text, the quoted words in it marked, and in these the words that answer; `draw` is what becomes of plain words.
 * @param {Drawing} drawing @param {number} start @param {number} end @param {(words: string) => any} [draw] @returns {any} */
function drawText({ text, mark }, start, end, draw = drawFormulas) {
  if (!mark || mark.end <= start || end <= mark.start) return draw(text.slice(start, end));
  const [from, to] = [Math.max(start, mark.start), Math.min(end, mark.end)];
  return [draw(text.slice(start, from)), html`<mark>${drawAnswering(text, from, to, mark.answer, draw)}</mark>`, draw(text.slice(to, end))];
}

/** @param {string} text @param {number} start @param {number} end @param {[number, number] | null} answer @param {(words: string) => any} draw @returns {any} */
function drawAnswering(text, start, end, answer, draw) {
  if (!answer || answer[1] <= start || end <= answer[0]) return draw(text.slice(start, end));
  const [from, to] = widenToFormulas(text.slice(start, end), Math.max(0, answer[0] - start), Math.min(end, answer[1]) - start).map((at) => start + at);
  return [draw(text.slice(start, from)), html`<b class="answering">${draw(text.slice(from, to))}</b>`, draw(text.slice(to, end))];
}

/** @param {string} text @param {number} at */
function skipSpace(text, at) {
  while (at < text.length && /\s/.test(text[at])) at += 1;
  return at;
}
