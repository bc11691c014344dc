// Questions that lead on from an answer; each was tried: the service names those only that a search for them finds.
import { html } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { t } from "../parts/words.js";
import { segment } from "../service/client.js";
import { askAbout } from "./welcome.js";

/** @param {{ conversation: string, answer: any, onAsk: (question: string) => void }} props */
export function FollowUps({ conversation, answer, onAsk }) {
  const path = `v1/conversations/${segment(conversation)}/turns/${segment(answer.id)}/follow-ups`;
  const offered = useResource(answer.citations.length && conversation ? path : null);
  const questions = (offered.value?.follow_ups ?? []).map(wordQuestion);
  if (!questions.length || offered.isLoading) return null;
  return html`<nav class="follow-ups" aria-label=${t("Go on with")}>
    ${questions.map((/** @type {string} */ question) => html`<button type="button" class="choice" dir="auto" onClick=${() => onAsk(question)}>${question}</button>`)}
  </nav>`;
}

/** @param {{ title: string, kind: string, section: string }} followUp */
const wordQuestion = ({ title, kind, section }) => (section ? t("What does “{title}” say about “{section}”?", { title, section }) : askAbout(title, kind));
