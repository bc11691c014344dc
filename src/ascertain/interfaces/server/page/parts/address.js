// What the address of the page says: the view, the conversation, the document that is open. Back and forward, a reload, a
// bookmark and a link all come back to it.
import { useEffect, useState } from "./html.js";

/** @typedef {Record<string, string>} Address */

/** @type {Set<(address: Address) => void>} */
const listeners = new Set();

/** @returns {Address} */
export const readAddress = () => Object.fromEntries(new URLSearchParams(location.search));

/** @param {Address} address */
const writeAddress = (address) => {
  const query = new URLSearchParams(address).toString();
  return `${location.pathname}${query ? `?${query}` : ""}`;
};

/** Change some of the address; null takes a part away.
 * @param {Record<string, string | null>} changes
 * @param {{ replace?: boolean, keep?: boolean }} [how] replace: no step for the way back; keep: what is not named stays */
export function go(changes, { replace = false, keep = true } = {}) {
  const next = Object.fromEntries(Object.entries({ ...(keep ? readAddress() : {}), ...changes }).filter(([, value]) => value));
  const url = writeAddress(/** @type {Address} */ (next));
  if (url === `${location.pathname}${location.search}`) return;
  history[replace ? "replaceState" : "pushState"](null, "", url);
  tell();
}

const tell = () => listeners.forEach((listener) => listener(readAddress()));
addEventListener("popstate", tell);

/** The address, again whenever it changes. */
export function useAddress() {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    listeners.add(setAddress);
    return () => void listeners.delete(setAddress);
  }, []);
  return address;
}

/** An href for a link that works in a new tab too.
 * @param {Address} address */
export const linkTo = (address) => writeAddress(address);

/** What a link does in this tab.
 * @param {Record<string, string | null>} address */
export const follow = (address) => (/** @type {MouseEvent} */ event) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(address, { keep: false });
};
