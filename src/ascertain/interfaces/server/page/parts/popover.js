// Something small that opens at a button, and closes by Escape, by a click elsewhere or when the focus leaves it.
import { classes, html, useEffect, useRef, useState } from "./html.js";

/** @param {{ button: any, label: string, children: any, class?: string, buttonClass?: string, role?: string }} props children may be a function that is given `close` */
export function Popover({ button, label, children, class: name, buttonClass = "", role = "dialog" }) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => {
    setOpen(false);
    place.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (/** @type {Event} */ event) => {
      if (!place.current?.contains(/** @type {Node} */ (event.target))) setOpen(false);
    };
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector(".popover :is(button, input, select, a)"))?.focus();
    return () => {
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  }, [isOpen]);
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (!isOpen) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (role === "menu" && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const items = Array.from(place.current?.querySelectorAll('[role="menuitem"]') ?? []);
      const next = items.indexOf(/** @type {Element} */ (document.activeElement)) + (event.key === "ArrowDown" ? 1 : -1);
      /** @type {HTMLElement} */ (items.at(next % items.length))?.focus();
    }
  };
  return html`<span class="popover-place" ref=${place} onKeyDown=${press}>
    <button type="button" class=${buttonClass} aria-label=${label} title=${label} aria-haspopup=${role} aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${button}</button>
    ${isOpen && html`<div class=${classes("popover", name)} role=${role} aria-label=${label}>${typeof children === "function" ? children(close) : children}</div>`}
  </span>`;
}

/** An entry of a menu. @param {any} props */
export const MenuItem = ({ children, onClick, class: name = "" }) => html`<button type="button" role="menuitem" class=${classes("menu-item", name)} onClick=${onClick}>${children}</button>`;
