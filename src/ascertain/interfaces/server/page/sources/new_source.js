// A source to be added: what kind it is, where it is, how often it is read.
import { html, useState } from "../parts/html.js";
import { t } from "../parts/words.js";
import { PROFILES } from "../documents/profiles.js";
import { call } from "../service/client.js";
import { KINDS, readOptions, referTo } from "./kinds.js";

const INTERVALS = /** @type {Record<string, () => string>} */ ({
  "30m": () => t("Every half hour"),
  "1h": () => t("Every hour"),
  "6h": () => t("Every six hours"),
  "1d": () => t("Every day"),
  "7d": () => t("Every week"),
  never: () => t("Only when asked"),
});

/** @param {{ onAdded: (source: any) => void, onClose: () => void }} props */
export function NewSource({ onAdded, onClose }) {
  const [kind, setKind] = useState("site");
  const [written, setWritten] = useState(/** @type {Record<string, string>} */ ({ every: "1d" }));
  const [failure, setFailure] = useState("");
  const [isSending, setSending] = useState(false);
  const { about, example, isHere, lead } = KINDS[kind];
  const set = (/** @type {string} */ name) => (/** @type {any} */ event) => setWritten((now) => ({ ...now, [name]: event.target.value }));
  const choose = (/** @type {any} */ event) => {
    setKind(event.target.value);
    // options of one kind mean nothing to another, and an address is kept: the kind is often changed after it was written
    setWritten(({ address = "", every, name = "", tags = "", profile = "" }) => ({ address, every, name, tags, profile }));
    setFailure("");
  };
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setSending(true);
    setFailure("");
    try {
      onAdded(await call("POST", "v1/sources", { json: bodyOf(kind, written, lead ?? "") }));
    } catch (problem) {
      setFailure(/** @type {Error} */ (problem).message || t("The service does not answer"));
      setSending(false);
    }
  };
  return html`<form class="new-source" aria-label=${t("Add a source")} onSubmit=${send}>
    <label>${t("What it is")} <select value=${kind} onChange=${choose} autofocus>${Object.entries(KINDS).map(([name, each]) => html`<option value=${name}>${each.name()}</option>`)}</select></label>
    <p class="note">${about()}</p>
    ${isHere
      ? html`<p><code>ascertain source add PATH --home HOME</code></p><div class="row"><button type="button" onClick=${onClose}>${t("Close")}</button></div>`
      : html`
        <label>${t("Address")} <input type="text" required maxlength="1000" placeholder=${example} value=${written.address ?? ""} onInput=${set("address")} /></label>
        <div class="fields"><label>${t("How often it is read")} <select value=${written.every} onChange=${set("every")}>${Object.entries(INTERVALS).map(([name, words]) => html`<option value=${name}>${words()}</option>`)}</select></label>
          <label>${t("Tags, separated by commas")} <input type="text" value=${written.tags ?? ""} onInput=${set("tags")} /></label></div>
        <${Options} kind=${kind} written=${written} onSet=${set} />
        <details class="more"><summary>${t("More about it")}</summary><div class="fields">
          <label>${t("Name here")} <input type="text" maxlength="60" pattern="[a-z0-9][a-z0-9_\\-]*" title=${t("Small letters, digits, - and _")} placeholder=${t("from the address")} value=${written.name ?? ""} onInput=${set("name")} /></label>
          <label>${t("What they are")} <select value=${written.profile ?? ""} onChange=${set("profile")}>${Object.entries(PROFILES).map(([name, words]) => html`<option value=${name}>${words()}</option>`)}</select></label></div></details>
        <p class="warning" role="alert">${failure}</p>
        <div class="row"><button type="submit" class="primary" disabled=${isSending || !(written.address ?? "").trim()}>${isSending ? t("Being added …") : t("Add and read")}</button><button type="button" onClick=${onClose}>${t("Cancel")}</button></div>`}
  </form>`;
}

/** What else is said of a kind; of a secret only where the service finds it. @param {{ kind: string, written: Record<string, string>, onSet: (name: string) => (event: any) => void }} props */
function Options({ kind, written, onSet }) {
  const { options, isFree } = KINDS[kind];
  const hasSecret = options.some(({ isSecret }) => isSecret);
  return html`
    ${options.length > 0 && html`<div class="fields">${options.map(({ name, label, hint, isSecret, isNumber }) => html`<label>${isSecret ? t("Environment variable with it: {what}", { what: label() }) : label()}
      <input type=${isNumber ? "number" : "text"} min=${isNumber ? "0" : undefined} step=${isNumber ? "any" : undefined} autocomplete="off" spellcheck=${false} placeholder=${isSecret ? "MY_SECRET" : (hint ?? "")} value=${written[`option.${name}`] ?? ""} onInput=${onSet(`option.${name}`)} /></label>`)}</div>`}
    ${isFree && html`<label>${t("Options, one per line")} <textarea rows="3" spellcheck=${false} placeholder=${"username=ann\npassword=env:SFTP_PASSWORD"} value=${written.options ?? ""} onInput=${onSet("options")}></textarea></label>`}
    ${(hasSecret || isFree) && html`<p class="note">${t("Passwords and tokens are never entered here. The operator of the service sets them in its environment; enter only the name of the variable.")}</p>`}`;
}

/** @param {string} kind @param {Record<string, string>} written @param {string} lead */
function bodyOf(kind, written, lead) {
  const address = written.address.trim();
  const options = readOptions(written.options ?? "");
  for (const { name, isSecret } of KINDS[kind].options) {
    const value = (written[`option.${name}`] ?? "").trim();
    if (value) options[name] = isSecret ? referTo(value) : value;
  }
  const tags = (written.tags ?? "").split(",").map((tag) => tag.trim()).filter(Boolean);
  return {
    address: lead && !address.toLowerCase().startsWith(lead) ? `${lead}${address}` : address,
    kind,
    every: written.every,
    options,
    tags,
    ...(written.name ? { name: written.name.trim() } : {}),
    ...(written.profile ? { profile: written.profile } : {}),
  };
}
