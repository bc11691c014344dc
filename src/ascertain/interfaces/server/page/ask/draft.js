// What a chat model writes, while it writes it: Markdown as marked reads it, drawn as elements and never as markup of its own.
import { html, useEffect, useState } from "../parts/html.js";
import { Code } from "../parts/code.js";
import { Formula, drawFormulas, findFormulas } from "../parts/formula.js";

/** @type {((text: string) => any[]) | null} */
let readMarkdown = null;

/** What Markdown would take for emphasis or for an escaped character. */
const FORMULA = {
  name: "formula",
  level: "inline",
  start: (/** @type {string} */ text) => findFormulas(text)[0]?.start,
  tokenizer(/** @type {string} */ text) {
    const [first] = findFormulas(text);
    return first?.start === 0 ? { type: "formula", raw: text.slice(0, first.end), ...first } : undefined;
  },
};

/** Read out, it would be heard again with each word. @param {{ text: string }} props */
export function Draft({ text }) {
  const [, setReady] = useState(readMarkdown !== null);
  useEffect(() => {
    if (readMarkdown) return;
    import("../vendor/marked.js").then(({ Marked }) => {
      const reader = new Marked({ extensions: [FORMULA] });
      readMarkdown = (markdown) => reader.lexer(markdown);
      setReady(true);
    });
  }, []);
  return html`<div class="draft text" dir="auto" aria-hidden="true">${readMarkdown ? readMarkdown(text).map(drawBlock) : html`<p class="pre">${text}</p>`}</div>`;
}

/** @param {any} token */
function drawBlock(token) {
  switch (token.type) {
    case "space":
      return null;
    case "heading":
      return html`<p class="heading">${drawInline(token.tokens)}</p>`;
    case "code":
      return html`<pre><${Code} text=${token.text} language=${token.lang ?? ""} /></pre>`;
    case "blockquote":
      return html`<blockquote>${token.tokens.map(drawBlock)}</blockquote>`;
    case "list": {
      const tag = token.ordered ? "ol" : "ul";
      return html`<${tag}>${token.items.map((/** @type {any} */ item) => html`<li>${item.tokens.map(drawBlock)}</li>`)}</${tag}>`;
    }
    case "table":
      return html`<div class="table-frame"><table><thead><tr>${token.header.map((/** @type {any} */ cell) => html`<th>${drawInline(cell.tokens)}</th>`)}</tr></thead>
        <tbody>${token.rows.map((/** @type {any[]} */ row) => html`<tr>${row.map((cell) => html`<td>${drawInline(cell.tokens)}</td>`)}</tr>`)}</tbody></table></div>`;
    case "hr":
      return html`<hr />`;
    case "text":
      return html`<span>${token.tokens ? drawInline(token.tokens) : token.text}</span>`;
    case "paragraph":
      return html`<p>${drawInline(token.tokens)}</p>`;
    default:
      return html`<p>${token.raw}</p>`;
  }
}

/** @param {any[]} tokens @returns {any} */
const drawInline = (tokens) =>
  tokens.map((token) => {
    if (token.type === "strong") return html`<b>${drawInline(token.tokens)}</b>`;
    if (token.type === "em") return html`<em>${drawInline(token.tokens)}</em>`;
    if (token.type === "codespan") return html`<code>${token.text}</code>`;
    if (token.type === "br") return html`<br />`;
    if (token.type === "formula") return html`<${Formula} source=${token.raw} tex=${token.tex} isBlock=${token.isBlock} />`;
    // a link of a draft leads nowhere: it is unchecked
    if (token.type === "link" || token.type === "del") return drawInline(token.tokens);
    return token.type === "text" && token.tokens ? drawInline(token.tokens) : (token.text ?? token.raw);
  });
