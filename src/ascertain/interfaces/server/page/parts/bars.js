// Figures as bars and columns, each with its number beside it.
import { html } from "./html.js";

/** @typedef {{ name: string, value: number, words: string }} Row */

/** Bars beside each other's names. @param {{ title: string, rows: Row[], isTitleShown?: boolean }} props */
export function Bars({ title, rows, isTitleShown = true }) {
  if (!rows.length) return null;
  const most = Math.max(...rows.map(({ value }) => value), Number.EPSILON);
  return html`<section>${isTitleShown && html`<h2 class="small">${title}</h2>`}<table class="bars"><caption class="hidden">${title}</caption><tbody>
    ${rows.map(({ name, value, words }) => html`<tr><th scope="row" dir="auto">${name}</th><td><span class="bar" style=${{ width: `${(Math.max(value, 0) / most) * 70}%` }}></span> ${words}</td></tr>`)}
  </tbody></table></section>`;
}

/** Columns over time. @param {{ title: string, rows: Row[] }} props */
export function Columns({ title, rows }) {
  const most = Math.max(...rows.map(({ value }) => value), Number.EPSILON);
  return html`<section><h2 class="small">${title}</h2>
    <ol class="columns-chart" aria-label=${title}>${rows.map(({ name, value, words }) => html`<li title=${`${name}: ${words}`}><span class="column" style=${{ height: `${(value / most) * 100}%` }}></span><span class="hidden">${name}: ${words}</span></li>`)}</ol>
    <p class="axis note"><span>${rows[0].name}</span><span>${rows.at(-1)?.name}</span></p></section>`;
}

/** A share with its interval, on a line from nothing to all. @param {{ value: number, low: number, high: number, tone?: string }} props */
export const Interval = ({ value, low, high, tone = "" }) => html`<span class="share" aria-hidden="true"><i class=${`range ${tone}`} style=${{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }}></i><i class=${`point ${tone}`} style=${{ left: `${100 * value}%` }}></i></span>`;
