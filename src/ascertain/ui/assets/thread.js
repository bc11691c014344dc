// The thread of questions and answers. A question shows the moment it is sent, before the service has heard of it; the latest
// one is kept at the top while its answer comes, until the reader scrolls.

const BOX = '[data-testid="stChatInputTextArea"]';
const SEND = '[data-testid="stChatInputSubmitButton"]';
const EXAMPLE = '[class*="st-key-example_"] button';
const QUESTION = ".asc-question";
const GAP = 16; // pixels between the header and the question
const FRAMES = 6; // within which Streamlit empties the box of a question that it takes
const SCROLLING = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", "Tab"]);

function watchThread() {
  const app = document.querySelector(".stApp");
  const scroller = document.querySelector('[data-testid="stMain"]');
  const content = scroller.querySelector('[data-testid="stMainBlockContainer"]');
  const ended = new AbortController();
  const heard = { capture: true, passive: true, signal: ended.signal };
  let isFollowing = false;
  let echo = null;
  let before = 0;
  let turn = null;

  const questions = () => content.querySelectorAll(QUESTION);
  const place = () => {
    const latest = echo ?? [...questions()].at(-1);
    if (!isFollowing || !latest) return;
    const header = document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0;
    scroller.scrollTop += latest.getBoundingClientRect().top - header - GAP;
  };
  const drop = () => {
    echo?.remove();
    echo = null;
  };
  const show = (question) => {
    drop();
    before = questions().length;
    echo = element("div", { class: "asc asc-echo", role: "status" },
      element("p", { dir: "auto" }, question), element("ol", { class: "asc-steps" }, element("li", { class: "running" }, element("span", {}, "Sending the question …"))));
    content.querySelector('[data-testid="stVerticalBlock"]').append(echo);
    isFollowing = true;
    place();
  };
  const showWhenTaken = (box, question, frames) => {
    if (box.value === "") show(question);
    else if (frames > 0) requestAnimationFrame(() => showWhenTaken(box, question, frames - 1));
  };
  const send = () => {
    const box = document.querySelector(BOX);
    const question = box?.value.trim();
    if (question) setTimeout(() => showWhenTaken(box, question, FRAMES));
  };

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.(BOX);
    if (isTyping && event.key === "Enter" && !event.shiftKey && !event.isComposing) send();
    if (SCROLLING.has(event.key) && (!isTyping || event.key === "Tab")) isFollowing = false;
  }, heard);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.(SEND)) send();
    const example = event.target.closest?.(EXAMPLE);
    if (example) show(example.querySelector('[data-testid="stMarkdownContainer"]').innerText);
  }, heard);
  for (const kind of ["wheel", "touchmove", "pointerdown"]) scroller.addEventListener(kind, () => { isFollowing = false; }, heard);

  // The page draws the question itself, or says at the end of its run why it could not.
  const drawn = new MutationObserver(() => {
    if (echo && questions().length > before) drop();
    place();
  });
  drawn.observe(content, { childList: true, subtree: true });
  let wasRunning = false;
  const run = new MutationObserver(() => {
    const isRunning = app.dataset.testScriptState === "running";
    if (wasRunning && !isRunning && app.dataset.testScriptState === "notRunning") drop();
    wasRunning = isRunning;
  });
  run.observe(app, { attributeFilter: ["data-test-script-state"] });
  const grown = new ResizeObserver(place);
  grown.observe(content);

  return {
    follow(latest) {
      if (latest === turn) return;
      turn = latest;
      isFollowing = true;
      place();
    },
    end() {
      drop();
      ended.abort();
      for (const each of [drawn, run, grown]) each.disconnect();
    },
  };
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  root.thread ??= watchThread();
  root.thread.follow(data.turn);
  return () => {
    root.thread?.end();
    root.thread = undefined;
  };
}
