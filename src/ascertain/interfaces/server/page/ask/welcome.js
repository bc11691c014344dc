// What somebody sees who has not asked yet.
import { html } from "../parts/html.js";
import { follow, linkTo } from "../parts/address.js";
import { Icon } from "../parts/icons.js";
import { t } from "../parts/words.js";

const EXAMPLES = 4;
const LONGEST_TITLE = 70;
const WORDINGS = /** @type {Record<string, (title: string) => string>} */ ({
  article: (title) => t("What does the article “{title}” report?", { title }),
  paper: (title) => t("What does the paper “{title}” show?", { title }),
  transcript: (title) => t("What is said in “{title}”?", { title }),
  prose: (title) => t("What does “{title}” say?", { title }),
});

/** @param {string} title @param {string} kind */
export const askAbout = (title, kind) => (title.endsWith("?") ? title : (WORDINGS[kind] ?? WORDINGS.prose)(title));

/** Questions that the documents answer, of as many kinds as there are, taken in turn.
 * @param {any[]} documents @returns {string[]} */
export function exampleQuestions(documents) {
  /** @type {Map<string, string[]>} */
  const byKind = new Map();
  // titles that are questions themselves make the best examples
  const sorted = [...documents].sort((one, other) => Number(other.title.endsWith("?")) - Number(one.title.endsWith("?")));
  for (const { title: given, state, kind } of sorted) {
    const title = given.split(/\s+/).join(" ");
    if (state !== "indexed" || title.length < 3 || title.length > LONGEST_TITLE || !WORDINGS[kind]) continue;
    byKind.set(kind, [...(byKind.get(kind) ?? []), askAbout(title, kind)]);
  }
  const lists = [...byKind.values()];
  const turns = Math.max(0, ...lists.map((list) => list.length));
  const mixed = Array.from({ length: turns }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
  return [...new Set(mixed)].slice(0, EXAMPLES);
}

/** @param {{ documents: any[], total: number | null, onAsk: (question: string) => void }} props */
export function Welcome({ documents, total, onAsk }) {
  const examples = exampleQuestions(documents);
  return html`<div class="welcome">
    <h1>${t("Ask, and see the sources of the answer.")}</h1>
    <p class="lead">${t("Every answer comes from your documents: each sentence is checked against its source, and a click on a number opens the exact words. If the documents have no answer, the page says so.")}</p>
    ${total === 0 &&
    html`<div class="state calm"><p class="state-title">${t("There are no documents yet")}</p><p>${t("Drop files anywhere on this page, or add them with their addresses:")}</p>
      <p><a class="button primary" href=${linkTo({ view: "documents" })} onClick=${follow({ view: "documents" })}><${Icon} name="plus" /> ${t("Add documents")}</a></p></div>`}
    ${examples.length > 0 &&
    html`<h2 class="small">${t("For example")}</h2>
      <ul class="examples">${examples.map((question) => html`<li><button type="button" dir="auto" onClick=${() => onAsk(question)}><${Icon} name="outward" /> <span>${question}</span></button></li>`)}</ul>`}
  </div>`;
}
