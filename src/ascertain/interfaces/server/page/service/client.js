// Requests to the service, and what it says where one comes to nothing.

/** Why a request came to nothing, in the service's words (RFC 9457) or, where it does not answer at all, in ours. */
export class Problem extends Error {
  /** @param {{ status: number, kind: string, detail: string, requestId?: string, retryAfter?: number, suggestions?: string[] }} given */
  constructor({ status, kind, detail, requestId = "", retryAfter = 0, suggestions = [] }) {
    super(detail);
    this.status = status;
    this.kind = kind;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.suggestions = suggestions;
  }

  get isAway() {
    return this.kind === "away";
  }
}

/** Called when the service wants to know who asks. */
let askForKey = () => {};
/** @param {() => void} listener */
export const onUnknownCaller = (listener) => {
  askForKey = listener;
};

/** @param {Response} response */
export async function problemOf(response) {
  let body = /** @type {any} */ ({});
  try {
    body = await response.json();
  } catch {
    // a proxy in between answers in a form of its own
  }
  const kind = String(body.type ?? "").split(":").at(-1) || "unknown";
  if (response.status === 401 && !response.url.endsWith("/v1/session")) askForKey();
  return new Problem({
    status: response.status,
    kind,
    detail: body.detail || body.title || `${response.status} ${response.statusText}`,
    requestId: body.request_id ?? response.headers.get("X-Request-ID") ?? "",
    suggestions: body.suggestions ?? [],
    retryAfter: Number(response.headers.get("Retry-After") ?? 0),
  });
}

/** @param {Problem["kind"]} [kind] */
export const away = (kind = "away") => new Problem({ status: 0, kind, detail: "" });

/** Send a request; the response, where it is a good one.
 * @param {string} method
 * @param {string} path below the address of the service, without a slash before it
 * @param {{ query?: Record<string, unknown>, json?: unknown, body?: BodyInit, headers?: Record<string, string>, signal?: AbortSignal }} [given] */
export async function send(method, path, { query, json, body, headers = {}, signal } = {}) {
  const address = query ? `${path}?${writeQuery(query)}` : path;
  const request = json === undefined ? { body, headers } : { body: JSON.stringify(json), headers: { ...headers, "Content-Type": "application/json" } };
  let response;
  try {
    response = await fetch(address, { method, signal, ...request });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw away();
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** @param {Parameters<typeof send>} given */
export async function call(...given) {
  const response = await send(...given);
  return response.status === 204 ? null : response.json();
}

/** @param {string} path @param {Record<string, unknown>} [query] @param {AbortSignal} [signal] */
export const get = (path, query, signal) => call("GET", path, { query, signal });

/** @param {Record<string, unknown>} query lists are repeated, what is empty is left out */
function writeQuery(query) {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined && each !== "") written.append(name, String(each));
    }
  }
  return written.toString();
}

/** One segment of a path. @param {string} id */
export const segment = (id) => encodeURIComponent(id);

/** A unique name. `crypto.randomUUID` exists only on secure origins. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
