// What is said where there is nothing to show: a request that came to nothing, a view that loads, a list that is empty.
import { html } from "./html.js";
import { t } from "./words.js";

/** @param {import("../service/client.js").Problem} problem @returns {{ title: string, lines: string[], command?: string }} */
export function describeProblem({ isAway, status, kind, message, requestId, retryAfter }) {
  if (isAway) return { title: t("The service does not answer"), lines: [t("Nothing is lost. Start it again, then try once more:")], command: "ascertain serve" };
  if (status === 429) return { title: t("That was a lot at once"), lines: [retryAfter ? t("The service accepts no more requests right now. Try again in {n} seconds.", { n: retryAfter }) : t("The service accepts no more requests right now. Try again in a minute.")] };
  if (kind === "no-documents") return { title: t("There are no documents yet"), lines: [t("Add some, and ask again.")] };
  if (status === 503) return { title: t("The service is busy"), lines: [message, t("Nothing is lost; try again in a moment.")] };
  const reference = requestId && status >= 500 ? [t("If you report this, quote request {id}.", { id: requestId })] : [];
  return { title: t("That did not work"), lines: [message, ...reference] };
}

/** @param {{ problem: any, children?: any, onAgain?: () => void }} props */
export function Trouble({ problem, children, onAgain }) {
  const { title, lines, command } = describeProblem(problem);
  return html`<div class="state bad" role="status">
    <p class="state-title">${title}</p>
    ${lines.filter(Boolean).map((line) => html`<p dir="auto">${line}</p>`)}
    ${command && html`<p><code>${command}</code></p>`}
    ${children && html`<p>${children}</p>`}
    ${onAgain && html`<p><button type="button" onClick=${onAgain}>${t("Try again")}</button></p>`}
  </div>`;
}

export const Loading = () => html`<p class="loading" role="status"><span class="spinner" aria-hidden="true"></span> ${t("Loading …")}</p>`;
