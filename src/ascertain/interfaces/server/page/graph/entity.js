// A name among those it is named together with: drawn, and as a list with the sentences behind each connection.
import { html, useState } from "../parts/html.js";
import { go } from "../parts/address.js";
import { useResource } from "../parts/resource.js";
import { Loading } from "../parts/state.js";
import { count, t } from "../parts/words.js";
import { segment } from "../service/client.js";
import { Drawing } from "./drawing.js";
import { Evidence } from "./evidence.js";
import { Nearby } from "./nearby.js";

const NEIGHBOURS = 20;
const DRAWN = 10;
const PASSAGES = 20;

/** @param {{ id: string, topic: string }} props */
export function Entity({ id, topic }) {
  const found = useResource(`v1/graph/entities/${id.split("/").map(segment).join("/")}`, { neighbours: NEIGHBOURS, passages: PASSAGES, topic });
  const [isNamed, setNamed] = useState(false);
  if (found.problem) return html`<${Nearby} problem=${found.problem} onChoose=${(/** @type {string} */ name) => go({ entity: name }, { replace: true })} />`;
  if (!found.value) return html`<${Loading} />`;
  const entity = found.value;
  const facts = [entity.kind, count(entity.mentions, "named once", "named {n} times"), count(entity.documents, "in 1 document", "in {n} documents"), ...entity.aliases.slice(0, 3)];
  return html`<section class="entity">
    <h2 dir="auto">${entity.name}</h2>
    <p class="facts">${facts.filter(Boolean).map((fact) => html`<span dir="auto">${fact}</span>`)}</p>
    <div class="row"><button type="button" onClick=${() => go({ view: "graph", way: "path", from: id }, { keep: false })}>${t("Find a path from here")}</button></div>
    ${entity.merges.length > 0 && html`<details class="more"><summary>${t("Other names of it")}</summary><ul class="text">${entity.merges.map((/** @type {any} */ merge) => html`<li dir="auto">“${merge.name}”: ${merge.reason}</li>`)}</ul></details>`}
    ${(topic || entity.topics.length > 1) && html`<div class="choices" role="group" aria-label=${t("Topics")}>${entity.topics.slice(0, 8).map((/** @type {any} */ each) => html`<button type="button" class="choice" aria-pressed=${String(each.topic === topic)} onClick=${() => go({ topic: each.topic === topic ? null : each.topic })}>${each.topic.replaceAll("_", " ")} <span class="note">${each.passages}</span></button>`)}</div>`}
    ${entity.neighbours.length > 0 && html`<${Drawing} entity=${entity} neighbours=${entity.neighbours.slice(0, DRAWN)} between=${entity.between} onChoose=${(/** @type {string} */ next) => go({ entity: next, topic: null })} />`}
    <div class="segments" role="group" aria-label=${t("Show")}><button type="button" aria-pressed=${String(!isNamed)} onClick=${() => setNamed(false)}>${t("Connections")}</button><button type="button" aria-pressed=${String(isNamed)} onClick=${() => setNamed(true)}>${t("Where it is named")}</button></div>
    ${isNamed
      ? html`<${Evidence} evidence=${entity.passages} />${entity.total_passages > entity.passages.length && html`<p class="note">${t("The first {n} of {all}.", { n: entity.passages.length, all: entity.total_passages })}</p>`}`
      : html`<ul class="rows" aria-label=${t("Connections")}>${entity.neighbours.map((/** @type {any} */ link) => html`<${Connection} link=${link} />`)}</ul>
          ${!entity.neighbours.length && html`<p class="note">${t("Nothing is named together with it.")}</p>`}`}
  </section>`;
}

/** @param {{ link: any }} props */
function Connection({ link: { entity, sentences, evidence, predicates } }) {
  return html`<li class="connection"><p><button type="button" class="name" dir="auto" onClick=${() => go({ entity: entity.id, topic: null })}>${entity.name}</button>
    <span class="facts">${[entity.kind, count(sentences, "1 sentence", "{n} sentences"), ...predicates.slice(0, 3)].filter(Boolean).map((fact) => html`<span>${fact}</span>`)}</span></p>
    <${Evidence} evidence=${evidence} /></li>`;
}
