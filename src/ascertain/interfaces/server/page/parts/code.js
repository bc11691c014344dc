// Code with its words in colours; the library for it is fetched when there is code to be shown.
import { html, useEffect, useState } from "./html.js";

/** @typedef {[text: string, type: string | undefined]} Token */

/** Longer code stays plain: what is looked for in it takes time with the square of its length. */
const LONGEST = 5000;
/** Names of languages by those that people write. */
const NAMES = /** @type {Record<string, string>} */ ({
  bash: "bash", sh: "bash", shell: "bash", zsh: "bash", console: "bash", c: "c", cpp: "c", "c++": "c", h: "c", cs: "java", kotlin: "java", java: "java",
  css: "css", diff: "diff", patch: "diff", docker: "docker", dockerfile: "docker", go: "go", html: "html", http: "http", ini: "ini", cfg: "ini",
  js: "js", javascript: "js", mjs: "js", jsx: "js", json: "json", lua: "lua", make: "make", makefile: "make", perl: "pl", pl: "pl",
  py: "py", python: "py", python3: "py", rs: "rs", rust: "rs", sql: "sql", toml: "toml", ts: "ts", typescript: "ts", tsx: "ts", xml: "xml", yaml: "yaml", yml: "yaml",
});
/** @type {Map<string, any>} */
const loaded = new Map();

/** @param {string} name */
async function loadLanguage(name) {
  if (!loaded.has(name)) loaded.set(name, (await import(`../vendor/languages/${name}.js`)).default);
  return loaded.get(name);
}

/** @param {string} text @param {string} language @returns {Promise<Token[]>} */
async function findTokens(text, language) {
  const { tokenizer } = await import("../vendor/highlight.js");
  const tokens = /** @type {Token[]} */ ([]);
  const work = tokenizer(text, language, (/** @type {string} */ part, /** @type {string | undefined} */ type) => tokens.push([part, type]));
  let step = work.next();
  // it names each language that it needs, those inside others too
  while (!step.done) step = work.next(await loadLanguage(step.value).catch(() => []));
  return tokens;
}

/** @param {{ text: string, language: string }} props */
export function Code({ text, language }) {
  const name = NAMES[language.trim().toLowerCase()];
  const [tokens, setTokens] = useState(/** @type {Token[] | null} */ (null));
  useEffect(() => {
    let isWanted = true;
    setTokens(null);
    if (name && text.length <= LONGEST) findTokens(text, name).then((found) => isWanted && setTokens(found), () => {});
    return () => {
      isWanted = false;
    };
  }, [text, name]);
  return html`<code>${tokens ? tokens.map(([part, type]) => (type ? html`<span class=${`code-${type}`}>${part}</span>` : part)) : text}</code>`;
}
