// Who may use the service: keys, each of a user and a role; made, shown once, given another text, revoked.
import { classes, html, useState } from "../parts/html.js";
import { Confirmation, Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { MenuItem, Popover } from "../parts/popover.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { formatAgo, formatDay, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

export const ROLES = /** @type {Record<string, () => string>} */ ({
  read: () => t("Asks and reads"),
  write: () => t("Adds and deletes documents too"),
  admin: () => t("Administrates"),
});
const LIFETIMES = /** @type {Record<string, () => string>} */ ({ "": () => t("Does not end"), "30d": () => t("30 days"), "90d": () => t("90 days"), "365d": () => t("A year") });

/** @param {{ session: any }} props */
export function Keys({ session }) {
  const listed = useResource("v1/keys");
  const [shown, setShown] = useState(/** @type {any} */ (null));
  const [chosen, setChosen] = useState(/** @type {{ key: any, action: "rotate" | "revoke" } | null} */ (null));
  const keys = listed.value?.keys ?? [];
  const own = listed.value?.own;
  const isFirst = !keys.length && session?.way !== "proxy";
  const good = keys.filter((/** @type {any} */ key) => !stateOf(key).isOver && !key.is_sign_in);
  const signedIn = keys.filter((/** @type {any} */ key) => !stateOf(key).isOver && key.is_sign_in);
  const over = keys.filter((/** @type {any} */ key) => stateOf(key).isOver && !key.is_sign_in);
  const show = async (/** @type {any} */ made, isOwn = false) => {
    // creating the first key, or replacing the text of one's own, would lock the user out
    if (isOwn) await call("POST", "v1/session", { json: { key: made.key } }).catch(() => null);
    setShown({ ...made, isFirst });
    listed.reload();
  };
  // with the first key the page is another: it has somebody who can sign out
  const close = () => (shown.isFirst ? location.reload() : setShown(null));
  const rotate = (/** @type {any} */ key) => attempt(async () => show(await call("POST", `v1/keys/${segment(key.id)}/rotate`), key.id === own));
  const revoke = (/** @type {any} */ key) => attempt(async () => {
    await call("DELETE", `v1/keys/${segment(key.id)}`);
    showToast(key.is_sign_in ? t("{name} is signed out there.", { name: key.name }) : t("The key {name} is refused from now on.", { name: key.name }));
    listed.reload();
  });
  const row = (/** @type {any} */ key) => html`<${KeyRow} key=${key.id} apiKey=${key} isOwn=${key.id === own} onChoose=${(/** @type {"rotate" | "revoke"} */ action) => setChosen({ key, action })} />`;
  return html`<section aria-labelledby="keys"><h2 id="keys">${t("Keys and users")}</h2>
    <p class="note">${t("A key identifies a user: anyone with the key sees that user's conversations. Everyone shares the documents. The audit log records every key that is created, used or revoked.")}</p>
    ${listed.problem && html`<${Trouble} problem=${listed.problem} onAgain=${listed.reload} />`}
    ${listed.isLoading && !listed.value && html`<${Loading} />`}
    ${listed.value && isFirst && html`<div class="state calm"><p class="state-title">${t("Everyone on this machine may use the service")}</p>
      <p>${t("There are no keys yet. The first one is yours, as an administrator; from then on a key is required.")}</p></div>`}
    ${good.length > 0 && html`<ul class="rows keys">${good.map(row)}</ul>`}
    ${listed.value && html`<${NewKey} key=${String(isFirst)} isFirst=${isFirst} users=${[...new Set(good.map((/** @type {any} */ key) => key.user))]} onMade=${(/** @type {any} */ made) => show(made, isFirst)} />`}
    ${signedIn.length > 0 && html`<h3>${t("Signed in now")}</h3><ul class="rows keys signed-in">${signedIn.map(row)}</ul>`}
    ${over.length > 0 && html`<details class="more"><summary>${t("Revoked and ended")}</summary><ul class="rows keys">${over.map(row)}</ul></details>`}
    ${shown && html`<${ShownOnce} made=${shown} onClose=${close} />`}
    ${chosen?.action === "rotate" && html`<${Confirmation} title=${t("Give this key another text?")} words=${chosen.key.id === own ? t("The new text is shown once. This browser continues with it; other programs that use this key need it too.") : t("The new text is shown once. Clients that use the old one are refused within a few seconds.")} action=${t("New text")} onConfirm=${() => rotate(chosen.key)} onClose=${() => setChosen(null)}><p dir="auto"><b>${chosen.key.name}</b></p></${Confirmation}>`}
    ${chosen?.action === "revoke" && chosen.key.is_sign_in && html`<${Confirmation} title=${t("Sign this person out?")} words=${t("The browser in question must sign in again. Whether it can is for the provider to say.")} action=${t("Sign out")} onConfirm=${() => revoke(chosen.key)} onClose=${() => setChosen(null)}><p dir="auto"><b>${chosen.key.name}</b></p></${Confirmation}>`}
    ${chosen?.action === "revoke" && !chosen.key.is_sign_in && html`<${Confirmation} title=${t("Revoke this key?")} words=${chosen.key.id === own ? t("It is the one that you are signed in with: you will need another to come in again.") : t("Whoever uses it is refused within a few seconds. This cannot be undone; what was asked with it stays.")} action=${t("Revoke")} onConfirm=${() => revoke(chosen.key)} onClose=${() => setChosen(null)}><p dir="auto"><b>${chosen.key.name}</b></p></${Confirmation}>`}
  </section>`;
}

/** @param {() => Promise<void>} work */
const attempt = (work) => work().catch((problem) => showToast(problem.message || t("The service does not answer")));

/** @param {any} key @returns {{ words: string, tone: string, isOver: boolean }} */
function stateOf({ revoked_at: revoked, expires_at: ends }) {
  if (revoked) return { words: t("revoked"), tone: "bad", isOver: true };
  if (ends && new Date(ends).getTime() <= Date.now()) return { words: t("ended"), tone: "warn", isOver: true };
  return { words: "", tone: "", isOver: false };
}

/** @param {{ apiKey: any, isOwn: boolean, onChoose: (action: "rotate" | "revoke") => void }} props */
function KeyRow({ apiKey, isOwn, onChoose }) {
  const { words, tone, isOver } = stateOf(apiKey);
  const facts = [
    apiKey.last_used_at ? t("used {when}", { when: formatAgo(apiKey.last_used_at) }) : t("never used"),
    !isOver && (apiKey.expires_at ? t("ends on {day}", { day: formatDay(apiKey.expires_at) }) : t("does not end")),
    apiKey.requests_per_minute > 0 && t("{n} requests a minute", { n: apiKey.requests_per_minute }),
  ];
  return html`<li class="theme key-row"><p class="row"><b dir="auto">${apiKey.name}</b> ${isOwn && html`<span class="badge good">${t("yours")}</span>`} ${words && html`<span class=${classes("badge", tone)}>${words}</span>`}
      <span class="space"></span>${!isOver && html`<${Popover} button=${html`<${Icon} name="more" />`} label=${apiKey.is_sign_in ? t("More about the sign-in of {name}", { name: apiKey.name }) : t("More about the key {name}", { name: apiKey.name })} class="menu" buttonClass="icon-button" role="menu">${(/** @type {() => void} */ close) => html`
        ${!apiKey.is_sign_in && html`<${MenuItem} onClick=${() => { close(); onChoose("rotate"); }}>${t("New text")}</${MenuItem}>`}
        <${MenuItem} class="danger" onClick=${() => { close(); onChoose("revoke"); }}>${apiKey.is_sign_in ? t("Sign out") : t("Revoke")}</${MenuItem}>`}</${Popover}>`}</p>
    <p class="facts">${apiKey.user !== apiKey.id && html`<span dir="auto">${t("User {user}", { user: apiKey.user })}</span>`}<span>${ROLES[apiKey.role]?.() ?? apiKey.role}</span>${!apiKey.is_sign_in && html`<span><code>${apiKey.hint}…</code></span>`}</p>
    <p class="facts">${facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`)}</p></li>`;
}

/** @param {{ isFirst: boolean, users: string[], onMade: (made: any) => Promise<void> }} props */
function NewKey({ isFirst, users, onMade }) {
  const [name, setName] = useState("");
  const [user, setUser] = useState("");
  const [role, setRole] = useState(isFirst ? "admin" : "write");
  const [expires, setExpires] = useState(isFirst ? "" : "90d");
  const [failure, setFailure] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFailure("");
    try {
      const made = await call("POST", "v1/keys", { json: { name: name.trim(), user: user.trim(), role: isFirst ? "admin" : role, ...(expires ? { expires } : {}) } });
      setName("");
      setUser("");
      await onMade(made);
    } catch (problem) {
      setFailure(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
  };
  return html`<details class="more new-key" open=${isFirst}><summary>${isFirst ? t("Make the first key") : t("Make a key")}</summary><form onSubmit=${send}>
    <div class="fields"><label>${t("What it is for")} <input type="text" required maxlength="100" placeholder=${t("Laptop of Kim")} value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label>
      <label>${t("User")} <input type="text" maxlength="100" pattern="[A-Za-z0-9._+@\\-]*" title=${t("Letters, digits, and . _ + @ -")} list="key-users" autocomplete="off" placeholder="kim" value=${user} onInput=${(/** @type {any} */ event) => setUser(event.target.value)} />
        <span class="note">${t("Keys of one user open the same conversations. Empty: its own.")}</span></label>
      <datalist id="key-users">${users.map((each) => html`<option value=${each}></option>`)}</datalist>
      <label>${t("What it may do")} <select value=${isFirst ? "admin" : role} disabled=${isFirst} onChange=${(/** @type {any} */ event) => setRole(event.target.value)}>${Object.entries(ROLES).map(([each, words]) => html`<option value=${each}>${words()}</option>`)}</select></label>
      <label>${t("How long it lasts")} <select value=${expires} onChange=${(/** @type {any} */ event) => setExpires(event.target.value)}>${Object.entries(LIFETIMES).map(([each, words]) => html`<option value=${each}>${words()}</option>`)}</select></label></div>
    <p class="warning" role="alert">${failure}</p>
    <button type="submit" class="primary" disabled=${!name.trim()}>${t("Make the key")}</button></form></details>`;
}

/** The text of a key, this one time. @param {{ made: any, onClose: () => void }} props */
function ShownOnce({ made, onClose }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(made.key).then(() => setCopied(true), () => showToast(t("The browser does not let this page copy. Select the text and copy it by hand.")));
  };
  return html`<${Dialog} title=${t("The key of {name}", { name: made.name })} onClose=${onClose}>
    <p class="note">${t("This is the only time that it is shown. Copy it now, and pass it on in a way that no one else can read.")}</p>
    <p><input class="secret" type="text" readonly aria-label=${t("Key")} value=${made.key} onFocus=${(/** @type {any} */ event) => event.target.select()} /></p>
    <div class="row end"><button type="button" class="primary" onClick=${copy}><${Icon} name=${isCopied ? "check" : "copy"} /> ${isCopied ? t("Copied") : t("Copy")}</button><button type="button" onClick=${onClose}>${t("Done")}</button></div>
  </${Dialog}>`;
}
