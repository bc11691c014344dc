// A box for the name of an entity, with suggestions of the service as one types: the combobox of the ARIA authoring practices.

const PAUSE = 160; // milliseconds without a key before the service is asked

function entityBox(root) {
  const list = element("ul", { class: "suggestions", role: "listbox", id: "suggestions", hidden: true });
  const input = element("input", {
    type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 300, id: "box",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "suggestions",
  });
  const label = element("label", { for: "box" });
  const told = element("span", { class: "hidden", role: "status" });
  root.replaceChildren(label, element("div", { class: "box" }, input, list), told);

  let tell = () => {};
  let found = [];
  let active = -1;
  let timer = 0;
  let value = null;

  const open = (is_open) => {
    list.hidden = !is_open || found.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (list.hidden) point(-1);
  };
  const point = (place) => {
    active = place;
    [...list.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === place)));
    if (place < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", list.children[place].id);
      list.children[place].scrollIntoView({ block: "nearest" });
    }
  };
  const choose = (entity, name) => {
    clearTimeout(timer);
    input.value = name;
    open(false);
    tell("chosen", entity);
  };
  const ask = () => tell("typed", input.value.trim());

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", () => open(false));
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) {
      event.preventDefault();
      open(true);
      point((active + step + found.length) % found.length);
    } else if (event.key === "Enter" && input.value.trim()) {
      const { id, name } = found[active] ?? { id: input.value.trim(), name: input.value.trim() };
      choose(id, name);
    } else if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation();
      open(false);
    }
  });

  return (data, setTriggerValue) => {
    tell = setTriggerValue;
    label.textContent = data.label;
    input.placeholder = data.placeholder;
    if (data.value !== value) {
      value = data.value;
      input.value = value;
    }
    if (JSON.stringify(data.suggestions) === JSON.stringify(found)) return;
    found = data.suggestions;
    list.replaceChildren(...found.map(({ id, name, note, kind }, place) => {
      const option = element("li", { class: "suggestion", role: "option", id: `suggestion-${place}`, "aria-selected": "false" },
        mark(kind), element("span", { class: "name", dir: "auto" }, name), note && element("span", { class: "note", dir: "auto" }, note));
      // before the box loses the focus, which would close the list
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        choose(id, name);
      });
      return option;
    }));
    point(-1);
    open(root.getRootNode().activeElement === input && data.query === input.value.trim() && data.query !== "");
    told.textContent = data.query ? `${found.length} suggestions` : "";
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  matchTheme();
  const root = parentElement.querySelector(".root");
  root.show ??= entityBox(root);
  root.show(data, setTriggerValue);
}
