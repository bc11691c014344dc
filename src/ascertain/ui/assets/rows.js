// A list of things with a name: conversations, documents. A row may be opened, and may be asked to be deleted.

export default function ({ data, parentElement, setTriggerValue }) {
  const row = ({ id, title, facts, badges, note, is_current }) =>
    element("li", { class: is_current && "current" },
      data.opens
        ? element("button", { class: "open", type: "button", "aria-current": is_current ? "true" : null, onclick: () => setTriggerValue("opened", id) }, words(title, facts, note))
        : element("div", { class: "open" }, words(title, facts, note)),
      badges?.length > 0 && element("span", { class: "badges" }, badges.map(({ text, tone }) => element("span", { class: `badge ${tone}` }, text))),
      data.deletes && element("button", { class: "delete", type: "button", "aria-label": `${data.deletes}: ${title}`, title: data.deletes, onclick: () => setTriggerValue("deleted", id) }, "×"));
  const words = (title, facts, note) => [
    element("span", { class: "title", dir: "auto" }, title),
    facts?.length > 0 && element("span", { class: "facts" }, facts.map((fact) => element("span", { dir: "auto" }, fact))),
    note && element("span", { class: "note", dir: "auto" }, note),
  ];
  drawOnce(parentElement, data, ({ rows, label }) => [element("ul", { "aria-label": label, class: data.look }, rows.map(row))]);
}
