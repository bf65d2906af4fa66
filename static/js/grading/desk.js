// Enhances the grading page, which works without JavaScript: the next answer is on the page already, so that saving one
// shows it at once while the request is sent. An answer that cannot be saved comes back.

import { offerSwitch } from "../shortcuts.js";
import { say } from "../texts.js";
import { Evidence } from "./evidence.js";
import { listen } from "./keys.js";

const root = document.getElementById("grading");
const address = root?.dataset.desk;
const held = () => document.getElementById("held");
const screen = () => document.getElementById("grading-screen");
const problems = () => document.getElementById("grading-problem");

let shownAt = Date.now();
let next = null; // The form of the next answer, not on the page.
let line = Promise.resolve(); // Requests are sent one at a time.
let evidence = null;
const sent = new Set(); // Slots being sent to the server.

const shown = () => screen()?.querySelector("form[data-grade]") ?? null;

const announce = (text) => {
  const region = document.getElementById("announcer");
  if (region) region.textContent = text;
};

const alertWith = (text, action) => {
  const box = document.createElement("div");
  box.className = "alert alert--bad";
  box.setAttribute("role", "alert");
  const body = document.createElement("div");
  body.className = "alert__body";
  const words = document.createElement("p");
  words.textContent = text;
  body.append(words);
  if (action) body.append(action);
  box.append(body);
  problems()?.replaceChildren(box);
};

const show = (form) => {
  evidence?.leave();
  screen().replaceChildren(form);
  shownAt = Date.now();
  const question = form.querySelector("[data-focus]");
  question?.focus({ preventScroll: true });
  if (held().getBoundingClientRect().top < 0) held().scrollIntoView();
  if (question) announce(question.textContent);
};

const takeNext = () => {
  const template = document.getElementById("grading-next");
  next = template?.content.querySelector("form[data-grade]") ?? null;
  template?.remove();
};

const formsIn = (page) =>
  [
    page.querySelector("#grading-screen form[data-grade]"),
    page.querySelector("#grading-next")?.content.querySelector("form[data-grade]"),
  ].filter((form) => form && !sent.has(form.dataset.grade));

/** Apply the server's list of the grader's answers. `afresh`: show it even if another answer is on the screen. */
const apply = (html, afresh) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const progress = page.getElementById("grading-progress");
  if (!progress) throw new Error("This page is not a grading desk.");
  document.getElementById("grading-progress").replaceWith(document.adoptNode(progress));
  problems().replaceChildren(...page.getElementById("grading-problem").childNodes);
  const forms = formsIn(page).map((form) => document.adoptNode(form));
  const current = afresh ? null : shown();
  if (current) {
    next = forms.find((form) => form.dataset.grade !== current.dataset.grade) ?? null;
  } else if (forms.length > 0) {
    next = forms[1] ?? null;
    show(forms[0]);
  } else if (sent.size === 0) {
    next = null;
    evidence?.leave();
    screen().replaceChildren(...page.getElementById("grading-screen").childNodes);
    screen().setAttribute("tabindex", "-1");
    screen().focus({ preventScroll: true });
    announce(screen().textContent.trim());
  }
};

const send = async (body) => {
  const response = await fetch(address, { method: "POST", body, headers: { "X-Desk": "1" } });
  if (!response.ok && response.status !== 409 && response.status !== 422) throw new Error(String(response.status));
  return { html: await response.text(), again: response.status === 422 };
};

/** Restore an answer that could not be saved; the one on the screen becomes the next. */
const comeBack = (form, seconds) => {
  const current = shown();
  if (current) next = current;
  show(form);
  shownAt -= seconds * 1000;
  alertWith(say("The server cannot be reached, so this grade was not saved. It is still on this page; save it again in a moment."));
};

const save = (form) => {
  clearTimeout(keeping);
  keeping = null;
  const seconds = (Date.now() - shownAt) / 1000;
  const body = new FormData(form);
  body.set("action", "save");
  body.set("seconds", String(seconds));
  const answer = form.dataset.grade;
  sent.add(answer);
  problems().replaceChildren();
  if (next) {
    const following = next;
    next = null;
    show(following);
  } else {
    evidence?.leave();
    const waiting = document.createElement("p");
    waiting.className = "muted";
    waiting.textContent = say("Loading…");
    screen().replaceChildren(waiting);
  }
  line = line.then(async () => {
    try {
      const { html, again } = await send(body);
      sent.delete(answer);
      apply(html, again);
    } catch {
      sent.delete(answer);
      comeBack(form, seconds);
    }
  });
};

/** The error in a form before it is sent, as text; the server reports the same. */
const wrongWith = (form) => {
  if (form.querySelector("[data-criteria]")) return ""; // Browsers check that each criterion is decided.
  const on = (name) => form.querySelector(`input[name="${name}"]:checked`) !== null;
  if (on("refuses") && on("item")) return form.dataset.refusal;
  const isGraded = ["item", "refuses", "contradicts", "extra_wrong"].some(on);
  if (isGraded === on("none")) return isGraded ? form.dataset.more : form.dataset.nothing;
  return "";
};

let keeping = null; // The timer of what is decided so far.

/** Keep what is decided so far of an answer with criteria. It is no grade, so nothing on the page changes. */
const keep = (form) => {
  keeping = null;
  if (shown() !== form) return;
  const body = new FormData(form);
  body.set("action", "keep");
  line = line.then(() => send(body).catch(() => {})); // Saving the grade says what is wrong.
};

const keepSoon = (form) => {
  clearTimeout(keeping);
  keeping = setTimeout(() => keep(form), 500);
};

const undo = () => {
  const form = root.querySelector("form[data-undo]");
  if (!form) return;
  const body = new FormData(form);
  body.set("action", "undo");
  line = line.then(async () => {
    try {
      const { html } = await send(body);
      apply(html, true);
    } catch {
      alertWith(say("The server cannot be reached, so the grade was not undone. Try again in a moment."));
    }
  });
};

if (root) {
  offerSwitch(document.getElementById("grading-keys"), "manyhop-grading-keys", (on) => {
    root.dataset.keys = on ? "on" : "off";
  });
  if (address) {
    takeNext();
    root.addEventListener("submit", (event) => {
      const form = event.target;
      if (form.matches("form[data-undo]")) {
        event.preventDefault();
        undo();
      } else if (form.matches("form[data-grade]")) {
        if (event.submitter?.value === "keep") {
          clearTimeout(keeping);
          keeping = null;
          return;
        }
        event.preventDefault();
        const wrong = wrongWith(form);
        if (wrong) alertWith(wrong);
        else save(form);
      }
    });
    root.addEventListener("input", (event) => {
      const form = event.target.closest("form[data-grade]");
      if (form?.querySelector("[data-criteria]")) keepSoon(form);
    });
    window.addEventListener("beforeunload", (event) => {
      if (sent.size > 0 || keeping !== null) event.preventDefault();
    });
  }
  evidence = new Evidence(root);
  listen(root, undo, evidence);
}
