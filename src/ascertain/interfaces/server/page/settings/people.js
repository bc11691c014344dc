// Who signs in by name and password: let in, given another password, let in no more.
import { html, useState } from "../parts/html.js";
import { Confirmation, Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { MenuItem, Popover } from "../parts/popover.js";
import { useResource } from "../parts/resource.js";
import { Trouble } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { formatDay, t } from "../parts/words.js";
import { call, segment } from "../service/client.js";
import { ROLES } from "./keys.js";

const SHORTEST = 10;

/** @param {{ session: any }} props */
export function People({ session }) {
  const listed = useResource("v1/users");
  const [chosen, setChosen] = useState(/** @type {{ name: string, action: "password" | "remove" } | null} */ (null));
  const people = listed.value?.users ?? [];
  // the first closes the service, so it is the one who makes it
  const isFirst = session?.way === "open";
  const remove = async (/** @type {string} */ name) => {
    await call("DELETE", `v1/users/${segment(name)}`).then(() => showToast(t("{name} is let in no more.", { name })), (problem) => showToast(problem.message || t("The service does not answer")));
    listed.reload();
  };
  return html`<section aria-labelledby="people"><h2 id="people">${t("People with a password")}</h2>
    <p class="note">${t("They sign in by name and password. A key of the same user opens the same conversations.")}</p>
    ${listed.problem && html`<${Trouble} problem=${listed.problem} onAgain=${listed.reload} />`}
    ${people.length > 0 && html`<ul class="rows keys people">${people.map((/** @type {any} */ user) => html`<li key=${user.name} class="theme key-row"><p class="row"><b dir="auto">${user.name}</b> ${user.name === session?.user && html`<span class="badge good">${t("you")}</span>`}
      <span class="space"></span><${Popover} button=${html`<${Icon} name="more" />`} label=${t("More about {name}", { name: user.name })} class="menu" buttonClass="icon-button" role="menu">${(/** @type {() => void} */ close) => html`
        <${MenuItem} onClick=${() => { close(); setChosen({ name: user.name, action: "password" }); }}>${t("Another password")}</${MenuItem}>
        <${MenuItem} class="danger" onClick=${() => { close(); setChosen({ name: user.name, action: "remove" }); }}>${t("Remove")}</${MenuItem}>`}</${Popover}></p>
      <p class="facts"><span>${ROLES[user.role]?.() ?? user.role}</span><span>${t("password of {day}", { day: formatDay(user.changed_at) })}</span></p></li>`)}</ul>`}
    ${listed.value && html`<${NewPerson} key=${String(isFirst)} isFirst=${isFirst} onMade=${() => (isFirst ? location.reload() : listed.reload())} />`}
    ${chosen?.action === "remove" && html`<${Confirmation} title=${t("Let this person in no more?")} words=${t("They are signed out everywhere. What they asked stays, and is theirs again under the same name.")} action=${t("Remove")} onConfirm=${() => remove(chosen.name)} onClose=${() => setChosen(null)}><p dir="auto"><b>${chosen.name}</b></p></${Confirmation}>`}
    ${chosen?.action === "password" && html`<${Dialog} title=${t("Another password for {name}", { name: chosen.name })} onClose=${() => setChosen(null)}>
      <${PasswordForm} path=${`v1/users/${segment(chosen.name)}/password`} onDone=${() => { setChosen(null); listed.reload(); }} /></${Dialog}>`}
  </section>`;
}

/** Another password, one's own for the one in force. @param {{ path: string, isOwn?: boolean, onDone: () => void }} props */
export function PasswordForm({ path, isOwn = false, onDone }) {
  const [old, setOld] = useState("");
  const [password, setPassword] = useState("");
  const [told, setTold] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setTold("");
    try {
      await call("PUT", path, { json: isOwn ? { old, password } : { password } });
      showToast(t("The password is changed; every browser signs in again with it."));
      onDone();
    } catch (problem) {
      setTold(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
  };
  return html`<form class="stack" onSubmit=${send}>
    ${isOwn && html`<label>${t("Password in force")} <input type="password" required autocomplete="current-password" maxlength="200" value=${old} onInput=${(/** @type {any} */ event) => setOld(event.target.value)} /></label>`}
    <${NewPassword} value=${password} onInput=${setPassword} />
    <p class="warning" role="alert">${told}</p>
    <button type="submit" class="primary" disabled=${password.length < SHORTEST || (isOwn && !old)}>${t("Change the password")}</button>
  </form>`;
}

/** @param {{ value: string, onInput: (value: string) => void }} props */
const NewPassword = ({ value, onInput }) => html`<label>${t("New password")} <input type="password" required autocomplete="new-password" minlength=${SHORTEST} maxlength="200" value=${value} onInput=${(/** @type {any} */ event) => onInput(event.target.value)} />
  <span class="note">${t("Ten characters at least; a few words that do not belong together are good.")}</span></label>`;

/** @param {{ isFirst: boolean, onMade: () => void }} props */
function NewPerson({ isFirst, onMade }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState(isFirst ? "admin" : "write");
  const [told, setTold] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setTold("");
    try {
      await call("POST", "v1/users", { json: { name: name.trim(), password, role } });
      // whoever makes the first would be locked out by it
      if (isFirst) await call("POST", "v1/sign-in", { json: { user: name.trim(), password } });
      setName("");
      setPassword("");
      showToast(t("{name} may sign in.", { name: name.trim() }));
      onMade();
    } catch (problem) {
      setTold(/** @type {Error} */ (problem).message || t("The service does not answer"));
    }
  };
  return html`<details class="more new-person"><summary>${t("Let somebody in")}</summary><form onSubmit=${send}>
    ${isFirst && html`<p class="note">${t("The first one is you, as an administrator; from then on nobody is let in without a name or key.")}</p>`}
    <div class="fields"><label>${t("Name")} <input type="text" required maxlength="100" autocomplete="off" autocapitalize="none" value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label>
      <${NewPassword} value=${password} onInput=${setPassword} />
      <label>${t("What this person may do")} <select value=${role} disabled=${isFirst} onChange=${(/** @type {any} */ event) => setRole(event.target.value)}>${Object.entries(ROLES).map(([each, words]) => html`<option value=${each}>${words()}</option>`)}</select></label></div>
    <p class="warning" role="alert">${told}</p>
    <button type="submit" class="primary" disabled=${!name.trim() || password.length < SHORTEST}>${t("Let in")}</button></form></details>`;
}
