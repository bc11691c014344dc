// A document as the service stores it, made ready to be drawn: blocks that lie in each other, in the browser's own positions.

/** @typedef {{ kind: string, start: number, end: number, level: number, label: string | null, header_rows: number, is_hidden: boolean, figure: any, place: any, children: Node[] }} Node */
/** @typedef {{ text: string, nodes: Node[], pages: Node[], parts: Node[], turns: Node[], headings: Node[], toUnits: (point: number) => number, toPoints: (unit: number) => number }} Tree */

const LAYOUT = new Set(["page", "part", "section", "turn", "line"]);

/** Positions of the service count code points, those of a browser UTF-16 units: they differ behind the first emoji.
 * @param {string} text */
function makePositions(text) {
  // a surrogate pair is two units and one code point
  const pairs = Array.from(text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g), (match) => match.index);
  if (!pairs.length) return { toUnits: (/** @type {number} */ point) => point, toPoints: (/** @type {number} */ unit) => unit };
  const points = pairs.map((unit, place) => unit - place);
  const before = (/** @type {number[]} */ sorted, /** @type {number} */ position) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { toUnits: (/** @type {number} */ point) => point + before(points, point), toPoints: (/** @type {number} */ unit) => unit - before(pairs, unit) };
}

/** @param {any} given a `DocumentTreeJson` @returns {Tree} */
export function readTree(given) {
  const { toUnits, toPoints } = makePositions(given.text);
  const all = given.blocks.map((/** @type {any} */ block) => ({ ...block, start: toUnits(block.span[0]), end: toUnits(block.span[1]), children: [] }));
  const ofKind = (/** @type {string} */ kind) => all.filter((/** @type {Node} */ node) => node.kind === kind);
  const nodes = nest(all.filter((/** @type {Node} */ node) => !LAYOUT.has(node.kind)));
  const [turns, pages, parts] = [ofKind("turn"), ofKind("page"), ofKind("part")];
  const tops = turns.length ? turns : fillGaps(nodes, 0, given.text.length, given.text);
  return { text: given.text, nodes: tops, pages, parts, turns, headings: ofKind("heading"), toUnits, toPoints };
}

/** @param {Node[]} blocks each before those that lie in it @returns {Node[]} */
function nest(blocks) {
  /** @type {Node[]} */
  const tops = [];
  /** @type {Node[]} */
  const open = [];
  for (const block of blocks) {
    while (open.length && /** @type {Node} */ (open.at(-1)).end <= block.start) open.pop();
    const within = open.at(-1);
    (within && block.end <= within.end ? within.children : tops).push(block);
    open.push(block);
  }
  return tops;
}

/** The nodes, and between them what no block says anything about, as paragraphs.
 * @param {Node[]} nodes @param {number} start @param {number} end @param {string} text @returns {Node[]} */
export function fillGaps(nodes, start, end, text) {
  /** @type {Node[]} */
  const filled = [];
  let at = start;
  for (const node of [...nodes, null]) {
    const until = node ? node.start : end;
    if (at < until) filled.push(...plainParagraphs(at, until, text));
    if (node) filled.push(node);
    at = Math.max(at, node ? node.end : end);
  }
  return filled;
}

/** @param {number} start @param {number} end @param {string} text @returns {Node[]} */
function plainParagraphs(start, end, text) {
  const found = [];
  for (const match of text.slice(start, end).matchAll(/\S(?:[\s\S]*?\S)?(?=\s*\n\s*\n|\s*$)/g)) {
    found.push(/** @type {Node} */ ({ kind: "plain", start: start + match.index, end: start + match.index + match[0].length, level: 0, label: null, header_rows: 0, is_hidden: false, figure: null, place: null, children: [] }));
  }
  return found;
}

/** The number of the page that a position is on; 0 where there are none. @param {Tree} tree @param {number} start */
export const pageAt = (tree, start) => tree.pages.findLast((page) => page.start <= start)?.place.page ?? tree.pages[0]?.place.page ?? 0;
