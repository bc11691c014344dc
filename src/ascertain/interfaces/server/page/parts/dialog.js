// A question that has to be answered before anything else.
import { html, useEffect, useRef } from "./html.js";
import { t } from "./words.js";

/** @param {{ title: string, onClose: () => void, children: any }} props */
export function Dialog({ title, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return html`<dialog ref=${dialog} aria-label=${title} onClose=${onClose} onClick=${(/** @type {MouseEvent} */ event) => event.target === dialog.current && onClose()}>
    <h2>${title}</h2>
    ${children}
  </dialog>`;
}

/** @param {{ title: string, words?: string, action: string, onConfirm: () => void, onClose: () => void, children?: any }} props */
export function Confirmation({ title, words, action, onConfirm, onClose, children }) {
  return html`<${Dialog} title=${title} onClose=${onClose}>
    ${children} ${words && html`<p class="note">${words}</p>`}
    <div class="row end"><button type="button" onClick=${onClose}>${t("Cancel")}</button>
      <button type="button" class="danger" onClick=${() => { onClose(); onConfirm(); }}>${action}</button></div>
  </${Dialog}>`;
}
