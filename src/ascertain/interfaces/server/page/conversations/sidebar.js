// The side of the page: its views, the conversations, and what belongs to the reader.
import { classes, html, useMemo, useState } from "../parts/html.js";
import { follow, linkTo } from "../parts/address.js";
import { Icon, IconButton } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { t } from "../parts/words.js";
import { Preferences } from "../parts/preferences.js";
import { ConversationRow } from "./conversation_row.js";

const SHOWN = 30;

/** @param {{ views: { name: string, title: string, icon: any }[], view: string, current: string, conversations: any[], session: any, isOpen: boolean, onClose: () => void, onChange: () => void, onSignOut: () => void }} props */
export function Sidebar({ views, view, current, conversations, session, isOpen, onClose, onChange, onSignOut }) {
  return html`<aside class=${classes("sidebar", isOpen && "open")}>
    <header><a class="brand" href=${linkTo({})} onClick=${follow({})}><img src=${new URL("../logo.svg", import.meta.url).href} alt="" width="32" height="32" /> <span>Ascertain</span></a>
      <${IconButton} icon="close" class="phone-only" label=${t("Close the menu")} onClick=${onClose} /></header>
    <nav aria-label=${t("Views")}>${views.map(({ name, title, icon }) => {
      const address = /** @type {Record<string, string>} */ (name === "chat" ? {} : { view: name });
      return html`<a class="view" href=${linkTo(address)} aria-current=${view === name ? "page" : undefined} onClick=${follow(address)}><${Icon} name=${icon} /> ${title}</a>`;
    })}</nav>
    <a class="button new" href=${linkTo({})} onClick=${follow({})}><${Icon} name="compose" /> ${t("New conversation")}</a>
    <${Conversations} conversations=${conversations} current=${current} hasKeys=${Boolean(session?.name)} onChange=${onChange} />
    <footer><${Popover} class="preferences" label=${session?.name ? t("Preferences of {name}", { name: session.name }) : t("Preferences")} buttonClass="plain" button=${html`<${Icon} name="settings" /> <span>${session?.name || t("Preferences")}</span>`}>
      <${Preferences} session=${session} onSignOut=${onSignOut} />
    </${Popover}></footer>
  </aside>`;
}

/** @param {{ conversations: any[], current: string, hasKeys: boolean, onChange: () => void }} props */
function Conversations({ conversations, current, hasKeys, onChange }) {
  const [wanted, setWanted] = useState("");
  const [areAllShown, showAll] = useState(false);
  const found = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = conversations.filter(({ name, first_question: question }) => words.every((word) => `${name} ${question}`.toLowerCase().includes(word)));
    return [...matching.filter((each) => each.is_pinned), ...matching.filter((each) => !each.is_pinned)];
  }, [conversations, wanted]);
  if (!conversations.length) return html`<div class="conversations"></div>`;
  const shown = areAllShown || wanted ? found : found.slice(0, SHOWN);
  return html`<section class="conversations" aria-label=${t("Conversations")}>
    <h2 class="small">${t("Conversations")}</h2>
    ${conversations.length > 5 &&
    html`<label class="search"><${Icon} name="search" /><span class="hidden">${t("Search the conversations")}</span>
      <input type="search" placeholder=${t("Search")} value=${wanted} onInput=${(/** @type {any} */ event) => setWanted(event.target.value)} /></label>`}
    <ul>${shown.map((conversation) => html`<li key=${conversation.id}><${ConversationRow} conversation=${conversation} isCurrent=${conversation.id === current} hasKeys=${hasKeys} onChange=${onChange} /></li>`)}</ul>
    ${!found.length && html`<p class="note">${t("None of them.")}</p>`}
    ${shown.length < found.length && html`<button type="button" class="quiet" onClick=${() => showAll(true)}>${t("Show all {n}", { n: found.length })}</button>`}
  </section>`;
}
