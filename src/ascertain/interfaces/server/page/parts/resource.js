// Something that the service has, loaded for a component and again when asked for.
import { useCallback, useEffect, useRef, useState } from "./html.js";
import { get } from "../service/client.js";

/** What is at `path`, as JSON; null where `path` is null, and until it is there. What was there stays in sight while it is loaded again.
 * @param {string | null} path
 * @param {Record<string, unknown>} [query]
 * @returns {{ value: any, problem: any, isLoading: boolean, reload: () => Promise<void> }} */
export function useResource(path, query) {
  const [state, setState] = useState(/** @type {{ value: any, problem: any, of: string }} */ ({ value: null, problem: null, of: "" }));
  const key = JSON.stringify([path, query ?? {}]);
  const latest = useRef("");
  const reload = useCallback(async () => {
    latest.current = key;
    if (path === null) return;
    try {
      const value = await get(path, query);
      if (latest.current === key) setState({ value, problem: null, of: key });
    } catch (problem) {
      if (latest.current === key) setState((before) => ({ ...before, problem, of: key }));
    }
  }, [key]);
  useEffect(() => void reload(), [reload]);
  return { value: state.value, problem: state.of === key ? state.problem : null, isLoading: path !== null && state.of !== key, reload };
}
