// Where the service asks for a key: given once, it is in a cookie from then on, which no script can read.
import { html, useState } from "./html.js";
import { t } from "./words.js";
import { call } from "../service/client.js";

/** @param {{ onKnown: (session: any) => void }} props */
export function Login({ onKnown }) {
  const [key, setKey] = useState("");
  const [failure, setFailure] = useState("");
  const [isSending, setSending] = useState(false);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setSending(true);
    setFailure("");
    try {
      onKnown(await call("POST", "v1/session", { json: { key: key.trim() } }));
    } catch (error) {
      const problem = /** @type {import("../service/client.js").Problem} */ (error);
      setFailure(problem.isAway ? t("The service does not answer") : problem.status === 401 ? t("This key is not known here, or it was revoked.") : problem.message);
    }
    setSending(false);
  };
  return html`<main class="login"><form onSubmit=${send}>
    <img src=${new URL("../logo.svg", import.meta.url).href} alt="" width="48" height="48" />
    <h1>${t("This service requires a key")}</h1>
    <p class="note">${t("Its operator creates one with this command. This browser stores yours for a month, where no page can read it.")}</p>
    <p><code>ascertain keys add NAME</code></p>
    <label>${t("Key")} <input type="password" name="key" autocomplete="current-password" required autofocus value=${key} aria-invalid=${failure ? "true" : undefined} aria-describedby="key-failure" onInput=${(/** @type {any} */ event) => setKey(event.target.value)} /></label>
    <p id="key-failure" class="warning" role="alert">${failure}</p>
    <button type="submit" class="primary" disabled=${isSending || !key.trim()}>${t("Use this key")}</button>
  </form></main>`;
}
