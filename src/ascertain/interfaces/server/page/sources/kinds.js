// The kinds of places that can be watched: how their addresses look, what can be said of them, and which of it is a secret.
import { t } from "../parts/words.js";

/** @typedef {{ name: string, label: () => string, hint?: string, isSecret?: boolean, isNumber?: boolean }} Option */
/** @typedef {{ name: () => string, about: () => string, example: string, options: Option[], isFree?: boolean, isHere?: boolean, lead?: string }} Kind lead: what stands before an address that was written without it */

const user = () => t("User name");
const password = () => t("Password");

/** By the names of the service. */
export const KINDS = /** @type {Record<string, Kind>} */ ({
  site: {
    name: () => t("Web site"),
    about: () => t("The pages below an address, by the site's own list or by its links. Pages that robots.txt disallows are skipped."),
    example: "https://docs.example.org/guide/",
    options: [{ name: "pages", label: () => t("Maximum number of pages"), hint: "500", isNumber: true }, { name: "delay", label: () => t("Seconds between two requests"), hint: "1", isNumber: true }],
  },
  feed: { name: () => t("Feed"), about: () => t("An RSS or Atom feed. What it no longer lists stays here."), example: "https://example.org/feed.xml", options: [] },
  git: {
    name: () => t("Git repository"),
    about: () => t("The files of a repository as they are committed."),
    example: "https://github.com/owner/project.git",
    options: [{ name: "ref", label: () => t("Branch or tag"), hint: "main" }, { name: "folder", label: () => t("Only this folder"), hint: "docs" }, { name: "user", label: user }, { name: "token", label: () => t("Access token"), isSecret: true }],
  },
  arxiv: { name: () => "arXiv", about: () => t("Papers by their ids, or what a search finds."), example: "arxiv:1706.03762", options: [{ name: "papers", label: () => t("Maximum number of papers"), hint: "50", isNumber: true }], lead: "arxiv:" },
  imap: { name: () => t("Mailbox"), about: () => t("A folder of a mailbox, over IMAP."), example: "imaps://mail.example.org/INBOX", options: [{ name: "user", label: user }, { name: "password", label: password, isSecret: true }] },
  files: {
    name: () => t("File server or cloud storage"),
    about: () => t("S3, SFTP, WebDAV, GitHub, Google Cloud, Azure or SMB: the address says which."),
    example: "s3://company/handbook",
    options: [],
    isFree: true,
  },
  llamahub: { name: () => t("Another service"), about: () => t("Notion, Confluence, Slack and many others, by a reader of LlamaHub that is installed with this service."), example: "llamahub:notion.NotionPageReader", options: [], isFree: true, lead: "llamahub:" },
  folder: { name: () => t("Folder on the service's machine"), about: () => t("For safety, folders of that machine are added there and not over the network. It is read again half a second after something in it changes."), example: "", options: [], isHere: true },
});

/** What the options written as `NAME=VALUE`, one a line, are. @param {string} text @returns {Record<string, string>} */
export const readOptions = (text) =>
  Object.fromEntries(text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => {
    const [name, ...value] = line.split("=");
    return [name.trim(), value.join("=").trim()];
  }));

/** Where a secret is: what looks like the name of an environment variable is one. @param {string} text */
export const referTo = (text) => (/^(env|keyring):/.test(text) ? text : `env:${text}`);
