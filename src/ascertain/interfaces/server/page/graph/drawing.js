// An entity in the middle of those it is named together with: the thicker a line, the stronger the connection.
import { html } from "../parts/html.js";
import { count, t } from "../parts/words.js";

const HEIGHT = 420;
const ROW = 58;
const TOP = 48;
const RADIUS = { x: 38, y: 40 };
const THINNEST = 1.2;
const THICKEST = 6;

/** @param {{ entity: any, neighbours: any[], between: { left: string, right: string }[], onChoose: (id: string) => void }} props */
export function Drawing({ entity, neighbours, between, onChoose }) {
  const strongest = Math.max(...neighbours.map(({ weight }) => weight), Number.EPSILON);
  // on a phone names stand in two columns below the middle
  const isNarrow = matchMedia("(max-width: 52rem)").matches;
  const height = isNarrow ? 2 * TOP + ROW * Math.ceil(neighbours.length / 2) : HEIGHT;
  const centre = isNarrow ? { x: 50, y: (100 * TOP) / height } : { x: 50, y: 50 };
  const places = new Map(neighbours.map((link, place) => [link.entity.id, isNarrow ? placeBelow(place, height) : placeAround(place, neighbours.length)]));
  return html`<figure class="drawing" aria-label=${t("{name} and what it is named together with", { name: entity.name })} style=${{ height: `${height}px` }}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      ${between.filter(({ left, right }) => places.has(left) && places.has(right)).map(({ left, right }) => {
        const [from, to] = [/** @type {any} */ (places.get(left)), /** @type {any} */ (places.get(right))];
        return html`<line class="faint" x1=${from.x} y1=${from.y} x2=${to.x} y2=${to.y} vector-effect="non-scaling-stroke" />`;
      })}
      ${neighbours.map((link) => {
        const place = /** @type {any} */ (places.get(link.entity.id));
        const width = THINNEST + (THICKEST - THINNEST) * (link.weight / strongest);
        return html`<line class="line" x1=${centre.x} y1=${centre.y} x2=${place.x} y2=${place.y} stroke-width=${width} vector-effect="non-scaling-stroke" />`;
      })}
    </svg>
    <span class="node centre" dir="auto" style=${{ left: `${centre.x}%`, top: `${centre.y}%` }}>${entity.name}</span>
    ${neighbours.map((link) => {
      const place = /** @type {any} */ (places.get(link.entity.id));
      const words = count(link.sentences, "1 sentence", "{n} sentences");
      return html`<button type="button" class="node" dir="auto" title=${words} style=${{ left: `${place.x}%`, top: `${place.y}%` }} onClick=${() => onChoose(link.entity.id)}>${link.entity.name}</button>`;
    })}
  </figure>`;
}

/** Around the middle, every other one nearer to it, so that names beside each other do not touch. @param {number} place @param {number} all */
function placeAround(place, all) {
  const angle = (2 * Math.PI * place) / all - Math.PI / 2;
  const share = all > 6 && place % 2 ? 0.72 : 1;
  return { x: 50 + RADIUS.x * share * Math.cos(angle), y: 50 + RADIUS.y * share * Math.sin(angle) };
}

/** In two columns. @param {number} place @param {number} height */
const placeBelow = (place, height) => ({ x: place % 2 ? 74 : 26, y: (100 * (2 * TOP + ROW * (Math.floor(place / 2) + 0.25))) / height });
