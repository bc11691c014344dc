// The conversation under way: its turns, the question that is being answered, and what can be done about both.
import { useCallback, useEffect, useReducer, useRef } from "../parts/html.js";
import { Problem, call, get, newId, segment } from "../service/client.js";
import { askQuestion, problemOfEvent, resumeQuestion, stopQuestion } from "../service/events.js";

/** @typedef {{ turn_id: string, question: string, state: string, reason: string, answer: string | null, whole: any, feedback: any, problem?: Problem, request?: object }} Turn */
/** @typedef {{ question: string, request: object, answerId: string, steps: import("./steps.js").Step[], draft: string, text: string }} Pending */
/** @typedef {{ id: string, turns: Turn[], pending: Pending | null, problem: Problem | null, isLoading: boolean }} State */

const EMPTY = /** @type {State} */ ({ id: "", turns: [], pending: null, problem: null, isLoading: false });

/** @param {State} state @param {any} action @returns {State} */
function reduce(state, action) {
  if (action.id !== state.id && action.kind !== "open") return state;
  switch (action.kind) {
    case "open":
      return { ...EMPTY, id: action.id, isLoading: action.isLoading };
    case "loaded":
      return { ...state, turns: action.turns, isLoading: false, pending: action.pending };
    case "failed":
      return { ...state, problem: action.problem, isLoading: false };
    case "asked":
      return { ...state, problem: null, pending: action.pending, turns: action.turns ?? state.turns };
    case "event":
      return state.pending ? { ...state, pending: takeEvent(state.pending, action.event) } : state;
    case "ended":
      return { ...state, pending: null, turns: [...state.turns.filter((turn) => turn.turn_id !== action.turn.turn_id), action.turn] };
    case "judged":
      return { ...state, turns: state.turns.map((turn) => (turn.whole?.id === action.feedback.answer_id ? { ...turn, feedback: action.feedback } : turn)) };
    default:
      return state;
  }
}

/** @param {Pending} pending @param {import("../service/events.js").ServerEvent} event @returns {Pending} */
export function takeEvent(pending, { name, data }) {
  if (name === "started") return { ...pending, answerId: data.answer_id };
  if (name === "draft") return { ...pending, draft: (data.is_new ? "" : pending.draft) + data.text };
  if (name === "text") return { ...pending, text: pending.text + data.text };
  if (name !== "node") return pending;
  if (data.state === "started") return { ...pending, steps: [...pending.steps, { node: data.node, outcome: "", isRunning: true }] };
  const at = pending.steps.findLastIndex((step) => step.node === data.node && step.isRunning);
  const ended = { node: data.node, outcome: data.outcome ?? "", isRunning: false };
  return { ...pending, steps: at < 0 ? [...pending.steps, ended] : pending.steps.map((step, place) => (place === at ? ended : step)) };
}

/** @param {string} question @param {object} request @returns {Pending} */
const begin = (question, request, answerId = "") => ({ question, request, answerId, steps: [], draft: "", text: "" });

/** @param {string} id of the conversation; empty for one that begins with its first question
 * @param {{ onBegin: (id: string) => void, onChange: () => void }} listeners onBegin: the first question gives it an id; onChange: a turn has ended */
export function useConversation(id, { onBegin, onChange }) {
  const [state, dispatch] = useReducer(reduce, EMPTY);
  const own = useRef({ id: "", abort: new AbortController() });

  const run = useCallback(async (/** @type {string} */ of, /** @type {Pending} */ pending) => {
    const abort = new AbortController();
    own.current = { id: of, abort };
    let answerId = pending.answerId;
    try {
      const events = answerId ? resumeQuestion(answerId, abort.signal) : askQuestion(pending.request, abort.signal);
      for await (const event of events) {
        if (event.name === "started") answerId = event.data.answer_id;
        if (event.name === "error") throw problemOfEvent(event.data);
        if (event.name === "answer") {
          const whole = event.data;
          dispatch({ kind: "ended", id: of, turn: { turn_id: whole.id, question: pending.question, state: "finished", reason: "", answer: whole.answer, whole, feedback: null } });
          onChange();
          return;
        }
        dispatch({ kind: "event", id: of, event });
      }
      await load(of, dispatch);
    } catch (error) {
      if (own.current.abort !== abort || abort.signal.aborted) return;
      // its events are gone: the conversation says what became of it
      if (error instanceof Problem && error.status === 404 && pending.answerId) return void load(of, dispatch);
      const problem = error instanceof Problem ? error : new Problem({ status: 0, kind: "unknown", detail: String(error) });
      const turn = { turn_id: answerId || newId(), question: pending.question, state: problem.kind === "stopped" ? "stopped" : "failed", reason: problem.message, answer: null, whole: null, feedback: null };
      dispatch({ kind: "ended", id: of, turn: { ...turn, problem, request: pending.request } });
      onChange();
    }
  }, [onChange]);

  useEffect(() => {
    if (own.current.id === id && id) return undefined;
    own.current.abort.abort();
    own.current = { id, abort: new AbortController() };
    dispatch({ kind: "open", id, isLoading: Boolean(id) });
    if (id) load(id, dispatch).then((pending) => pending && own.current.id === id && run(id, pending));
    return undefined;
  }, [id]);
  // who leaves the view hears of the rest when coming back: the service goes on
  useEffect(() => () => own.current.abort.abort(), []);

  const ask = useCallback((/** @type {string} */ question, /** @type {object} */ options, /** @type {Turn[]} */ turns) => {
    const of = state.id || newId();
    const pending = begin(question, { question, conversation_id: of, ...options });
    if (!state.id) {
      own.current = { id: of, abort: new AbortController() };
      dispatch({ kind: "open", id: of });
      onBegin(of);
    }
    dispatch({ kind: "asked", id: of, pending, turns });
    run(of, pending);
  }, [state.id, run, onBegin]);

  /** Take a turn back, with those after it, and ask again in its place. */
  const askInstead = useCallback(async (/** @type {Turn} */ turn, /** @type {string} */ question, /** @type {object} */ options) => {
    const kept = state.turns.slice(0, state.turns.indexOf(turn));
    try {
      await call("DELETE", `v1/conversations/${segment(state.id)}/turns/${segment(turn.turn_id)}`);
    } catch (error) {
      // one that never reached the service is not there to be taken back
      if (!(error instanceof Problem) || error.status !== 404) return void dispatch({ kind: "failed", id: state.id, problem: error });
    }
    ask(question, options, kept);
  }, [state.id, state.turns, ask]);

  const stop = useCallback(() => {
    const { pending } = state;
    if (!pending) return;
    if (pending.answerId) stopQuestion(pending.answerId).catch(() => {});
    own.current.abort.abort();
    const turn = { turn_id: pending.answerId || newId(), question: pending.question, state: "stopped", reason: "", answer: null, whole: null, feedback: null, request: pending.request };
    dispatch({ kind: "ended", id: state.id, turn });
    onChange();
  }, [state, onChange]);

  const judge = useCallback(async (/** @type {string} */ answerId, /** @type {string} */ thumb, comment = "") => {
    const feedback = await call("POST", "v1/feedback", { json: { answer_id: answerId, thumb, comment } });
    dispatch({ kind: "judged", id: state.id, feedback });
  }, [state.id]);

  return { ...state, ask, askInstead, stop, judge };
}

/** @param {string} id @param {(action: any) => void} dispatch the question that the service still works on */
async function load(id, dispatch) {
  try {
    const { turns } = await get(`v1/conversations/${segment(id)}`);
    const last = turns.at(-1);
    const pending = last?.state === "running" ? begin(last.question, {}, last.turn_id) : null;
    dispatch({ kind: "loaded", id, turns: pending ? turns.slice(0, -1) : turns, pending });
    return pending;
  } catch (problem) {
    dispatch({ kind: "failed", id, problem });
    return null;
  }
}
