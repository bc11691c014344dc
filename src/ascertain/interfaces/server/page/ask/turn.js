// A question with its answer, or why it has none, and what can be done about it.
import { classes, html, useEffect, useRef, useState } from "../parts/html.js";
import { Icon, IconButton } from "../parts/icons.js";
import { Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { t } from "../parts/words.js";
import { Answer } from "./answer.js";
import { answerMarkdown, copyText } from "./copy.js";
import { Draft } from "./draft.js";
import { Progress } from "./steps.js";

/** @param {{ question: string, onEdit?: (question: string) => void }} props */
export function Question({ question, onEdit }) {
  const [edited, setEdited] = useState(/** @type {string | null} */ (null));
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => {
    if (edited === null || !box.current) return;
    box.current.focus();
    box.current.style.height = `${box.current.scrollHeight}px`;
  }, [edited === null]);
  if (edited === null || !onEdit) {
    return html`<div class="question-row">
      ${onEdit && html`<${IconButton} icon="edit" class="on-hover" label=${t("Edit this question; it and what follows is asked again")} onClick=${() => setEdited(question)} />`}
      <h2 class="question" dir="auto">${question}</h2>
    </div>`;
  }
  const send = () => {
    const words = edited.trim();
    setEdited(null);
    if (words) onEdit(words);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") setEdited(null);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    event.stopPropagation();
  };
  return html`<div class="question-edit">
    <textarea ref=${box} dir="auto" aria-label=${t("Your question")} value=${edited} onInput=${(/** @type {any} */ event) => setEdited(event.target.value)} onKeyDown=${press}></textarea>
    <div class="row end"><button type="button" onClick=${() => setEdited(null)}>${t("Cancel")}</button>
      <button type="button" class="primary" disabled=${!edited.trim()} onClick=${send}>${t("Ask")}</button></div>
  </div>`;
}

/** @param {any} props */
export function Turn({ turn, isLast, isBusy, opened, onOpen, onEdit, onAgain, onJudge }) {
  const change = isBusy ? undefined : (/** @type {string} */ question) => onEdit(turn, question);
  return html`<article class="turn" aria-label=${turn.question}>
    <${Question} question=${turn.question} onEdit=${change} />
    ${turn.whole
      ? html`<${Answer} answer=${turn.whole} onOpen=${(/** @type {any} */ citation) => onOpen(turn, citation)} opened=${opened} />
          <${Actions} turn=${turn} onAgain=${isLast && !isBusy ? () => onAgain(turn) : null} onJudge=${onJudge} />`
      : html`<${NoAnswer} turn=${turn} onAgain=${isLast && !isBusy ? () => onAgain(turn) : null} />`}
  </article>`;
}

/** @param {any} props */
function NoAnswer({ turn, onAgain }) {
  const again = onAgain && html`<button type="button" onClick=${onAgain}><${Icon} name="again" /> ${t("Ask again")}</button>`;
  if (turn.answer) return html`<p class="text pre" dir="auto">${turn.answer}</p><p class="note">${t("Of older answers only the text is stored.")}</p>`;
  if (turn.state === "stopped" || turn.reason === "it was stopped") return html`<div class="row"><span class="note">${t("Stopped.")}</span> ${again}</div>`;
  if (turn.problem) return html`<${Trouble} problem=${turn.problem}>${again}</${Trouble}>`;
  const title = turn.state === "interrupted" ? t("The service ended while it worked on this question") : t("This question failed");
  return html`<div class="state bad" role="status"><p class="state-title">${title}</p>${turn.reason && html`<p>${turn.reason}</p>`}<p>${again}</p></div>`;
}

/** @param {any} props */
function Actions({ turn: { whole, feedback }, onAgain, onJudge }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(answerMarkdown(whole)));
    setTimeout(() => setCopied(false), 2000);
  };
  return html`<div class="actions">
    <${IconButton} icon=${isCopied ? "check" : "copy"} label=${isCopied ? t("Copied") : t("Copy with citations, as Markdown")} onClick=${copy} />
    ${onAgain && html`<${IconButton} icon="again" label=${t("Answer again")} onClick=${onAgain} />`}
    ${whole.type !== "greeting" && html`<${Judgement} answerId=${whole.id} feedback=${feedback} onJudge=${onJudge} />`}
  </div>`;
}

/** Thumbs, and a comment for who wants to say more. @param {any} props */
function Judgement({ answerId, feedback, onJudge }) {
  const [comment, setComment] = useState(/** @type {string | null} */ (null));
  const thumb = feedback?.thumb;
  const give = async (/** @type {string} */ which, /** @type {string | null} */ words) => {
    try {
      await onJudge(answerId, which, words ?? "");
      setComment(words === null ? "" : null);
      if (words !== null) showToast(t("Thank you, your comment is stored."));
    } catch {
      showToast(t("That could not be stored. Try again in a moment."));
    }
  };
  const button = (/** @type {string} */ which, /** @type {any} */ icon, /** @type {string} */ label) =>
    html`<${IconButton} icon=${icon} label=${label} class=${classes("thumb", thumb === which && "on")} aria-pressed=${String(thumb === which)} onClick=${() => give(which, null)} />`;
  return html`<span class="thumbs" role="group" aria-label=${t("Was this answer good?")}>${button("up", "thumbUp", t("Good answer"))}${button("down", "thumbDown", t("Poor answer"))}</span>
    ${comment !== null &&
    html`<form class="comment" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); give(thumb ?? "up", comment); }}>
      <textarea rows="2" maxlength="2000" aria-label=${t("Comment on this answer")} placeholder=${t("What was good or missing? (optional)")} value=${comment} onInput=${(/** @type {any} */ event) => setComment(event.target.value)}></textarea>
      <button type="submit" disabled=${!comment.trim()}>${t("Send comment")}</button></form>`}`;
}

/** The question that is being answered. @param {{ pending: import("./conversation.js").Pending }} props */
export function PendingTurn({ pending }) {
  return html`<article class="turn pending" aria-label=${pending.question} aria-busy="true">
    <${Question} question=${pending.question} />
    <${Progress} steps=${pending.steps} />
    ${pending.text
      ? html`<p class="text pre" dir="auto">${pending.text}</p>`
      : pending.draft && html`<span class="note">${t("Draft, not checked yet")}</span><${Draft} text=${pending.draft} />`}
  </article>`;
}
