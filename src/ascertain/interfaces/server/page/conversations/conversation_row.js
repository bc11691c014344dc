// A conversation in the list: opened, named, pinned, exported, deleted.
import { classes, html, useEffect, useRef, useState } from "../parts/html.js";
import { follow, go, linkTo } from "../parts/address.js";
import { Confirmation } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { MenuItem, Popover } from "../parts/popover.js";
import { showToast } from "../parts/toast.js";
import { count, formatAgo, t } from "../parts/words.js";
import { conversationMarkdown, copyText, saveFile } from "../ask/copy.js";
import { call, get, segment } from "../service/client.js";

/** @param {any} conversation */
export const nameOf = ({ name, first_question: question, id }) => name || question || id;

/** @param {{ conversation: any, isCurrent: boolean, hasKeys: boolean, onChange: () => void }} props hasKeys: somebody else may use the service too */
export function ConversationRow({ conversation, isCurrent, hasKeys, onChange }) {
  const [isNamed, setNamed] = useState(false);
  const [isDeleted, setDeleted] = useState(false);
  const path = `v1/conversations/${segment(conversation.id)}`;
  const label = async (/** @type {object} */ changes) => {
    setNamed(false);
    await attempt(() => call("PATCH", path, { json: changes }));
    onChange();
  };
  const copyLink = async () => {
    const isCopied = await copyText(new URL(linkTo({ conversation: conversation.id }), location.href).href);
    showToast(isCopied ? t("The link is copied.") : t("The link is the address of this page."));
  };
  const share = async (/** @type {boolean} */ isShared) => {
    await attempt(async () => {
      await call(isShared ? "POST" : "DELETE", `${path}/share`);
      if (isShared) await copyLink();
      else showToast(t("Only you can read it again."));
    });
    onChange();
  };
  const remove = async () => {
    await attempt(() => call("DELETE", path));
    if (isCurrent) go({}, { keep: false });
    onChange();
  };
  if (isNamed) return html`<${NameBox} name=${nameOf(conversation)} onName=${(/** @type {string} */ name) => label({ name })} onClose=${() => setNamed(false)} />`;
  const address = { conversation: conversation.id };
  return html`<div class=${classes("conversation", isCurrent && "current")}>
    <a href=${linkTo(address)} onClick=${follow(address)} aria-current=${isCurrent ? "true" : undefined}>
      <span class="name" dir="auto">${conversation.is_pinned && html`<${Icon} name="pin" />`}${nameOf(conversation)}</span>
      <span class="facts">${[formatAgo(conversation.last_used), sharingOf(conversation)].filter(Boolean).map((fact) => html`<span>${fact}</span>`)}</span></a>
    <${Popover} class="menu" role="menu" label=${t("More about {name}", { name: nameOf(conversation) })} buttonClass="icon-button" button=${html`<${Icon} name="more" />`}>
      ${(/** @type {() => void} */ close) => html`
        ${conversation.is_own && html`<${MenuItem} onClick=${() => { close(); label({ is_pinned: !conversation.is_pinned }); }}><${Icon} name="pin" /> ${conversation.is_pinned ? t("Unpin") : t("Pin")}</${MenuItem}>
        <${MenuItem} onClick=${() => setNamed(true)}><${Icon} name="edit" /> ${t("Rename")}</${MenuItem}>`}
        ${hasKeys && conversation.is_own && html`<${MenuItem} onClick=${() => { close(); share(!conversation.is_shared); }}><${Icon} name="link" /> ${conversation.is_shared ? t("Stop sharing") : t("Share by link")}</${MenuItem}>`}
        ${(!hasKeys || conversation.is_shared) && html`<${MenuItem} onClick=${() => { close(); copyLink(); }}><${Icon} name="link" /> ${t("Copy the link")}</${MenuItem}>`}
        <${MenuItem} onClick=${() => { close(); attempt(() => exportConversation(conversation, "markdown")); }}><${Icon} name="download" /> ${t("Save as Markdown")}</${MenuItem}>
        <${MenuItem} onClick=${() => { close(); attempt(() => exportConversation(conversation, "json")); }}><${Icon} name="download" /> ${t("Save as JSON")}</${MenuItem}>
        ${conversation.is_own && html`<${MenuItem} class="danger" onClick=${() => { close(); setDeleted(true); }}><${Icon} name="trash" /> ${t("Delete")}</${MenuItem}>`}`}
    </${Popover}>
    ${isDeleted && html`<${DeleteDialog} conversation=${conversation} onConfirm=${remove} onClose=${() => setDeleted(false)} />`}
  </div>`;
}

/** @param {any} conversation */
const sharingOf = ({ is_own: isOwn, is_shared: isShared }) => (!isOwn ? t("of somebody else") : isShared ? t("shared") : "");

/** @param {any} props */
function DeleteDialog({ conversation, onConfirm, onClose }) {
  const [fetched, setFetched] = useState(0);
  useEffect(() => {
    get(`v1/conversations/${segment(conversation.id)}/sources`).then(({ documents }) => setFetched(documents.length), () => {});
  }, []);
  const words = fetched ? count(fetched, "1 document that was fetched only for it will be deleted too.", "{n} documents that were fetched only for it will be deleted too.") : "";
  return html`<${Confirmation} title=${t("Delete this conversation?")} words=${words} action=${t("Delete")} onConfirm=${onConfirm} onClose=${onClose}>
    <p dir="auto">${nameOf(conversation)}</p></${Confirmation}>`;
}

/** @param {{ name: string, onName: (name: string) => void, onClose: () => void }} props */
function NameBox({ name, onName, onClose }) {
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => box.current?.select(), []);
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") onClose();
    if (event.key === "Enter") onName(/** @type {HTMLInputElement} */ (event.target).value);
  };
  return html`<input class="name-box" ref=${box} maxlength="300" dir="auto" aria-label=${t("Name of the conversation")} value=${name} onKeyDown=${press} onBlur=${(/** @type {any} */ event) => (event.target.value === name ? onClose() : onName(event.target.value))} />`;
}

/** @param {any} conversation @param {"markdown" | "json"} form */
async function exportConversation(conversation, form) {
  const whole = await get(`v1/conversations/${segment(conversation.id)}`);
  const file = nameOf(conversation).replace(/[^\p{L}\p{N} _-]+/gu, "").trim().slice(0, 60) || "conversation";
  if (form === "json") saveFile(`${file}.json`, JSON.stringify({ ...whole, name: nameOf(conversation) }, null, 2), "application/json");
  else saveFile(`${file}.md`, conversationMarkdown(nameOf(conversation), whole.turns), "text/markdown");
}

/** @param {() => Promise<unknown>} work */
async function attempt(work) {
  try {
    await work();
  } catch (problem) {
    showToast(/** @type {Error} */ (problem).message || t("The service does not answer"));
  }
}
