// What is saved beside the answer: the note on the question, and scores and marks of a pair. They are saved while they
// are typed: stored in this browser, then sent with what they were before, so that lines of another tab or device stay.
import { deliver } from "./outbox.js";
import { post } from "./post.js";

const PAUSE = 1000; // ms from a change to sending
const AGAIN = 5000;
const MOST_SENT = 10;

export function watchExtras(page, store) {
  const form = document.getElementById("answer-form");
  const { base } = page.dataset;
  const number = Number(page.dataset.number);
  const fields = [...form.querySelectorAll("[data-extra]")];
  const message = document.getElementById("extras-message");
  const { what } = message.dataset;
  const sent = new Map(); // by field: the texts sent since, until a reply says that they are saved
  let timer = null;
  let sending = false;

  const before = ({ name }) => form.elements[`${name}_was`];
  const areValid = () => fields.every((field) => field.checkValidity());

  const tell = (text, isLoud = false) => {
    message.textContent = text;
    if (isLoud) document.getElementById("announcer").textContent = text;
  };

  // What the server may not have yet, with what it may have: the text before, or one whose reply was lost.
  const unsaved = () => {
    const changed = fields.filter((field) => field.checkValidity() && (sent.has(field) || field.value !== before(field).value));
    return Object.fromEntries(changed.flatMap((field) => [
      [field.name, field.value], [before(field).name, [before(field).value, ...(sent.get(field) ?? [])]],
    ]));
  };

  const soon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(save, delay);
  };

  const changed = () => {
    store.putExtras(number, unsaved());
    const wrong = fields.find((field) => !field.checkValidity());
    if (wrong) tell(`${wrong.labels[0].textContent.trim()}: ${wrong.validationMessage}`, true);
    else tell(`${what}: not saved yet…`);
    soon(PAUSE);
  };

  const sends = (extras) => {
    for (const field of fields.filter(({ name }) => name in extras)) {
      sent.set(field, [...(sent.get(field) ?? []), field.value].slice(-MOST_SENT));
    }
  };

  const save = async () => {
    const extras = unsaved();
    if (sending || !Object.keys(extras).length) {
      if (!sending && areValid()) tell("");
      return;
    }
    sending = true;
    sends(extras);
    store.putExtras(number, unsaved());
    try {
      const answer = await post(`${base}answer/`, extras, { standing: `${base}standing/` });
      if (answer.status === 422) return tell(answer.body.text, true);
      if (answer.status !== 200) throw new Error("away");
      for (const field of fields.filter(({ name }) => name in extras)) {
        before(field).value = extras[field.name];
        sent.delete(field);
      }
      store.putExtras(number, unsaved());
      if (areValid()) tell(`${what}: saved.`);
      if (Object.keys(unsaved()).length) soon(0);
    } catch {
      tell(`${what}: not saved yet. This browser has stored it and will send it automatically.`);
      soon(AGAIN);
    } finally {
      sending = false;
    }
  };

  // Of a page that was closed, or crashed, before they arrived.
  const recover = () => {
    const [newest, ...older] = store.extras().filter((item) => item.number === number);
    for (const item of older) deliver(store, base, item).catch(() => {});
    if (!newest) return;
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
    const extras = unsaved();
    if (!Object.keys(extras).length) return;
    sends(extras);
    store.putExtras(number, unsaved());
    post(`${base}answer/`, extras, { keepalive: true }).catch(() => {});
  };

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
