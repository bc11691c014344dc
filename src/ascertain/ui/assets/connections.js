// What links one entity to others: each neighbour with the sentences behind the link, or sentences alone.

export default function ({ data, parentElement, setTriggerValue }) {
  const sentence = (row) => ({ quote, where, relation }, place) =>
    element("li", {},
      element("button", { class: "sentence", type: "button", onclick: () => setTriggerValue("opened", [row, place]) }, hidden("Open the source: "),
        element("span", { class: "quote", dir: "auto" }, quote),
        element("span", { class: "where", dir: "auto" }, where),
        relation && element("span", { class: "relation", dir: "auto" }, relation)));
  const head = ({ id, title, kind, facts, goes }) => [
    mark(kind),
    goes
      ? element("button", { class: "name", type: "button", dir: "auto", onclick: () => setTriggerValue("chosen", id), title: goes, "aria-label": `${goes}: ${title}` }, title, element("span", { class: "arrow", "aria-hidden": "true" }, " →"))
      : element("span", { class: "name", dir: "auto" }, title),
    facts.length > 0 && element("span", { class: "facts" }, facts.map((fact) => element("span", { dir: "auto" }, fact))),
  ];
  const row = (each, number) =>
    element("li", { class: each.title || each.sentences.length > 0 ? "row" : null },
      each.title && element("div", { class: "head" }, head(each)),
      each.text && element("p", { class: "summary", dir: "auto" }, each.text),
      each.names?.length > 0 && element("ul", { class: "names", "aria-label": each.title ? `Entities of ${each.title}` : each.label }, each.names.map(({ id, name, kind, note }) =>
        element("li", {}, element("button", { class: "chip", type: "button", onclick: () => setTriggerValue("chosen", id) }, mark(kind), element("span", { dir: "auto" }, name), note && element("span", { class: "note" }, note))))),
      each.sentences.length > 0 && element("ul", { class: "sentences" }, each.sentences.map(sentence(number))),
      each.more && element("p", { class: "more" }, each.more));
  drawOnce(parentElement, data, ({ rows, label }) => [element("ul", { class: "rows", "aria-label": label }, rows.map(row))]);
}
