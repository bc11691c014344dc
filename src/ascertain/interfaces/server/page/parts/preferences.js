// What the reader chose for this page: light or dark, the language. Both stay in this browser.
import { html, useEffect, useState } from "./html.js";
import { follow, linkTo } from "./address.js";
import { Dialog } from "./dialog.js";
import { LANGUAGES, chooseLanguage, language, t } from "./words.js";

const THEME = "ascertain.theme";
const THEMES = { system: () => t("As the system"), light: () => t("Light"), dark: () => t("Dark") };

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const loadTheme = () => applyTheme(localStorage.getItem(THEME) ?? "system");

/** @param {{ session: any, onSignOut: () => void }} props */
export function Preferences({ session, onSignOut }) {
  const [theme, setTheme] = useState(localStorage.getItem(THEME) ?? "system");
  const [isChanging, setChanging] = useState(false);
  const choose = (/** @type {string} */ name) => {
    localStorage.setItem(THEME, name);
    applyTheme(name);
    setTheme(name);
  };
  return html`
    <fieldset><legend>${t("Colours")}</legend><div class="segments">
      ${Object.entries(THEMES).map(([name, words]) => html`<button type="button" aria-pressed=${String(theme === name)} onClick=${() => choose(name)}>${words()}</button>`)}
    </div></fieldset>
    <fieldset><legend>${t("Language of this page")}</legend>
      <select aria-label=${t("Language of this page")} value=${language} onChange=${(/** @type {any} */ event) => chooseLanguage(event.target.value)}>
        ${Object.entries(LANGUAGES).map(([name, words]) => html`<option value=${name} lang=${name}>${words}</option>`)}
      </select></fieldset>
    ${session?.is_admin && html`<p><a href=${linkTo({ view: "settings" })} onClick=${follow({ view: "settings" })}>${t("Settings of the service")}</a></p>`}
    ${session?.name &&
    html`<fieldset><legend>${session.way === "key" ? t("Your key") : t("Signed in as")}</legend><p dir="auto">${session.name}</p>${session.way === "proxy"
      ? html`<p class="note">${t("The proxy in front of this service signed you in.")}</p>`
      : html`<div class="row">${session.has_password && html`<button type="button" onClick=${() => setChanging(true)}>${t("Change the password")}</button>`}<button type="button" onClick=${onSignOut}>${t("Sign out")}</button></div>`}</fieldset>`}
    ${isChanging && html`<${Dialog} title=${t("Change the password")} onClose=${() => setChanging(false)}><${OwnPassword} onDone=${() => location.reload()} /></${Dialog}>`}
    <p class="note">Ascertain ${session?.version ?? ""} · <a href="docs" target="_blank" rel="noopener">${t("Operations for programs")}</a></p>
  `;
}

/** The form is fetched when somebody wants it. @param {{ onDone: () => void }} props */
function OwnPassword({ onDone }) {
  const [module, setModule] = useState(/** @type {any} */ (null));
  useEffect(() => void import("../settings/people.js").then(setModule), []);
  return module && html`<${module.PasswordForm} path="v1/session/password" isOwn=${true} onDone=${onDone} />`;
}
