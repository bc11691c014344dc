// The events of an answer on its way (server-sent events), taken up again where the connection breaks.
import { Problem, away, problemOf, segment, send } from "./client.js";

/** @typedef {{ name: string, data: any, id: string }} ServerEvent */

const TRIES = 6;
const PAUSE_MS = 500;
/** Events that nothing comes after. */
const LAST = new Set(["answer", "analysis", "report", "error"]);

/** Ask, and hear how the answer comes about.
 * @param {object} request the body of `POST /v1/ask/stream`
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<ServerEvent>} */
export const askQuestion = (request, signal) => beginWork("v1/ask/stream", request, signal);

/** Begin something that takes its time, and hear how it comes about.
 * @param {string} path
 * @param {object | undefined} request
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<ServerEvent>} */
export async function* beginWork(path, request, signal) {
  const response = await send("POST", path, { json: request, signal });
  yield* listen(response, "", "", signal);
}

/** Go on listening to a question that was asked before.
 * @param {string} answerId
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<ServerEvent>} */
export async function* resumeQuestion(answerId, signal) {
  yield* listen(null, answerId, "", signal);
}

/** Why work came to nothing. @param {any} data of an event `error` */
export function problemOfEvent({ problem }) {
  const kind = String(problem.type ?? "").split(":").at(-1) ?? "unknown";
  return new Problem({ status: problem.status, kind, detail: problem.detail || problem.title, requestId: problem.request_id });
}

/** @param {string} answerId */
export const stopQuestion = (answerId) => send("DELETE", `v1/ask/stream/${segment(answerId)}`);

/** @param {Response | null} response
 * @param {string} answerId
 * @param {string} last the id of the last event that arrived
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<ServerEvent>} */
async function* listen(response, answerId, last, signal) {
  for (let failures = 0; failures < TRIES; failures += 1) {
    try {
      response ??= await open(answerId, last, signal);
      if (response.status === 204) return;
      for await (const event of readEvents(response)) {
        failures = 0;
        last = event.id || last;
        answerId = event.id.split(":")[0] || answerId;
        yield event;
        if (LAST.has(event.name)) return;
      }
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && !error.isAway) || !answerId) throw error;
    }
    response = null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (failures + 1)));
  }
  throw away();
}

/** @param {string} answerId @param {string} last @param {AbortSignal} signal */
async function open(answerId, last, signal) {
  const headers = last ? { "Last-Event-ID": last } : undefined;
  let response;
  try {
    response = await fetch(`v1/ask/stream/${segment(answerId)}`, { headers, signal });
  } catch (error) {
    throw signal.aborted ? error : away();
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The events in the body of a response (HTML standard, 9.2.6).
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent>} */
export async function* readEvents(response) {
  const reader = /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {string} block @returns {ServerEvent | null} */
function readBlock(block) {
  let [name, id] = ["message", ""];
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? { name, id, data: JSON.parse(data.join("\n")) } : null;
}
