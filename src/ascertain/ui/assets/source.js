// A document around a quote, the quoted words marked.

export default function ({ data, parentElement }) {
  drawOnce(parentElement, data, (source) => [
    element("h3", { dir: "auto" }, source.title),
    element("p", { class: "where" }, source.facts.map((fact) => element("span", { dir: "auto" }, fact))),
    source.speaker && element("p", { class: "turn" }, element("span", { class: "speaker", dir: "auto" }, source.speaker), source.time && element("span", { class: "time" }, source.time)),
    source.warning && element("p", { class: "warning", role: "note" }, source.warning),
    element("blockquote", { class: "passage", dir: "auto", tabindex: "0", "aria-label": "The quoted words in their context" },
      source.starts_inside && element("span", { class: "cut", "aria-hidden": "true" }, "… "),
      source.before, element("mark", {}, answering(source.quote)), source.after,
      source.ends_inside && element("span", { class: "cut", "aria-hidden": "true" }, " …")),
    source.link && element("p", {}, element("a", { href: source.link, target: "_blank", rel: "noopener noreferrer nofollow" }, "Open the original", hidden(" (in a new tab)"))),
  ]);
  const mark = parentElement.querySelector("mark");
  if (mark) mark.scrollIntoView({ block: "nearest" });
}
