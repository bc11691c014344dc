// The chat model: the one in use, those on this machine, a trial of each, and what gets better with one.
import { classes, html, useState } from "../parts/html.js";
import { Icon } from "../parts/icons.js";
import { Loading, Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";
import { call, get } from "../service/client.js";

const TASKS = /** @type {Record<string, () => string>} */ ({
  rewrite: () => t("Follow-up questions are understood from what was said before."),
  plan: () => t("Questions of several parts are taken apart."),
  judge: () => t("Passages are judged by what they say, not only by their words."),
  write: () => t("Answers are written in new sentences, in the language of the question."),
  verify: () => t("Each sentence is checked against its source by a second reading."),
  evaluate: () => t("An answer is evaluated as a whole before it is shown."),
  extract: () => t("The graph learns how things are related, not only that they are named together."),
  describe: () => t("Pictures and figures are described, and found by their descriptions."),
});
const PROVIDERS = ["openai", "anthropic", "google_genai"];

/** @param {{ models: any, onChange: (body: { values?: Record<string, string | number>, configuration?: string }) => Promise<void> }} props */
export function ChatModel({ models, onChange }) {
  const [servers, setServers] = useState(/** @type {any[] | null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [isLooking, setLooking] = useState(false);
  const inUse = models.models.filter((/** @type {any} */ each) => each.role === "chat");
  const look = async () => {
    setLooking(true);
    setProblem(null);
    await get("v1/settings/servers").then(({ servers: found }) => setServers(found), setProblem);
    setLooking(false);
  };
  return html`<section aria-labelledby="chat-model"><h2 id="chat-model">${t("Chat model")}</h2>
    ${inUse.length
      ? inUse.map((/** @type {any} */ model) => html`<div class="theme"><p><b dir="auto">${model.name || t("none")}</b> <span class="note">${model.where}</span></p>
          ${model.problem && html`<p class="warning">${model.problem}</p>`}
          <ul class="text">${model.tasks.map((/** @type {string} */ task) => TASKS[task] && html`<li>${TASKS[task]()}</li>`)}</ul></div>`)
      : html`<p>${t("There is no chat model: answers quote your documents, chosen by rules and small models on this machine. A chat model improves this:")}</p>
          <ul class="text">${["rewrite", "write", "judge", "verify", "plan"].map((task) => html`<li>${TASKS[task]()}</li>`)}</ul>`}
    <div class="row"><button type="button" class=${classes(!inUse.length && "primary")} disabled=${isLooking} onClick=${look}><${Icon} name="search" /> ${t("Look for models on this machine")}</button>
      ${inUse.length > 0 && html`<button type="button" onClick=${() => onChange({ values: { "models.chat.model": "", "models.chat.base_url": "", "models.chat.tier": "none" } })}>${t("Use none")}</button>`}</div>
    <p class="note">${t("Ollama, LM Studio, llama.cpp and vLLM are looked for at their usual ports on this machine; nothing else is contacted.")}</p>
    ${isLooking && html`<${Loading} />`} ${problem && html`<${Trouble} problem=${problem} />`}
    ${servers && !servers.some((server) => server.models.length) && html`<div class="state calm"><p class="state-title">${t("No server with a model answers here")}</p><p>${t("Ollama is the quickest to have: install it, then fetch a model with")} <code>ollama pull qwen3:4b</code></p></div>`}
    ${(servers ?? []).map((server) => html`<${Server} server=${server} onChange=${onChange} />`)}
    <${Provider} onChange=${onChange} />
  </section>`;
}

/** @param {{ server: any, onChange: (body: any) => Promise<void> }} props */
function Server({ server, onChange }) {
  return html`<div class="server"><h3>${server.kind} <span class="note">${server.address}</span></h3>
    ${server.problem && html`<p class="note" dir="auto">${server.problem}</p>`}
    <ul class="rows">${server.models.filter((/** @type {any} */ model) => !model.is_embedder).map((/** @type {any} */ model) => html`<${Offered} key=${model.name} configuration=${model.configuration} name=${model.name} about=${model.about} onChange=${onChange} />`)}</ul></div>`;
}

/** A model that may be tried and taken. @param {{ configuration: string, name: string, about: string, onChange: (body: any) => Promise<void> }} props */
function Offered({ configuration, name, about, onChange }) {
  const [trial, setTrial] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [isTrying, setTrying] = useState(false);
  const read = (/** @type {string} */ key) => new RegExp(`^${key} = "(.*)"$`, "m").exec(configuration)?.[1] ?? "";
  const start = async () => {
    setTrying(true);
    setProblem(null);
    await call("POST", "v1/settings/trial", { json: { model: read("model"), base_url: read("base_url") } }).then(setTrial, setProblem);
    setTrying(false);
  };
  return html`<li class="theme offered"><p class="row"><b dir="auto">${name}</b> <span class="note">${about}</span><span class="space"></span>
      <button type="button" disabled=${isTrying} onClick=${start}>${isTrying ? t("Being tried …") : t("Try it")}</button>
      ${!trial && html`<button type="button" onClick=${() => onChange({ configuration })}>${t("Use it")}</button>`}</p>
    ${isTrying && html`<p class="note" role="status">${t("Three small tasks with none of your data; on a slow machine this takes minutes.")}</p>`}
    ${problem && html`<${Trouble} problem=${problem} />`}
    ${trial && html`<${Trial} trial=${trial} onChange=${onChange} />`}</li>`;
}

/** @param {{ trial: any, onChange: (body: any) => Promise<void> }} props */
function Trial({ trial, onChange }) {
  return html`<ul class="trial">${trial.results.map((/** @type {any} */ result) => html`<li><span class=${classes("badge", result.is_passed ? "good" : "bad")}>${result.is_passed ? t("passed") : t("failed")}</span> ${result.name}: <span dir="auto">${result.finding}</span> <span class="note">${result.seconds.toFixed(1)} s</span></li>`)}</ul>
    ${trial.good_for.length > 0 && html`<p>${t("With it:")}</p><ul class="text">${trial.good_for.map((/** @type {string} */ task) => TASKS[task] && html`<li>${TASKS[task]()}</li>`)}</ul>`}
    ${trial.advice.map((/** @type {string} */ advice) => html`<p class="note">${advice}</p>`)}
    ${trial.configuration && html`<button type="button" class="primary" onClick=${() => onChange({ configuration: trial.configuration })}>${t("Use it for these")}</button>`}`;
}

/** A provider elsewhere, whose key the service holds already. @param {{ onChange: (body: any) => Promise<void> }} props */
function Provider({ onChange }) {
  const [name, setName] = useState("");
  return html`<details class="more"><summary>${t("A provider elsewhere")}</summary>
    <p class="note">${t("Questions and the passages found for them are sent there. The operator of the service sets the provider's key in the environment.")}</p>
    <form class="row" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); onChange({ values: { "models.chat.model": name.trim(), "models.chat.base_url": "", "models.chat.tier": PROVIDERS.includes(name.trim()) ? "balanced" : "none" } }); }}>
      <label class="wide">${t("Provider, or provider:model")} <input type="text" maxlength="300" placeholder="anthropic" list="providers" value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} /></label>
      <datalist id="providers">${PROVIDERS.map((each) => html`<option value=${each}></option>`)}</datalist>
      <button type="submit" disabled=${!name.trim()}>${t("Use it")}</button></form></details>`;
}
