// A drawing of entities and the lines between them, laid out by graph_drawing.py: x in percent, y in pixels. Names are buttons of
// ordinary size over the lines, so that they can be read and reached at any width; a style sheet shows the layout that fits.

const LINES = "http://www.w3.org/2000/svg";

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(LINES, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

const mark = (kind) => kind && element("span", { class: `kind-mark ${kind.tone}`, "aria-hidden": "true" }, kind.mark);

function sheet({ height, nodes, edges }, look, choose) {
  const lines = shape("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    ...edges.map(({ line, width, is_faint }) => shape("path", { d: line, class: is_faint ? "faint" : "line", "stroke-width": width, "vector-effect": "non-scaling-stroke" })));
  const labels = edges.filter(({ text }) => text).map(({ text, x, y }) =>
    element("span", { class: "between", style: `left:${x}%;top:${y}px`, "aria-hidden": "true", dir: "auto" }, text));
  const names = nodes.map(({ id, text, title, role, kind, x, y, share }) => {
    const place = `left:${x}%;top:${y}px;max-width:${share}%`;
    const words = [mark(kind), element("span", { class: "name", dir: "auto" }, text)];
    return role === "centre" || role === "start"
      ? element("span", { class: `node ${role}`, style: place, title }, words)
      : element("button", { class: `node ${role}`, type: "button", style: place, title, "aria-label": title, onclick: () => choose(id) }, words);
  });
  return element("div", { class: `sheet ${look}`, style: `height:${height}px` }, lines, labels, names);
}

function drawing({ wide, tall, label, legend }, choose) {
  return element("div", { class: "drawing" },
    element("div", { class: "field", role: "group", "aria-label": label }, sheet(wide, "wide", choose), sheet(tall, "tall", choose)),
    legend?.length > 0 && element("ul", { class: "legend", "aria-label": "Kinds" },
      legend.map(({ name, kind }) => element("li", {}, mark(kind), name))));
}
