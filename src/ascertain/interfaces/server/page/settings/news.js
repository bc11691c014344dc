// Who is asked for news and other pages from outside: which providers are in use, what each lacks, and a trial of each.
import { classes, html, useState } from "../parts/html.js";
import { useResource } from "../parts/resource.js";
import { Loading, Trouble } from "../parts/state.js";
import { t } from "../parts/words.js";
import { call, segment } from "../service/client.js";

const NAMES = /** @type {Record<string, () => string>} */ ({ tavily: () => "Tavily", gnews: () => "GNews", searxng: () => "SearXNG", rss: () => t("Feeds of your own") });
/** Settings that a provider without a key needs. */
const NEEDED = /** @type {Record<string, string>} */ ({ searxng: "news.searxng.url", rss: "news.rss.urls" });

/** @param {{ onChange: (body: { values: Record<string, string> }) => Promise<void> }} props */
export function News({ onChange }) {
  const loaded = useResource("v1/settings/news");
  const providers = loaded.value?.providers ?? [];
  const used = providers.filter((/** @type {any} */ each) => each.is_used).map((/** @type {any} */ { name }) => name);
  const set = async (/** @type {Record<string, string>} */ values) => {
    await onChange({ values });
    loaded.reload();
  };
  const toggle = (/** @type {string} */ name) => set({ "news.providers": (used.includes(name) ? used.filter((/** @type {string} */ each) => each !== name) : [...used, name]).join(",") });
  return html`<section aria-labelledby="news"><h2 id="news">${t("News from outside")}</h2>
    <p class="note">${t("A provider in use receives the words of a question, and the pages it finds are fetched. It never receives documents.")}</p>
    ${loaded.problem && html`<${Trouble} problem=${loaded.problem} onAgain=${loaded.reload} />`}
    ${loaded.isLoading && !loaded.value && html`<${Loading} />`}
    ${loaded.value && html`<ul class="rows">${providers.map((/** @type {any} */ provider) => html`<${Provider} key=${provider.name} provider=${provider} onToggle=${() => toggle(provider.name)} />`)}</ul>
      <label class="tick"><input type="checkbox" checked=${loaded.value.fallback} disabled=${!used.length} onChange=${(/** @type {any} */ event) => set({ "news.fallback": String(event.target.checked) })} />
        <span>${t("Search them automatically where the documents do not suffice")}</span></label>`}
  </section>`;
}

/** @param {{ provider: any, onToggle: () => void }} props */
function Provider({ provider, onToggle }) {
  const [trial, setTrial] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [isTrying, setTrying] = useState(false);
  const { name, is_used: isUsed } = provider;
  const title = NAMES[name]?.() ?? name;
  const trying = isTrying ? t("Being tried …") : t("Try it");
  const using = isUsed ? t("Stop using it") : t("Use it");
  const start = async () => {
    setTrying(true);
    setProblem(null);
    await call("POST", `v1/settings/news/${segment(name)}/trial`).then(setTrial, setProblem);
    setTrying(false);
  };
  return html`<li class="theme offered"><p class="row"><b>${title}</b> ${isUsed && html`<span class="badge good">${t("in use")}</span>`}<span class="note" dir="auto">${provider.where}</span><span class="space"></span>
      <span class="row"><button type="button" disabled=${isTrying || Boolean(provider.problem)} aria-label=${`${trying}: ${title}`} onClick=${start}>${trying}</button>
        <button type="button" disabled=${!isUsed && Boolean(provider.problem)} aria-label=${`${using}: ${title}`} onClick=${onToggle}>${using}</button></span></p>
    ${provider.key_variable && html`<p class="note">${t("Key in the environment variable")} <code>${provider.key_variable}</code> <span class=${classes("badge", provider.is_key_set ? "good" : "")}>${provider.is_key_set ? t("set") : t("not set")}</span></p>`}
    ${name === "rss" && html`<p class="note">${t("The feeds are fetched as they are; nothing of a question is sent.")}</p>`}
    ${provider.problem && !provider.key_variable && html`<p class="note">${t("It lacks a setting in ascertain.toml:")} <code>${NEEDED[name] ?? provider.problem}</code></p>`}
    ${problem && html`<${Trouble} problem=${problem} />`}
    ${trial && (trial.problem
      ? html`<p class="warning" role="status" dir="auto">${trial.problem}</p>`
      : html`<div role="status"><p class="note">${trial.titles.length ? t("It answered in {n} s, among others with:", { n: trial.seconds.toFixed(1) }) : t("It answered in {n} s, and found nothing for “news of the week”.", { n: trial.seconds.toFixed(1) })}</p>
          <ul class="text">${trial.titles.map((/** @type {string} */ each) => html`<li dir="auto">${each}</li>`)}</ul></div>`)}</li>`;
}
