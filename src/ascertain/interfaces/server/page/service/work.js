// Something that takes its time: its steps while it is done, and what it came to.
import { useCallback, useEffect, useRef, useState } from "../parts/html.js";
import { Problem } from "./client.js";
import { beginWork, problemOfEvent } from "./events.js";

/** @typedef {import("./events.js").ServerEvent} ServerEvent */

/** @param {(event: ServerEvent) => void} onEvent each event as it comes, the last one too */
export function useWork(onEvent) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const abort = useRef(new AbortController());
  const hear = useRef(onEvent);
  hear.current = onEvent;
  useEffect(() => () => abort.current.abort(), []);
  const begin = useCallback(async (/** @type {string} */ path, /** @type {object | undefined} */ request) => {
    abort.current.abort();
    abort.current = new AbortController();
    const { signal } = abort.current;
    setRunning(true);
    setProblem(null);
    try {
      for await (const event of beginWork(path, request, signal)) {
        if (event.name === "error") throw problemOfEvent(event.data);
        hear.current(event);
      }
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Problem ? error : new Problem({ status: 0, kind: "unknown", detail: String(error) }));
    }
    if (!signal.aborted) setRunning(false);
  }, []);
  return { isRunning, problem, begin };
}
