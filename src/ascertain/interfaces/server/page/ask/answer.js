// An answer: sentences with their verdicts and citations, how far to trust it, and the sources under it.
import { Fragment, classes, html, useState } from "../parts/html.js";
import { count, formatDay, formatNumber, t } from "../parts/words.js";
import { Code } from "../parts/code.js";
import { drawFormulas, widenToFormulas } from "../parts/formula.js";
import { Computed } from "./computed.js";
import { Found } from "./found.js";
import { layOut, placeOf, splitQuote, splitSentence } from "./layout.js";
import { Way } from "./steps.js";

const VERDICTS = /** @type {Record<string, [string, () => string]>} */ ({
  supported: ["✓", () => t("supported by its sources")],
  inferred: ["~", () => t("inferred from its sources")],
  not_in_sources: ["?", () => t("not in its sources")],
  contradicted: ["!", () => t("contradicted by its sources")],
});
const KINDS = /** @type {Record<string, () => string>} */ ({
  rejection: () => t("No answer in the documents"),
  web_augmented_answer: () => t("With sources from the web"),
  analysis: () => t("Analysis"),
  report: () => t("Report"),
});
const LEVELS = /** @type {Record<string, [() => string, () => string]>} */ ({
  high: [() => t("High confidence"), () => t("The passages found speak plainly for this answer.")],
  medium: [() => t("Medium confidence"), () => t("The passages found speak for this answer, but not plainly. Look at its sources.")],
  low: [() => t("Low confidence"), () => t("Little was found that speaks for this answer. Do not rely on it without its sources.")],
  none: [() => t("No confidence"), () => t("Nothing found was good enough to answer from.")],
});
const METER = [20, 40, 60, 80, 95];
const LONGEST_WORD = 24;
const MOST_SOURCES = 6;
const WORD_END = /[ \n](?=[^ \n]*$)/;

/** @param {{ answer: any, onOpen: (citation: any) => void, opened: number | null }} props */
export function Answer({ answer, onOpen, opened }) {
  const isGreeting = answer.type === "greeting";
  const { groups, rest } = layOut(answer);
  const cited = new Map(answer.citations.map((/** @type {any} */ each) => [each.n, each]));
  const shared = { cited, onOpen, opened };
  return html`
    <div class="answer">
      ${answer.standalone && html`<p class="understood" dir="auto">${t("Understood as: {question}", { question: answer.standalone })}</p>`}
      ${KINDS[answer.type] && html`<p class=${classes("kind", answer.type)}>${KINDS[answer.type]()}</p>`}
      ${groups.map((group) => html`<${Group} group=${group} ...${shared} />`)}
      ${rest.map((line) => html`<p class="text" dir="auto">${line}</p>`)}
      <${Computed} computation=${answer.computation} />
      ${answer.caveat && html`<p class="caveat" role="note" dir="auto">${answer.caveat}</p>`}
      ${!isGreeting && html`<div class="standing"><${Confidence} given=${answer.confidence} /><span class="tally">${tally(answer.sentences)}</span></div>`}
      <${Sources} citations=${answer.citations} onOpen=${onOpen} opened=${opened} />
      <${Found} citations=${answer.citations} onOpen=${onOpen} />
      ${!isGreeting && html`<${Way} answer=${answer} />`}
    </div>
  `;
}

/** @param {any} props */
function Group({ group, ...shared }) {
  const part = (/** @type {any} */ each) => html`<${Sentence} part=${each} ...${shared} />`;
  if (group.kind === "list" || group.kind === "steps") {
    const tag = group.kind === "list" ? "ul" : "ol";
    return html`<${tag} class="text">${group.parts.map((/** @type {any} */ each) => html`<li>${part(each)}</li>`)}</${tag}>`;
  }
  if (group.kind === "table") return html`<${Rows} group=${group} ...${shared} />`;
  if (group.kind === "code") {
    const { sentence } = group.parts[0];
    return html`<div class="code"><pre tabindex="0"><${Code} text=${sentence.text} language=${sentence.language} /></pre><${Marks} sentence=${sentence} ...${shared} /></div>`;
  }
  return html`<p class="text">${group.parts.map((/** @type {any} */ each) => html`${part(each)} `)}</p>`;
}

/** A table whose rows are sentences: each with its own sign and numbers. @param {any} props */
function Rows({ group, ...shared }) {
  return html`
    <div class="table-frame" tabindex="0" role="region" aria-label=${t("Table")}>
      <table>
        <thead><tr>${group.columns.map((/** @type {string} */ name) => html`<th scope="col" dir="auto">${name}</th>`)}<th scope="col"><span class="hidden">${t("Sources")}</span></th></tr></thead>
        <tbody>
          ${group.parts.map(({ sentence }) => html`<tr>${sentence.text.split(" | ").map((/** @type {string} */ cell) => html`<td dir="auto">${drawFormulas(cell)}</td>`)}
            <td class="marks"><${Marks} sentence=${sentence} ...${shared} /></td></tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

/** Where the last word of a text begins, which may be a formula; -1 where there is one word only. @param {string} text */
function lastWord(text) {
  const at = WORD_END.exec(text)?.index ?? -1;
  const [start] = widenToFormulas(text, at + 1, text.length);
  return at < 0 ? at : start - 1;
}

/** The last word stays on one line with its sign and numbers. @param {any} props */
function Sentence({ part: { sentence, heading, lead, time }, ...shared }) {
  const [before, answering, after] = splitSentence(sentence, sentence.citations.map((/** @type {number} */ n) => shared.cited.get(n)).filter(Boolean));
  const at = lastWord(after);
  const kept = after && at >= 0 && after.length - at <= LONGEST_WORD ? at + 1 : after.length;
  const plain = answering ? -1 : lastWord(before);
  const first = plain >= 0 && before.length - plain <= LONGEST_WORD ? plain + 1 : before.length;
  const words = classes("words", sentence.verdict);
  return html`<${Fragment}>
    ${heading.map((/** @type {string} */ line) => html`<${Above} line=${line} />`)}
    ${lead && html`<span class="lead" dir="auto">${lead} </span>`}
    ${time && html`<span class="time">${time} </span>`}
    <span class="sentence" dir="auto">${first > 0 && html`<span class=${words}>${drawFormulas(before.slice(0, first))}</span>`}${answering && html`<b class=${classes(words, "answering")}>${drawFormulas(answering)}</b>`}${kept > 0 && html`<span class=${words}>${drawFormulas(after.slice(0, kept))}</span>`}<span class="together">${first < before.length && html`<span class=${words}>${drawFormulas(before.slice(first))}</span>`}${kept < after.length && html`<span class=${words}>${drawFormulas(after.slice(kept))}</span>`}<${Marks} sentence=${sentence} ...${shared} /></span></span>
  </${Fragment}>`;
}

/** A line above sentences that is none of them: an item of a list, a sentence of the program, or else a heading. @param {{ line: string }} props */
function Above({ line }) {
  const isItem = line.startsWith("- ");
  return html`<span class=${classes("heading", isItem && "item", (isItem || line.endsWith(".")) && "said")} dir="auto">${isItem ? line.slice(2) : line}</span>`;
}

/** The sign of a sentence, and the numbers of its citations. @param {any} props */
function Marks({ sentence, cited, onOpen, opened }) {
  const [mark, meaning] = VERDICTS[sentence.verdict] ?? ["?", () => sentence.verdict];
  return html`<span class=${classes("verdict", sentence.verdict)} title=${meaning()}><span aria-hidden="true">${mark}</span><span class="hidden"> (${meaning()})</span></span>${sentence.citations
    .filter((/** @type {number} */ n) => cited.has(n))
    .map((/** @type {number} */ n) => {
      const label = [cited.get(n).title, placeOf(cited.get(n))].filter(Boolean).join(", ");
      return html`<button type="button" class=${classes("chip", opened === n && "open")} title=${label} aria-label=${t("Source {n}: {label}", { n, label })} onClick=${() => onOpen(cited.get(n))}>${n}</button>`;
    })}`;
}

/** @param {{ given: { level: string, score: number } }} props */
function Confidence({ given: { level, score } }) {
  const [title, meaning] = LEVELS[level] ?? [() => level, () => ""];
  const about = t("The number is the chance, from 0 to 100, that the passages answer the question. It is calculated from the evidence; no writer of answers can set it.");
  return html`
    <details class=${classes("confidence", level)}>
      <summary><span class="meter" aria-hidden="true">${METER.map((step) => html`<i class=${score >= step - 10 && "on"}></i>`)}</span>
        <span>${title()}</span> <span class="score">${t("{score} of 100", { score })}</span></summary>
      <p>${meaning()} ${about}</p>
    </details>
  `;
}

/** @param {any[]} sentences */
function tally(sentences) {
  if (!sentences.length) return "";
  const sound = sentences.filter(({ verdict }) => verdict === "supported" || verdict === "inferred").length;
  if (sound === sentences.length) return count(sound, "The sentence is supported by the sources", "All {n} sentences are supported by the sources");
  return t("{sound} of {n} sentences supported by the sources", { sound: formatNumber(sound), n: formatNumber(sentences.length) });
}

/** @param {{ citations: any[], onOpen: (citation: any) => void, opened: number | null }} props */
function Sources({ citations, onOpen, opened }) {
  const [areAllShown, showAll] = useState(false);
  if (!citations.length) return null;
  const shown = areAllShown ? citations : citations.slice(0, MOST_SOURCES);
  return html`
    <section class="sources" aria-label=${t("Sources")}>
      <ol>
        ${shown.map((citation) => html`<li key=${citation.n}><${Source} citation=${citation} onOpen=${onOpen} isOpen=${opened === citation.n} /></li>`)}
      </ol>
      ${shown.length < citations.length &&
      html`<button type="button" class="quiet" onClick=${() => showAll(true)}>${t("All {n} sources", { n: formatNumber(citations.length) })}</button>`}
    </section>
  `;
}

/** @param {{ citation: any, onOpen: (citation: any) => void, isOpen: boolean }} props */
function Source({ citation, onOpen, isOpen }) {
  const [before, answering, after] = splitQuote(citation);
  const where = [placeOf(citation), formatDay(citation.published_at), citation.figure && t("a figure, described by {model}", citation.figure)];
  return html`
    <button type="button" class=${classes("source", isOpen && "open")} onClick=${() => onOpen(citation)}>
      <span class="hidden">${t("Open source {n}:", { n: citation.n })} </span>
      <span class="number" aria-hidden="true">${citation.n}</span>
      <span class="what">
        <span class="title" dir="auto">${citation.title}</span>
        <span class="where" dir="auto">${where.filter(Boolean).join(" · ")}</span>
        <span class="quote" dir="auto">“${drawFormulas(before)}${answering && html`<b class="answering">${drawFormulas(answering)}</b>`}${drawFormulas(after)}”</span>
        ${citation.explanation && html`<span class="how" dir="auto">${t("Found by the graph: {how}", { how: citation.explanation })}</span>`}
        ${citation.warning && html`<span class="warning">${citation.warning}</span>`}
      </span>
    </button>
  `;
}
