// An answer and a conversation as Markdown, with citations as footnotes, and onto the clipboard.
import { formatDay, t } from "../parts/words.js";
import { layOut, originOf, placeOf } from "./layout.js";

/** @param {any} answer of the service */
export function answerMarkdown(answer) {
  const { groups, rest } = layOut(answer);
  const written = groups.map(writeGroup);
  const notes = answer.citations.map(writeNote);
  return [...written, ...rest, ...(answer.caveat ? [`*${answer.caveat}*`] : []), notes.join("\n")].filter(Boolean).join("\n\n");
}

/** @param {import("./layout.js").Group} group */
function writeGroup({ kind, columns, parts }) {
  if (kind === "code") return `\`\`\`${parts[0].sentence.language}\n${parts[0].sentence.text}\n\`\`\``;
  if (kind === "table") {
    const rows = parts.map(({ sentence }) => `| ${sentence.text}${marks(sentence)} |`);
    return [`| ${columns.join(" | ")} |`, `|${" --- |".repeat(columns.length)}`, ...rows].join("\n");
  }
  const lines = parts.map(({ sentence, heading, time }) => {
    const above = heading.length ? `**${heading.join(" · ")}**\n\n` : "";
    return `${above}${time ? `${time} ` : ""}${sentence.text}${marks(sentence)}`;
  });
  if (kind === "list") return lines.map((line) => `- ${line}`).join("\n");
  if (kind === "steps") return lines.map((line, place) => `${place + 1}. ${line}`).join("\n");
  return lines.join(" ");
}

/** @param {import("./layout.js").Sentence} sentence */
const marks = (sentence) => (sentence.citations.length ? ` ${sentence.citations.map((n) => `[^${n}]`).join("")}` : "");

/** @param {import("./layout.js").Citation} citation */
function writeNote(citation) {
  const where = [placeOf(citation), formatDay(citation.published_at), citation.url ? "" : originOf(citation)].filter(Boolean).join(", ");
  const title = citation.url ? `[${citation.title}](${citation.url})` : citation.title;
  return `[^${citation.n}]: ${title}${where ? ` (${where})` : ""}: “${citation.quote.replace(/\s+/g, " ")}”`;
}

/** @param {string} name @param {any[]} turns */
export function conversationMarkdown(name, turns) {
  const parts = turns.map((turn, place) => {
    const answer = turn.whole ? answerMarkdown(turn.whole) : (turn.answer ?? `*${t("No answer.")}*`);
    // each turn has footnotes of its own
    return `## ${turn.question}\n\n${answer.replaceAll("[^", `[^${place + 1}-`)}`;
  });
  return `# ${name}\n\n${parts.join("\n\n")}\n`;
}

/** @param {string} text whether it is on the clipboard now */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // the clipboard's own interface is there on secure origins only
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "away" });
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

/** Save a text as a file. @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
