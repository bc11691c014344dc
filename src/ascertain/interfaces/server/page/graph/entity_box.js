// A box for a name, with those that it may mean.
import { html, useEffect, useRef, useState } from "../parts/html.js";
import { count, t } from "../parts/words.js";
import { get } from "../service/client.js";

const TYPING_MS = 150;
const MOST = 8;

/** @param {{ label: string, value: string, onChoose: (entity: { id: string, name: string }) => void }} props */
export function EntityBox({ label, value, onChoose }) {
  const [typed, setTyped] = useState(value);
  const [found, setFound] = useState(/** @type {any[]} */ ([]));
  const [at, setAt] = useState(-1);
  const wanted = useRef("");
  const id = `box-${label.replace(/\W+/g, "-")}`;
  useEffect(() => setTyped(value), [value]);
  const type = (/** @type {string} */ words) => {
    setTyped(words);
    setAt(-1);
    wanted.current = words;
    if (!words.trim()) return setFound([]);
    return setTimeout(async () => {
      if (wanted.current !== words) return;
      const reply = await get("v1/graph/entities", { q: words, limit: MOST }).catch(() => ({ entities: [] }));
      if (wanted.current === words) setFound(reply.entities);
    }, TYPING_MS);
  };
  const choose = (/** @type {any} */ entity) => {
    wanted.current = "";
    setFound([]);
    setTyped(entity.name);
    onChoose(entity);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step && found.length) setAt((at + step + found.length) % found.length);
    else if (event.key === "Enter" && (found[at] ?? found[0])) choose(found[at] ?? found[0]);
    else if (event.key === "Enter" && typed.trim()) onChoose({ id: typed.trim(), name: typed.trim() });
    else if (event.key === "Escape" && found.length) {
      setFound([]);
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  return html`<div class="entity-box"><label for=${id}>${label}</label>
    <input id=${id} type="text" role="combobox" autocomplete="off" dir="auto" aria-expanded=${String(found.length > 0)} aria-controls=${`${id}-list`} aria-autocomplete="list" aria-activedescendant=${at >= 0 ? `${id}-${at}` : undefined}
      value=${typed} placeholder=${t("Part of a name")} onInput=${(/** @type {any} */ event) => type(event.target.value)} onKeyDown=${press} onBlur=${() => setTimeout(() => setFound([]), 200)} />
    <ul id=${`${id}-list`} role="listbox" aria-label=${label} class="suggestions" hidden=${!found.length}>${found.map((entity, place) => html`<li id=${`${id}-${place}`} role="option" aria-selected=${String(place === at)} onPointerDown=${(/** @type {Event} */ event) => { event.preventDefault(); choose(entity); }}>
      <span dir="auto">${entity.name}</span> <span class="note">${[entity.kind, count(entity.mentions, "named once", "named {n} times")].filter(Boolean).join(" · ")}</span></li>`)}</ul>
  </div>`;
}
