// Sentences that say so; each opens its document with the words marked.
import { html } from "../parts/html.js";
import { go } from "../parts/address.js";
import { formatDay } from "../parts/words.js";

/** @param {{ evidence: any[] }} props */
export const Evidence = ({ evidence }) => html`<ul class="evidence">${evidence.map((each) => html`<li><button type="button" onClick=${() => go({ document: each.document_id, at: `${each.span[0]}-${each.span[1]}` })}>
  <span class="quote" dir="auto">“${each.quote}”</span>
  <span class="where" dir="auto">${[each.title, each.place.label, formatDay(each.published_at)].filter(Boolean).join(" · ")}</span></button></li>`)}</ul>`;
