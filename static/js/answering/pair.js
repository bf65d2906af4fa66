// Two answers side by side: Enter in the choice goes on, selected text is marked. Scores and marks are saved while they
// are typed: stored in this browser, then sent with what they were before, so that marks of another tab or device stay.
// The choice itself is saved like any answer.
import { deliver } from "./outbox.js";
import { post } from "./post.js";

const PAUSE = 1000; // ms from a change to sending
const AGAIN = 5000;

export function watchPair(page, store) {
  const form = document.getElementById("answer-form");
  const { base } = page.dataset;
  const number = Number(page.dataset.number);
  const fields = [...form.querySelectorAll("[data-critique]")];
  const message = document.getElementById("pair-message");
  const announcer = document.getElementById("announcer");
  let timer = null;
  let sending = false;

  const before = ({ name }) => form.elements[`${name}_was`];
  const labelOf = (field) => field.labels[0].textContent.trim();

  const tell = (text, isLoud = false) => {
    message.textContent = text;
    if (isLoud) announcer.textContent = text;
  };

  // What the server does not have yet, with what it had.
  const unsaved = () => {
    const changed = fields.filter((field) => field.checkValidity() && field.value !== before(field).value);
    return Object.fromEntries(changed.flatMap((field) => [[field.name, field.value], [before(field).name, before(field).value]]));
  };

  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(save, delay);
  };

  const changed = () => {
    store.putMarks(number, unsaved());
    const wrong = fields.find((field) => !field.checkValidity());
    if (wrong) tell(`${labelOf(wrong)}: ${wrong.validationMessage}`, true);
    else tell("Scores and marks: not saved yet…");
    soon(PAUSE);
  };

  const save = async () => {
    const sent = unsaved();
    if (sending || !Object.keys(sent).length) {
      if (!sending && fields.every((field) => field.checkValidity())) tell("");
      return;
    }
    sending = true;
    try {
      const answer = await post(`${base}answer/`, sent, { standing: `${base}standing/` });
      if (answer.status === 422) return tell(answer.body.text, true);
      if (answer.status !== 200) throw new Error("away");
      for (const field of fields) if (field.name in sent) before(field).value = sent[field.name];
      store.putMarks(number, unsaved());
      if (fields.every((field) => field.checkValidity())) tell("Scores and marks: saved.");
      if (Object.keys(unsaved()).length) soon(0);
    } catch {
      tell("Scores and marks: not saved yet. This browser has stored them and will send them automatically.");
      soon(AGAIN);
    } finally {
      sending = false;
    }
  };

  // Of a page that was closed, or crashed, before they arrived.
  const recover = () => {
    const [newest, ...older] = store.marks().filter((item) => item.number === number && !item.url);
    for (const item of older) deliver(store, base, item).catch(() => {});
    if (!newest) return;
    for (const field of fields.filter(({ name }) => name in newest.fields)) {
      field.value = newest.fields[field.name];
      before(field).value = newest.fields[before(field).name];
    }
    store.dropMarks(newest.slot);
    changed();
  };

  const flush = () => {
    const sent = unsaved();
    if (Object.keys(sent).length) post(`${base}answer/`, sent, { keepalive: true }).catch(() => {});
  };

  for (const choice of form.querySelectorAll("input[type=radio][name=text]")) {
    choice.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.key !== "Enter") return;
      event.preventDefault();
      document.getElementById("mark-done").click();
    });
  }
  for (const field of fields) field.addEventListener("input", changed);
  for (const button of form.querySelectorAll("[data-mark]")) {
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
    button.addEventListener("click", () => {
      const text = selectedIn(document.getElementById(`${button.dataset.from}-text`));
      if (!text) return tell("Select some text of this answer first.", true);
      const field = document.getElementById(button.dataset.mark);
      field.value = [field.value.trim(), text].filter(Boolean).join("\n").slice(0, field.maxLength);
      field.closest("details").open = true;
      changed();
      announcer.textContent = `Added to: ${labelOf(field)}.`;
    });
  }
  window.addEventListener("online", () => soon(0));
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && flush());
  recover();
}

// The selected text as far as it is in an element: a triple click selects up to the beginning of the next paragraph.
function selectedIn(element) {
  const selection = document.getSelection();
  if (!selection.rangeCount || !selection.getRangeAt(0).intersectsNode(element)) return "";
  const range = selection.getRangeAt(0).cloneRange();
  if (!element.contains(range.startContainer)) range.setStart(element, 0);
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  selection.removeAllRanges();
  selection.addRange(range);
  return selection.toString().replace(/\s+/g, " ").trim();
}
