// An answer: sentences with their verdicts and citations, the sources under it, what to think of it and how it came about.

const LONGEST_WORD = 24;

// The characters of a text in parts between two places, in the same parts.
const cutParts = (parts, start, end) => {
  let before = 0;
  return parts.map((part) => {
    const kept = part.slice(Math.max(start - before, 0), Math.max(end - before, 0));
    before += part.length;
    return kept;
  });
};

export default function ({ data, parentElement, setTriggerValue }) {
  const open = (n) => () => setTriggerValue("opened", n);

  const citation = ({ n, label }) =>
    element("button", { class: "chip", type: "button", onclick: open(n), "aria-label": `Source ${n}: ${label}`, title: label }, n);

  // The last word stays on one line with its verdict and numbers.
  const sentence = ({ text, heading, time, verdict, mark, meaning, citations }) => {
    const whole = text.join("");
    const last = Math.max(whole.lastIndexOf(" "), whole.lastIndexOf("\n")) + 1;
    const kept = whole.length - last <= LONGEST_WORD ? last : whole.length;
    const words = (start, end) => start < end && element("span", { class: `words ${verdict}` }, answering(cutParts(text, start, end)));
    return [
      (heading ?? []).map((line) => element("span", { class: "heading", dir: "auto" }, line)),
      time && element("span", { class: "time" }, time, " "),
      element("span", { class: "sentence", dir: "auto" }, words(0, kept),
        element("span", { class: "together" }, words(kept, whole.length),
          element("span", { class: `verdict ${verdict}`, title: meaning }, element("span", { "aria-hidden": "true" }, mark), hidden(`(${meaning})`)),
          citations.map(citation))),
      " ",
    ];
  };

  const confidence = ({ level, title, score, meaning }) =>
    element("details", { class: `confidence ${level}` },
      element("summary", {},
        element("span", { class: "meter", "aria-hidden": "true" }, [20, 40, 60, 80, 95].map((step) => element("i", { class: score >= step - 10 && "on" }))),
        element("span", {}, title), element("span", { class: "score" }, `${score} of 100`)),
      element("p", {}, meaning));

  const source = ({ n, title, place, date, quote, warning, how }) =>
    element("li", {},
      element("button", { class: "source", type: "button", onclick: open(n) }, hidden(`Open source ${n}: `),
        element("span", { class: "number", "aria-hidden": "true" }, n),
        element("span", { class: "what" },
          element("span", { class: "title", dir: "auto" }, title),
          element("span", { class: "where", dir: "auto" }, [place, date].filter(Boolean).join(" · ")),
          element("span", { class: "quote", dir: "auto" }, "“", answering(quote), "”"),
          how && element("span", { class: "how", dir: "auto" }, `Found by the graph: ${how}`),
          warning && element("span", { class: "warning" }, warning))));

  const choose = (id) => (id.startsWith("citation:") ? setTriggerValue("opened", Number(id.slice(9))) : setTriggerValue("explored", id.slice(7)));
  const found = (way) =>
    element("details", { class: "found" },
      element("summary", {}, "How this was found"),
      drawing(way, choose));

  const step = ({ name, outcome, reason, detail }) =>
    element("li", {},
      element("span", { class: "step" }, name), element("span", { class: "outcome", dir: "auto" }, outcome),
      reason && element("span", { class: "reason", dir: "auto" }, reason),
      detail && element("span", { class: "detail" }, detail));

  const judgement = ({ thumb }) => {
    const comment = element("textarea", { rows: 2, maxlength: 2000, "aria-label": "Comment on this answer", placeholder: "What was good or missing? (optional)" });
    const form = element("form", { class: "comment", hidden: true, onsubmit: (event) => {
      event.preventDefault();
      setTriggerValue("judged", { thumb: form.thumb, comment: comment.value });
      form.hidden = true;
      said.textContent = "Thank you, your comment is noted.";
    } }, comment, element("button", { type: "submit" }, "Send comment"));
    const said = element("span", { class: "said", role: "status" }, thumb && "Thank you.");
    const buttons = [["up", "Good answer", "M7 11v9H4v-9zm2 9V10.5l4-7.5c1.4 0 2.3 1 2 2.6L14.3 9H19c1.2 0 2 1 1.8 2.2l-1.2 7A2 2 0 0 1 17.6 20z"],
      ["down", "Poor answer", "M17 13V4h3v9zm-2-9v9.5l-4 7.5c-1.4 0-2.3-1-2-2.6L9.7 15H5c-1.2 0-2-1-1.8-2.200l1.2-7A2 2 0 0 1 6.4 4z"]].map(([which, name, path]) => {
      const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      picture.setAttribute("viewBox", "0 0 24 24");
      picture.setAttribute("aria-hidden", "true");
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      line.setAttribute("d", path);
      picture.append(line);
      return element("button", { class: "thumb", type: "button", "aria-pressed": String(thumb === which), "aria-label": name, title: name, onclick: () => {
        buttons.forEach((button, place) => button.setAttribute("aria-pressed", String((place === 0) === (which === "up"))));
        form.thumb = which;
        form.hidden = false;
        said.textContent = "Thank you.";
        setTriggerValue("judged", { thumb: which, comment: "" });
      } }, picture);
    });
    return element("div", { class: "judgement" }, element("div", { class: "thumbs", role: "group", "aria-label": "Was this answer good?" }, buttons, said), form);
  };

  drawOnce(parentElement, data, (answer) => [
    answer.standalone && element("p", { class: "understood", dir: "auto" }, `Understood as: ${answer.standalone}`),
    answer.label && element("p", { class: `kind ${answer.kind}` }, answer.label),
    answer.caveat && element("p", { class: "caveat", role: "note", dir: "auto" }, answer.caveat),
    ...answer.paragraphs.map((sentences) => element("p", { class: `text ${sentences[0].form}` }, sentences.map(sentence))),
    ...answer.plain.map((line) => element("p", { class: "text", dir: "auto" }, line)),
    answer.confidence && element("div", { class: "standing" }, confidence(answer.confidence), answer.tally && element("span", { class: "tally" }, answer.tally)),
    answer.sources.length > 0 && element("section", { "aria-label": "Sources" }, element("ol", { class: "sources" }, answer.sources.map(source))),
    element("div", { class: "foot" },
      answer.facts.length > 0 && element("p", { class: "facts" }, answer.facts.map((fact) => element("span", {}, fact))),
      answer.can_judge && judgement(answer)),
    answer.found && found(answer.found),
    answer.steps.length > 0 && element("details", { class: "path" },
      element("summary", {}, "How this answer came about"), element("ol", {}, answer.steps.map(step))),
    // the buttons show feedback as soon as it is given, and keep the comment open
  ], { ...data, thumb: null });
}
