// What is saved beside the answer: the note on the question, and scores and marks of a pair. They are saved while they
// are typed: stored in this browser, then sent with what they were before, so that lines of another tab or device stay.
import { tooLong } from "./limits.js";
import { deliver } from "./outbox.js";
import { post } from "./post.js";
import { say } from "../texts.js";

const PAUSE = 1000; // ms from a change to sending
const AGAIN = 5000;
const MOST_SENT = 10;

export function watchExtras(page, store) {
  const form = document.getElementById("answer-form");
  const { base } = page.dataset;
  const number = Number(page.dataset.number);
  const fields = [...form.querySelectorAll("[data-extra]")];
  const message = document.getElementById("extras-message");
  const texts = form.dataset;
  const sent = new Map(); // by field: the texts sent since, until a reply says that they are saved
  const panel = document.getElementById("note-conflict");
  let other = panel.hidden ? null : before(form.elements.note).value; // the saved note, if it is another one
  let timer = null;
  let sending = false;

  const before = ({ name }) => form.elements[`${name}_was`];
  const problemOf = (field) => {
    if (field.checkValidity()) return tooLong(field);
    return `${field.labels[0].textContent.trim()}: ${field.validationMessage}`;
  };
  const areValid = () => fields.every((field) => !problemOf(field));

  const tell = (text, isLoud = false) => {
    message.textContent = text;
    if (isLoud) document.getElementById("announcer").textContent = text;
  };

  // What the server may not have yet, with what it may have: the text before, or one whose reply was lost.
  const unsaved = (of = () => true) => {
    const changed = fields.filter((field) => of(field) && (sent.has(field) || field.value !== before(field).value));
    return Object.fromEntries(changed.flatMap((field) => [
      [field.name, field.value], [before(field).name, [before(field).value, ...(sent.get(field) ?? [])]],
    ]));
  };

  // Of these, what can be sent: not what is too long, nor a note that waits for a choice.
  const sendable = () => unsaved((field) => !problemOf(field) && !(field.name === "note" && !panel.hidden));

  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(save, delay);
  };

  const changed = () => {
    store.putExtras(number, unsaved());
    const problem = fields.map(problemOf).find(Boolean);
    if (problem) tell(problem, true);
    else tell(texts.unsaved.trim());
    soon(PAUSE);
  };

  const sends = (extras) => {
    for (const field of fields.filter(({ name }) => name in extras)) {
      sent.set(field, [...(sent.get(field) ?? []), field.value].slice(-MOST_SENT));
    }
  };

  const save = async () => {
    const extras = sendable();
    if (sending || !Object.keys(extras).length) {
      if (!sending && areValid()) tell("");
      return;
    }
    sending = true;
    sends(extras);
    store.putExtras(number, unsaved());
    try {
      const answer = await post(`${base}answer/`, extras, { standing: `${base}standing/` });
      if (answer.status === 409) return askForNote(answer.body);
      if (answer.status === 422) return tell(answer.body.text, true);
      if (answer.status !== 200) throw new Error("away");
      for (const field of fields.filter(({ name }) => name in extras)) {
        before(field).value = extras[field.name];
        sent.delete(field);
      }
      store.putExtras(number, unsaved());
      if (areValid()) tell(texts.saved.trim());
      if (Object.keys(sendable()).length) soon(0);
    } catch {
      tell(texts.away.trim());
      soon(AGAIN);
    } finally {
      sending = false;
    }
  };

  // Another tab or device saved another note: nothing more of this one is sent before one is chosen.
  const askForNote = ({ note, text }) => {
    panel.querySelector("blockquote").textContent = note || say("(empty)");
    panel.hidden = false;
    panel.closest("details").open = true;
    other = note;
    tell(text, true);
  };

  const choose = (event) => {
    const choice = event.target.closest("button")?.value;
    if (!choice) return;
    event.preventDefault();
    const field = form.elements.note;
    if (choice === "note:other") field.value = other;
    if (choice === "note:both") field.value = [other, field.value].join("\n\n");
    before(field).value = other;
    sent.delete(field);
    panel.hidden = true;
    field.focus();
    changed();
    soon(0);
  };

  // Of a page that was closed, or crashed, before they arrived.
  const recover = () => {
    const [newest, ...older] = store.extras().filter((item) => item.number === number);
    for (const item of older) deliver(store, base, item).catch(() => {});
    if (!newest) {
      if (Object.keys(sendable()).length) changed(); // typed before this script ran
      return;
    }
    for (const field of fields.filter(({ name }) => name in newest.fields)) {
      const [was, ...since] = [newest.fields[before(field).name]].flat();
      field.value = newest.fields[field.name];
      before(field).value = was;
      if (since.length) sent.set(field, since);
      field.closest("details").open = true;
    }
    store.dropExtras(newest.slot);
    changed();
  };

  const flush = () => {
    const extras = sendable();
    if (!Object.keys(extras).length) return;
    sends(extras);
    store.putExtras(number, unsaved());
    post(`${base}answer/`, extras, { keepalive: true }).catch(() => {});
  };

  panel.addEventListener("click", choose);
  for (const field of fields) field.addEventListener("input", changed);
  // A request on its way is lost when the page is left: the form that leaves it says what that request may have saved.
  form.addEventListener("formdata", ({ formData }) => {
    for (const [field, texts] of sent) for (const text of texts) formData.append(before(field).name, text);
  });
  window.addEventListener("online", () => soon(0));
  window.addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && flush());
  recover();
}
