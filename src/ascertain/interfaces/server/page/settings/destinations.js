// What leaves the machine that the service runs on, and where it goes.
import { html } from "../parts/html.js";
import { Icon } from "../parts/icons.js";
import { t } from "../parts/words.js";

const SENT = /** @type {Record<string, () => string>} */ ({
  chat: () => t("Questions, and the passages found for them"),
  embedder: () => t("The text of every document, and questions"),
  reranker: () => t("Questions, and the passages found for them"),
  entailment: () => t("Sentences of answers, and their sources"),
  news: () => t("Questions about the news, as words to search for"),
  traces: () => t("How long each step took, and what it cost"),
});

/** @param {{ destinations: { what: string, where: string }[] }} props */
export function Destinations({ destinations }) {
  return html`<section aria-labelledby="destinations"><h2 id="destinations">${t("What leaves this machine")}</h2>
    ${destinations.length
      ? html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="destinations"><table><thead><tr><th scope="col">${t("What")}</th><th scope="col">${t("Where to")}</th></tr></thead>
          <tbody>${destinations.map(({ what, where }) => html`<tr><td>${SENT[what]?.() ?? what}</td><td dir="auto">${where}</td></tr>`)}</tbody></table></div>`
      : html`<p class="row"><${Icon} name="check" /> ${t("Nothing: documents, questions and answers stay here.")}</p>`}
    <p class="note">${t("Web addresses that someone adds are fetched from their servers. This page loads nothing from elsewhere.")}</p>
  </section>`;
}
