// The chat: a conversation, and the box below it. The latest question stays at the top while its answer comes, until the reader scrolls.
import { html, useCallback, useEffect, useMemo, useRef } from "../parts/html.js";
import { follow, go, linkTo } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";
import { UploadList } from "../documents/upload_list.js";
import { isUnderWay, useUploads } from "../documents/uploads.js";
import { Composer } from "./composer.js";
import { useConversation } from "./conversation.js";
import { requestOf } from "./filters.js";
import { Fetched } from "./found.js";
import { FollowUps } from "./follow_ups.js";
import { PendingTurn, Turn } from "./turn.js";
import { Welcome } from "./welcome.js";

/** Looked at for questions to begin with. */
const KNOWN_DOCUMENTS = 60;
const SCROLL_KEYS = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);
const GAP = 16;

/** @param {{ id: string, isReadOnly: boolean, onChange: () => void, onOpen: (citation: any, citations: any[]) => void, opened: { turn: string, n: number } | null, onOpened: (opened: { turn: string, n: number }) => void,
 *   chosen: import("./filters.js").Selection, onChoose: (chosen: import("./filters.js").Selection) => void }} props */
export function Chat({ id, isReadOnly, onChange, onOpen, opened, onOpened, chosen, onChoose }) {
  const known = useResource("v1/documents", { limit: KNOWN_DOCUMENTS });
  const documents = useMemo(() => known.value?.documents ?? [], [known.value]);
  const uploads = useUploads(known.reload);
  const begin = useCallback((/** @type {string} */ conversation) => go({ conversation }), []);
  const talk = useConversation(id, { onBegin: begin, onChange });
  const options = requestOf(chosen);
  const thread = useThread(talk.pending?.question ?? "", talk.turns.length);

  const open = (/** @type {any} */ turn, /** @type {any} */ citation) => {
    onOpened({ turn: turn.turn_id, n: citation.n });
    onOpen(citation, turn.whole.citations);
  };
  const again = (/** @type {any} */ turn) => talk.askInstead(turn, turn.question, { ...options, cache: false });
  const isBusy = talk.pending !== null;
  const isWelcome = !id && !isBusy && !talk.turns.length;
  const last = talk.turns.at(-1);
  return html`<div class="chat">
    <div class="scroller" ref=${thread.scroller}>
      <div class="thread" ref=${thread.content}>
        ${!isWelcome && html`<h1 class="hidden">${t("Conversation")}</h1>`}
        ${isWelcome && !known.problem && html`<${Welcome} documents=${documents} total=${known.value?.total ?? null} onAsk=${(/** @type {string} */ question) => talk.ask(question, options)} />`}
        ${isWelcome && known.problem && known.problem.status !== 401 && html`<${Trouble} problem=${known.problem} onAgain=${known.reload} />`}
        ${talk.isLoading && html`<${Loading} />`}
        ${talk.turns.map((turn) => html`<${Turn} key=${turn.turn_id} turn=${turn} isLast=${turn === last} isBusy=${isBusy || isReadOnly} opened=${opened && opened.turn === turn.turn_id ? opened.n : null}
          onOpen=${open} onEdit=${(/** @type {any} */ edited, /** @type {string} */ question) => talk.askInstead(edited, question, options)} onAgain=${again} onJudge=${talk.judge} />`)}
        ${talk.pending && html`<${PendingTurn} pending=${talk.pending} />`}
        ${talk.problem && html`<${Trouble} problem=${talk.problem} onAgain=${() => location.reload()} />`}
        ${!isBusy && !isReadOnly && last?.whole && html`<${FollowUps} conversation=${id} answer=${last.whole} onAsk=${(/** @type {string} */ question) => talk.ask(question, options)} />`}
        ${!isBusy && html`<${Fetched} key=${`${id} ${talk.turns.length}`} conversation=${id} turns=${talk.turns.length} />`}
        <div class="room" ref=${thread.room}></div>
      </div>
    </div>
    <div class="bottom">
      <${UploadList} uploads=${uploads.filter((upload) => isUnderWay(upload) || upload.state === "failed")} />
      ${isReadOnly
        ? html`<div class="state calm"><p>${t("Someone shared this conversation: you can read it, but only they can continue it.")}</p><p><a class="button" href=${linkTo({})} onClick=${follow({})}>${t("Ask something of your own")}</a></p></div>`
        : html`<${Composer} isBusy=${isBusy} onAsk=${(/** @type {string} */ question) => talk.ask(question, options)} onStop=${talk.stop} lastQuestion=${last?.question ?? ""}
        chosen=${chosen} onChoose=${onChoose} />`}
    </div>
  </div>`;
}

/** Keep the latest turn in sight while it grows. @param {string} pending @param {number} turns */
function useThread(pending, turns) {
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const content = useRef(/** @type {HTMLElement | null} */ (null));
  const room = useRef(/** @type {HTMLElement | null} */ (null));
  const isFollowing = useRef(false);

  useEffect(() => {
    const frame = /** @type {HTMLElement} */ (scroller.current);
    const place = () => {
      const latest = /** @type {HTMLElement | undefined} */ (Array.from(frame.querySelectorAll(".turn")).at(-1));
      if (!isFollowing.current || !latest || !room.current || !content.current) return;
      // below a short answer is room, so that its question can stand at the top
      const below = room.current.getBoundingClientRect().top - latest.getBoundingClientRect().top;
      // in whole pixels: what is rounded here and not there would be set again and again
      const height = `${Math.max(0, Math.ceil(frame.clientHeight - below - GAP))}px`;
      if (room.current.style.height !== height) room.current.style.height = height;
      frame.scrollTop += latest.getBoundingClientRect().top - frame.getBoundingClientRect().top - GAP;
    };
    const leave = () => {
      isFollowing.current = false;
    };
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (SCROLL_KEYS.has(event.key) && !/** @type {Element} */ (event.target).matches("textarea, input")) leave();
    };
    const grown = new ResizeObserver(place);
    grown.observe(/** @type {Element} */ (content.current));
    frame.addEventListener("wheel", leave, { passive: true });
    frame.addEventListener("touchmove", leave, { passive: true });
    frame.addEventListener("keydown", press);
    return () => grown.disconnect();
  }, []);
  useEffect(() => {
    isFollowing.current = pending !== "" || turns > 0;
    if (!pending && room.current && !turns) room.current.style.height = "0";
  }, [pending, turns === 0]);
  return { scroller, content, room };
}
