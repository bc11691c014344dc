// The page: its views, the conversation or list under way, and the document that is open beside it.
import { classes, html, render, useCallback, useEffect, useState } from "./parts/html.js";
import { go, useAddress } from "./parts/address.js";
import { IconButton } from "./parts/icons.js";
import { Login, NotAdmitted } from "./parts/login.js";
import { loadTheme } from "./parts/preferences.js";
import { useResource } from "./parts/resource.js";
import { Loading } from "./parts/state.js";
import { Toasts, showToast } from "./parts/toast.js";
import { count, loadWords, t } from "./parts/words.js";
import { Chat } from "./ask/chat.js";
import { EVERYTHING } from "./ask/filters.js";
import { Sidebar } from "./conversations/sidebar.js";
import { addFiles, readDrop } from "./documents/uploads.js";
import { call, onUnknownCaller } from "./service/client.js";

/** Views that are loaded when somebody goes there. */
const VIEWS = /** @type {{ name: string, title: () => string, icon: string, load: null | (() => Promise<any>), isForAdmins?: boolean, isForOperators?: boolean }[]} */ ([
  { name: "chat", title: () => t("Chat"), icon: "chat", load: null },
  { name: "documents", title: () => t("Documents"), icon: "document", load: () => import("./documents/documents.js") },
  { name: "sources", title: () => t("Sources"), icon: "again", load: () => import("./sources/sources.js") },
  { name: "graph", title: () => t("Graph"), icon: "graph", load: () => import("./graph/graph.js") },
  { name: "analysis", title: () => t("Analysis"), icon: "timeline", load: () => import("./analysis/analysis.js") },
  { name: "research", title: () => t("Research"), icon: "search", load: () => import("./research/research.js") },
  { name: "evaluation", title: () => t("Evaluation"), icon: "check", load: () => import("./evaluation/evaluation.js"), isForOperators: true },
  { name: "statistics", title: () => t("Statistics"), icon: "statistics", load: () => import("./statistics/statistics.js") },
  { name: "settings", title: () => t("Settings"), icon: "settings", load: () => import("./settings/settings.js"), isForAdmins: true },
]);

function App() {
  const address = useAddress();
  const [session, setSession] = useState(/** @type {any} */ (undefined));
  const [refusal, setRefusal] = useState(/** @type {any} */ (null));
  useEffect(() => {
    onUnknownCaller(() => setSession(null));
    call("GET", "v1/session").then(setSession, (problem) => (problem.kind === "not-admitted" ? setRefusal(problem) : setSession(problem.status === 401 ? null : {})));
  }, []);
  if (refusal) return html`<${NotAdmitted} problem=${refusal} />`;
  if (session === null) return html`<${Login} onKnown=${setSession} />`;
  return html`<${Page} address=${address} session=${session} onSignOut=${() => call("DELETE", "v1/session").then(() => setSession(null))} />`;
}

/** @param {any} props */
function Page({ address, session, onSignOut }) {
  const view = VIEWS.some(({ name }) => name === address.view) ? address.view : "chat";
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [chosen, setChosen] = useState(EVERYTHING);
  const [opened, setOpened] = useState(/** @type {any} */ (null));
  const conversations = useResource("v1/conversations");
  const current = (conversations.value?.conversations ?? []).find((/** @type {any} */ each) => each.id === address.conversation);
  useEffect(() => setMenuOpen(false), [address]);
  useEffect(() => {
    document.title = current ? `${current.name || current.first_question} – Ascertain` : view === "chat" ? "Ascertain" : `${VIEWS.find((each) => each.name === view)?.title()} – Ascertain`;
  }, [address, current]);

  const openCitation = useCallback((/** @type {any} */ citation, /** @type {any[]} */ citations) => {
    setOpened((/** @type {any} */ before) => ({ ...before, citation, citations }));
    go({ document: citation.document_id, at: `${citation.span[0]}-${citation.span[1]}` }, { replace: Boolean(address.document) });
  }, [address.document]);
  const close = useCallback(() => {
    setOpened(null);
    go({ document: null, at: null });
  }, []);
  const ask = useCallback((/** @type {any} */ document) => {
    setChosen({ ...EVERYTHING, document });
    if (view !== "chat") go({ view: null });
  }, [view]);
  useEscape(Boolean(address.document), close);
  const drop = useDrop();
  const views = VIEWS.filter(({ isForAdmins, isForOperators }) => (!isForAdmins || session?.is_admin) && (!isForOperators || session?.is_operator)).map(({ name, title, icon }) => ({ name, title: title(), icon }));
  const isReading = Boolean(address.document);
  return html`<div class=${classes("page", isReading && "reading", drop.isOver && "dropping")} ...${drop.handlers}>
    <a class="skip" href="#main">${t("Skip to the content")}</a>
    <${Sidebar} views=${views} view=${view} current=${view === "chat" ? (address.conversation ?? "") : ""} conversations=${conversations.value?.conversations ?? []} session=${session}
      isOpen=${isMenuOpen} onClose=${() => setMenuOpen(false)} onChange=${conversations.reload} onSignOut=${onSignOut} />
    ${isMenuOpen && html`<div class="shade" onClick=${() => setMenuOpen(false)}></div>`}
    <main id="main">
      <${IconButton} icon="menu" class="menu-button phone-only" label=${t("Menu")} aria-expanded=${String(isMenuOpen)} onClick=${() => setMenuOpen(true)} />
      ${view === "chat"
        ? html`<${Chat} id=${address.conversation ?? ""} isReadOnly=${current?.is_own === false} onChange=${conversations.reload} onOpen=${openCitation} opened=${isReading ? opened?.mark : null} onOpened=${(/** @type {any} */ mark) => setOpened((/** @type {any} */ before) => ({ ...before, mark }))} chosen=${chosen} onChoose=${setChosen} />`
        : html`<${Lazy} key=${view} load=${VIEWS.find((each) => each.name === view)?.load} address=${address} onOpen=${openCitation} chosen=${chosen} onChoose=${setChosen} session=${session} />`}
    </main>
    ${isReading &&
    html`<${Lazy} key="reader" load=${loadReader} id=${address.document} at=${address.at ?? ""} citation=${opened?.citation?.document_id === address.document ? opened.citation : null} citations=${opened?.citations ?? []}
      onCitation=${(/** @type {any} */ citation) => { setOpened((/** @type {any} */ before) => ({ ...before, citation, mark: before?.mark && { ...before.mark, n: citation.n } })); go({ document: citation.document_id, at: `${citation.span[0]}-${citation.span[1]}` }, { replace: true }); }}
      onClose=${close} onAsk=${ask} />`}
    ${drop.isOver && html`<div class="drop-hint"><p>${t("Drop the files to add them")}</p></div>`}
    <${Toasts} />
  </div>`;
}

const loadReader = () => import("./read/reader.js");

/** A part that is fetched when it is first needed; its module exports it as `View`. @param {any} props */
function Lazy({ load, ...rest }) {
  const [module, setModule] = useState(/** @type {any} */ (null));
  useEffect(() => {
    load().then(setModule, () => showToast(t("The service does not answer")));
  }, []);
  return module ? html`<${module.View} ...${rest} />` : html`<${Loading} />`;
}

/** Escape closes what is open, where nothing nearer to the reader took it. @param {boolean} isOpen @param {() => void} close */
function useEscape(isOpen, close) {
  useEffect(() => {
    if (!isOpen) return undefined;
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) close();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOpen, close]);
}

/** Files that are dropped anywhere on the page are added. */
function useDrop() {
  const [depth, setDepth] = useState(0);
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  const handlers = {
    onDragEnter: (/** @type {DragEvent} */ event) => hasFiles(event) && setDepth((now) => now + 1),
    onDragLeave: (/** @type {DragEvent} */ event) => hasFiles(event) && setDepth((now) => Math.max(0, now - 1)),
    onDragOver: (/** @type {DragEvent} */ event) => hasFiles(event) && event.preventDefault(),
    onDrop: async (/** @type {DragEvent} */ event) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setDepth(0);
      const files = await readDrop(event.dataTransfer);
      addFiles(files);
      showToast(count(files.length, "1 file is being added.", "{n} files are being added."));
    },
  };
  return { isOver: depth > 0, handlers };
}

loadTheme();
await loadWords();
const place = /** @type {Element} */ (document.getElementById("page"));
// the frame that was shown while this was fetched
place.replaceChildren();
render(html`<${App} />`, place);
