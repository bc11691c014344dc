// The ways from one name to another, drawn: from left to right where there is room, downwards on a phone. What two ways share is drawn once.
import { classes, html } from "../parts/html.js";
import { count, t } from "../parts/words.js";

const LANE = 84;
const STEP = 112;
const MARGIN = 40;
/** Names on a way that have room beside each other. */
const WIDEST = 5;
const THINNEST = 1.2;
const THICKEST = 6;
const LONGEST_LABEL = 24;
const NEAR_ITS_LANE = 0.62;

/** @param {{ ways: any[], onChoose: (id: string) => void }} props */
export function Ways({ ways, onChoose }) {
  const longest = Math.max(...ways.map(({ entities }) => entities.length));
  const isDown = longest > WIDEST || matchMedia("(max-width: 52rem)").matches;
  const height = isDown ? 2 * MARGIN + STEP * (longest - 1) : 2 * MARGIN + LANE * Math.max(1, ways.length - 1);
  const { nodes, edges } = placeWays(ways, isDown, height);
  const strongest = Math.max(...edges.map(({ weight }) => weight), Number.EPSILON);
  const [first, last] = [ways[0].entities[0], ways[0].entities.at(-1)];
  return html`<figure class="drawing ways" aria-label=${t("From {from} to {to}", { from: first.name, to: last.name })} style=${{ height: `${height}px` }}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      ${edges.map(({ from, to, through, weight }) => html`<path class="line" fill="none" d=${drawLine(from, to, through)} stroke-width=${THINNEST + ((THICKEST - THINNEST) * weight) / strongest} vector-effect="non-scaling-stroke" />`)}
    </svg>
    ${edges.map(({ words, at }) => html`<span class="line-words" aria-hidden="true" style=${{ left: `${at.x}%`, top: `${at.y}%` }}>${words}</span>`)}
    ${nodes.map(({ entity, place }) => html`<button type="button" class=${classes("node", (entity.id === first.id || entity.id === last.id) && "end")} dir="auto" title=${[entity.name, entity.kind].filter(Boolean).join(", ")} style=${{ left: `${place.x}%`, top: `${place.y}%` }} onClick=${() => onChoose(entity.id)}>${entity.name}</button>`)}
  </figure>`;
}

/** Each way in a lane of its own between the two ends. @param {any[]} ways @param {boolean} isDown @param {number} height */
function placeWays(ways, isDown, height) {
  const places = new Map();
  const steps = new Map();
  ways.forEach(({ entities, steps: between }, lane) => {
    const across = ways.length > 1 ? (isDown ? (100 * (lane + 0.5)) / ways.length : (100 * (MARGIN + LANE * lane)) / height) : 50;
    entities.forEach((/** @type {any} */ entity, /** @type {number} */ place) => {
      const isEnd = place === 0 || place === entities.length - 1;
      const along = isDown ? (100 * (MARGIN + ((height - 2 * MARGIN) * place) / (entities.length - 1))) / height : 11 + (78 * place) / (entities.length - 1);
      const aside = isEnd ? 50 : across;
      if (!places.has(entity.id)) places.set(entity.id, { entity, place: isDown ? { x: aside, y: along } : { x: along, y: aside } });
    });
    between.forEach((/** @type {any} */ step, /** @type {number} */ place) => {
      const key = `${entities[place].id} ${entities[place + 1].id}`;
      if (!steps.has(key)) steps.set(key, { step, from: entities[place].id, to: entities[place + 1].id, isWhole: entities.length === 2, across });
    });
  });
  const ends = new Set([ways[0].entities[0].id, ways[0].entities.at(-1).id]);
  const edges = [...steps.values()].map(({ step, from, to, isWhole, across }) => {
    const [start, end] = [places.get(from).place, places.get(to).place];
    const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    // a way without a name between its ends keeps to its lane too
    const isAside = isWhole && ways.length > 1;
    // near the name between the ends the lines are apart, and so are their words
    const share = ends.has(from) === ends.has(to) ? 0.5 : ends.has(from) ? NEAR_ITS_LANE : 1 - NEAR_ITS_LANE;
    const at = isAside ? (isDown ? { x: across, y: middle.y } : { x: middle.x, y: across }) : { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
    return { from: start, to: end, weight: step.weight, words: wordsOf(step), at, through: !isAside ? null : { x: 2 * at.x - middle.x, y: 2 * at.y - middle.y } };
  });
  return { nodes: [...places.values()], edges };
}

/** @typedef {{ x: number, y: number }} Point */

/** A curve passes half-way between its control and the middle of its ends. @param {Point} from @param {Point} to @param {Point | null} through */
const drawLine = (from, to, through) => (through ? `M${from.x} ${from.y} Q${through.x} ${through.y} ${to.x} ${to.y}` : `M${from.x} ${from.y} L${to.x} ${to.y}`);

/** How the two are related, where a sentence says it. @param {any} step */
function wordsOf({ predicates, sentences }) {
  const words = predicates[0] || count(sentences, "1 sentence", "{n} sentences");
  return words.length > LONGEST_LABEL ? `${words.slice(0, LONGEST_LABEL - 1)}…` : words;
}
