// The words of the interface: English ones are their own keys, other languages have a file each in languages/.

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };
const CHOSEN = "ascertain.language";

/** @type {Record<string, string>} */
let translations = {};
export let language = "en";
/** How numbers and dates are written: as in the reader's own country, where that speaks the language. */
let locale = "en";

/** Load the words of the language that the reader chose, or else that of the browser. */
export async function loadWords() {
  const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages].map((name) => (name ?? "").slice(0, 2).toLowerCase());
  language = wanted.find((name) => name in LANGUAGES) ?? "en";
  document.documentElement.lang = language;
  locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
  if (language === "en") return;
  const file = await fetch(new URL(`../languages/${language}.json`, import.meta.url));
  if (file.ok) translations = await file.json();
}

/** @param {string} name of LANGUAGES */
export function chooseLanguage(name) {
  localStorage.setItem(CHOSEN, name);
  location.reload();
}

/** Words in the reader's language, with {name} replaced by values.
 * @param {string} words
 * @param {Record<string, string | number>} [values] */
export const t = (words, values = {}) =>
  (translations[words] ?? words).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** Words for a number of things: for one of them, or for several.
 * @param {number} count
 * @param {string} one
 * @param {string} several with {n} */
export const count = (count, one, several) => t(count === 1 ? one : several, { n: formatNumber(count) });

/** @param {number} number */
export const formatNumber = (number) => number.toLocaleString(locale);

/** @param {string | null | undefined} moment in ISO 8601 */
export function formatDay(moment) {
  const day = moment ? new Date(moment) : null;
  if (!day || Number.isNaN(day.getTime())) return "";
  return day.toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** @param {string} moment in ISO 8601 */
export function formatAgo(moment) {
  const passed = (Date.now() - new Date(moment).getTime()) / 1000;
  if (passed < 60) return t("just now");
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  if (passed < 3600) return ago.format(-Math.floor(passed / 60), "minute");
  if (passed < 86400) return ago.format(-Math.floor(passed / 3600), "hour");
  return passed < 7 * 86400 ? ago.format(-Math.floor(passed / 86400), "day") : formatDay(moment);
}

/** @param {string} moment in ISO 8601, to come */
export function formatUntil(moment) {
  const left = (new Date(moment).getTime() - Date.now()) / 1000;
  if (left < 60) return t("in a moment");
  const until = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });
  if (left < 3600) return until.format(Math.round(left / 60), "minute");
  if (left < 86400) return until.format(Math.round(left / 3600), "hour");
  return left < 14 * 86400 ? until.format(Math.round(left / 86400), "day") : formatDay(moment);
}

/** `03:46`, or `1:02:03` from one hour on.
 * @param {number} seconds */
export function formatTime(seconds) {
  const whole = Math.floor(seconds);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
}

/** @param {number} bytes */
export function formatSize(bytes) {
  const units = ["kilobyte", "megabyte", "gigabyte"];
  let size = bytes / 1000;
  let place = 0;
  while (size >= 1000 && place < units.length - 1) {
    size /= 1000;
    place += 1;
  }
  const digits = { maximumFractionDigits: size < 10 ? 1 : 0 };
  return size.toLocaleString(locale, { style: "unit", unit: units[place], unitDisplay: "short", ...digits });
}
