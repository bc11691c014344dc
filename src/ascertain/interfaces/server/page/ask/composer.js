// The box that questions are typed into, with what they may be answered from.
import { classes, html, useEffect, useLayoutEffect, useRef, useState } from "../parts/html.js";
import { Icon, IconButton } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { count, t } from "../parts/words.js";
import { addFiles, readInput } from "../documents/uploads.js";
import { Filters, countConditions } from "./filters.js";
import { Sources } from "./sources.js";

const LONGEST = 10_000;
const TALLEST = 240;

/** @param {{ isBusy: boolean, onAsk: (question: string) => void, onStop: () => void, lastQuestion: string, chosen: import("./filters.js").Selection,
 *   onChoose: (chosen: import("./filters.js").Selection) => void }} props */
export function Composer({ isBusy, onAsk, onStop, lastQuestion, chosen, onChoose }) {
  const [question, setQuestion] = useState("");
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => {
    // on a phone the keyboard would cover half of what is to be read
    if (matchMedia("(hover: hover)").matches) box.current?.focus();
    const press = (/** @type {KeyboardEvent} */ event) => {
      const isTyping = /** @type {Element} */ (event.target).closest?.("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || isTyping || event.metaKey || event.ctrlKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.style.height = "auto";
    box.current.style.height = `${Math.min(box.current.scrollHeight, TALLEST)}px`;
  }, [question]);

  const send = () => {
    if (!question.trim() || isBusy) return;
    onAsk(question.trim());
    setQuestion("");
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && !question && lastQuestion) {
      event.preventDefault();
      setQuestion(lastQuestion);
    } else if (event.key === "Escape" && isBusy) {
      event.stopPropagation();
      onStop();
    } else if (event.key === "Escape" && question) {
      event.stopPropagation();
      setQuestion("");
    }
  };
  const placeholder = chosen.mode === "news" ? t("Ask about the news") : chosen.document ? t("Ask about this document") : t("Ask your documents");
  return html`<form class="composer" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send(); }}>
    ${chosen.document &&
    html`<p class="about"><${Icon} name="document" /> <span dir="auto">${t("About {title}", { title: chosen.document.title })}</span>
      <${IconButton} icon="close" label=${t("Ask all documents again")} onClick=${() => onChoose({ ...chosen, document: null })} /></p>`}
    <textarea ref=${box} rows="1" dir="auto" maxlength=${LONGEST} aria-label=${placeholder} placeholder=${placeholder} value=${question}
      onInput=${(/** @type {any} */ event) => setQuestion(event.target.value)} onKeyDown=${press}></textarea>
    <div class="row">
      <${Modes} chosen=${chosen} onChoose=${onChoose} />
      ${!chosen.document && chosen.mode === "documents" && html`<${SourcesButton} chosen=${chosen} onChoose=${onChoose} />`}
      ${!chosen.document && html`<${FilterButton} chosen=${chosen} onChoose=${onChoose} />`}
      <${AttachButton} />
      <span class="space"></span>
      ${isBusy
        ? html`<button type="button" class="send" aria-label=${t("Stop")} title=${t("Stop (Escape)")} onClick=${onStop}><${Icon} name="stop" /></button>`
        : html`<button type="submit" class="send" aria-label=${t("Ask")} title=${t("Ask (Enter)")} disabled=${!question.trim()}><${Icon} name="send" /></button>`}
    </div>
  </form>`;
}

/** @param {any} props */
function Modes({ chosen, onChoose }) {
  const button = (/** @type {string} */ mode, /** @type {string} */ name) =>
    html`<button type="button" aria-pressed=${String(chosen.mode === mode)} onClick=${() => onChoose({ ...chosen, mode, document: mode === "news" ? null : chosen.document })}>${name}</button>`;
  return html`<div class="segments" role="group" aria-label=${t("Answer from")}>${button("documents", t("Documents"))}${button("news", t("News"))}</div>`;
}

/** @param {any} props */
function SourcesButton({ chosen, onChoose }) {
  const name = chosen.sources.length ? count(chosen.sources.length, "1 source", "{n} sources") : t("All sources");
  return html`<${Popover} class="filters sources-list" label=${t("Sources of the answer: {name}", { name })} button=${html`<${Icon} name="document" /> <span>${name}</span>${chosen.sources.length > 0 && html`<b class="phone-only" aria-hidden="true">${chosen.sources.length}</b>`}`} buttonClass=${classes("plain", chosen.sources.length > 0 && "on")}>
    <${Sources} chosen=${chosen.sources} onChange=${(/** @type {string[]} */ sources) => onChoose({ ...chosen, sources })} />
  </${Popover}>`;
}

/** @param {any} props */
function FilterButton({ chosen, onChoose }) {
  const conditions = countConditions(chosen);
  const name = conditions ? t("Filters ({n})", { n: conditions }) : t("Filters");
  return html`<${Popover} class="filters" label=${name} button=${html`<${Icon} name="filter" /> <span>${name}</span>${conditions > 0 && html`<b class="phone-only" aria-hidden="true">${conditions}</b>`}`} buttonClass=${classes("plain", conditions > 0 && "on")}>
    <${Filters} chosen=${chosen} onChange=${onChoose} />
  </${Popover}>`;
}

function AttachButton() {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const add = (/** @type {any} */ event) => {
    addFiles(readInput(event.target.files));
    event.target.value = "";
  };
  return html`<${IconButton} icon="attach" label=${t("Add files; they can also be dropped on the page")} onClick=${() => input.current?.click()} />
    <input ref=${input} type="file" multiple hidden onChange=${add} />`;
}
