// Where the service asks who comes: at a provider, by name and password, or by a key; a cookie that no script can read has it from then on.
import { html, useEffect, useState } from "./html.js";
import { go, readAddress } from "./address.js";
import { useResource } from "./resource.js";
import { t } from "./words.js";
import { call } from "../service/client.js";

/** Why somebody who was at the provider is not let in, as the service says it in the address. */
const REASONS = /** @type {Record<string, () => string>} */ ({
  denied: () => t("You were not signed in: the provider says that this was declined."),
  expired: () => t("This sign-in took too long, or was used before. Please begin again."),
  "provider-away": () => t("The provider does not answer as it should. Try again in a moment; if it stays so, tell whoever runs this service."),
  "bad-token": () => t("What the provider sent could not be trusted, so you were not signed in. Tell whoever runs this service."),
  "no-user": () => t("The provider did not say who you are in a way that this service understands. Tell whoever runs it."),
  "no-role": () => t("The provider knows you, but you have no access here yet. Ask whoever runs this service for it."),
  "no-tenant": () => t("The provider knows you, but no documents here are for your groups yet. Ask whoever runs this service."),
});

/** Why the last try to sign in came to nothing; the address forgets it. */
function useReason() {
  const [reason] = useState(() => readAddress().sign_in ?? "");
  useEffect(() => {
    if (reason) go({ sign_in: null }, { replace: true });
  }, []);
  return reason && (REASONS[reason] ?? REASONS["provider-away"])();
}

/** @param {{ onKnown: (session: any) => void }} props */
export function Login({ onKnown }) {
  const ways = useResource("v1/sign-in");
  const reason = useReason();
  if (!ways.value && !ways.problem) return null;
  const { provider, passwords } = ways.value ?? {};
  const isByName = Boolean(provider || passwords);
  const { sign_in: _, ...place } = readAddress();
  const start = `v1/sign-in/oidc?to=${encodeURIComponent(new URLSearchParams(place).toString())}`;
  return html`<main class="login"><div class="login-box">
    <img src=${new URL("../logo.svg", import.meta.url).href} alt="" width="48" height="48" />
    <h1>${isByName ? t("Sign in") : t("This service requires a key")}</h1>
    ${provider && html`${reason && html`<p class="warning" role="alert">${reason}</p>`}
      <p><a class="button primary" href=${start}>${t("Sign in with {provider}", { provider })}</a></p>`}
    ${passwords && html`<${NameForm} onKnown=${onKnown} isFirst=${!provider} />`}
    ${isByName ? html`<details class="more"><summary>${t("Use a key instead")}</summary><${KeyForm} onKnown=${onKnown} /></details>` : html`<${KeyForm} onKnown=${onKnown} isAlone=${true} />`}
  </div></main>`;
}

/** Sends what somebody typed, and says what came of it. @param {(session: any) => void} onKnown @param {() => string} wrong */
function useSending(onKnown, wrong) {
  const [failure, setFailure] = useState("");
  const [isSending, setSending] = useState(false);
  const send = async (/** @type {Event} */ event, /** @type {string} */ path, /** @type {any} */ json) => {
    event.preventDefault();
    setSending(true);
    setFailure("");
    try {
      onKnown(await call("POST", path, { json }));
    } catch (error) {
      const problem = /** @type {import("../service/client.js").Problem} */ (error);
      const waiting = problem.status === 429 && problem.retryAfter ? t("That was a lot at once. Try again in {n} seconds.", { n: problem.retryAfter }) : "";
      setFailure(problem.isAway ? t("The service does not answer") : problem.status === 401 ? wrong() : waiting || problem.message);
    }
    setSending(false);
  };
  return { failure, isSending, send };
}

/** @param {{ onKnown: (session: any) => void, isFirst: boolean }} props */
function NameForm({ onKnown, isFirst }) {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const { failure, isSending, send } = useSending(onKnown, () => t("This name and password do not belong together here."));
  return html`<form onSubmit=${(/** @type {Event} */ event) => send(event, "v1/sign-in", { user: user.trim(), password })}>
    <label>${t("Name")} <input type="text" name="user" autocomplete="username" autocapitalize="none" spellcheck=${false} required maxlength="100" autofocus=${isFirst} value=${user} onInput=${(/** @type {any} */ event) => setUser(event.target.value)} /></label>
    <label>${t("Password")} <input type="password" name="password" autocomplete="current-password" required maxlength="200" value=${password} aria-invalid=${failure ? "true" : undefined} aria-describedby="name-failure" onInput=${(/** @type {any} */ event) => setPassword(event.target.value)} /></label>
    <p id="name-failure" class="warning" role="alert">${failure}</p>
    <button type="submit" class=${isFirst ? "primary" : ""} disabled=${isSending || !user.trim() || !password}>${t("Sign in")}</button>
  </form>`;
}

/** @param {{ onKnown: (session: any) => void, isAlone?: boolean }} props */
function KeyForm({ onKnown, isAlone = false }) {
  const [key, setKey] = useState("");
  const { failure, isSending, send } = useSending(onKnown, () => t("This key is not known here, or it was revoked."));
  return html`<form onSubmit=${(/** @type {Event} */ event) => send(event, "v1/session", { key: key.trim() })}>
    <p class="note">${t("Its operator creates one with this command. This browser stores yours for a month, where no page can read it.")}</p>
    <p><code>ascertain keys add NAME</code></p>
    <label>${t("Key")} <input type="password" name="key" autocomplete="off" required autofocus=${isAlone} value=${key} aria-invalid=${failure ? "true" : undefined} aria-describedby="key-failure" onInput=${(/** @type {any} */ event) => setKey(event.target.value)} /></label>
    <p id="key-failure" class="warning" role="alert">${failure}</p>
    <button type="submit" class=${isAlone ? "primary" : ""} disabled=${isSending || !key.trim()}>${t("Use this key")}</button>
  </form>`;
}

/** For somebody whom the proxy names and the service does not let in. @param {{ problem: any }} props */
export const NotAdmitted = ({ problem }) => html`<main class="login"><div class="login-box">
  <img src=${new URL("../logo.svg", import.meta.url).href} alt="" width="48" height="48" />
  <h1>${t("You have no access here yet")}</h1>
  <p>${t("You are signed in, but nobody has given you a role here. Ask whoever runs this service for it.")}</p>
  <p class="note" dir="auto">${problem.message}</p>
  <p><button type="button" class="primary" onClick=${() => location.reload()}>${t("Try again")}</button></p>
</div></main>`;
