// A line that says what was done, and goes by itself.
import { html, useEffect, useState } from "./html.js";

const SHOWN_MS = 4000;
/** @type {(words: string) => void} */
let show = () => {};

/** @param {string} words */
export const showToast = (words) => show(words);

export function Toasts() {
  const [words, setWords] = useState("");
  useEffect(() => {
    let timer = 0;
    show = (next) => {
      clearTimeout(timer);
      setWords(next);
      timer = setTimeout(() => setWords(""), SHOWN_MS);
    };
  }, []);
  return html`<div class="toasts" role="status" aria-live="polite">${words && html`<p class="toast">${words}</p>`}</div>`;
}
