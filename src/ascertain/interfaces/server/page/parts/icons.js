// Signs drawn with lines of one width.
import { html } from "./html.js";

const PATHS = {
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  document: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  graph: "M12 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM5 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM19 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM11 8l-5 8M13 8l5 8M7.5 18.5h9",
  timeline: "M3 17l5-6 4 4 8-9",
  statistics: "M5 20v-8M12 20V4M19 20v-5",
  settings: "M4 7h9M17 7h3M15 4.5v5M4 17h3M11 17h9M9 14.5v5",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  compose: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L21 21",
  send: "M12 20V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  again: "M20 5v5h-5M4 19v-5h5M19 10a7.5 7.5 0 0 0-13.5-2M5 14a7.5 7.5 0 0 0 13.5 2",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  attach: "M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.5-6.5L13 4a3 3 0 0 1 4.5 4.5l-8 8a1.5 1.5 0 0 1-2.2-2.2L14 7.5",
  filter: "M4 6h16M7 12h10M10 18h4",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  left: "M15 6l-6 6 6 6",
  right: "M9 6l6 6-6 6",
  outward: "M7 17L17 7M9 7h8v8",
  outline: "M4 6h3M4 12h3M4 18h3M10 6h10M10 12h10M10 18h10",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  check: "M5 12l5 5 9-10",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  thumbUp: "M7 11v9H4v-9zm2 9V10.5l4-7.5c1.4 0 2.3 1 2 2.6L14.3 9H19c1.2 0 2 1 1.8 2.2l-1.2 7A2 2 0 0 1 17.6 20z",
  thumbDown: "M17 13V4h3v9zm-2-9v9.5l-4 7.5c-1.4 0-2.3-1-2-2.6L9.7 15H5c-1.2 0-2-1-1.8-2.2l1.2-7A2 2 0 0 1 6.4 4z",
};

/** @param {{ name: keyof typeof PATHS }} props */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;

/** A button that is a sign; its name is read out and shown when one points at it.
 * @param {{ icon: keyof typeof PATHS, label: string, class?: string } & Record<string, unknown>} props */
export const IconButton = ({ icon, label, class: name = "", ...rest }) =>
  html`<button type="button" class=${`icon-button ${name}`} aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} /></button>`;
