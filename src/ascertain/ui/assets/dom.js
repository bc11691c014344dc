// Building blocks of every part. Text only ever becomes text nodes and attributes, never markup: it comes from documents and models.

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "onclick" || name === "onsubmit") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") made.append(child);
  }
  return made;
}

// A text in three parts, of which the middle one, where there is any, are the words that answer.
const answering = ([before, words, after]) => [before, words && element("strong", { class: "answering", title: "The words that answer" }, words), after];

const hidden = (text) => element("span", { class: "hidden" }, text);

// Streamlit sets the scheme on the app only; dialogs stand beside it, and take theirs from the document.
function matchTheme() {
  const app = document.querySelector(".stApp");
  if (app) document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
}

// Draws only when what is compared changed: a redraw would take the keyboard's focus and what was typed away.
function drawOnce(parentElement, data, draw, compared = data) {
  matchTheme();
  const root = parentElement.querySelector(".root");
  const shown = JSON.stringify(compared);
  if (root.shown === shown) return;
  root.shown = shown;
  root.replaceChildren(...draw(data).filter(Boolean));
}
