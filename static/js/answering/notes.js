// Notes are saved while they are typed: stored in this browser, then sent with what they were before, so that a text of
// another tab or device stays beside them. The form of a button carries those that the server may not have yet. A note
// with the open article is stored here until it is saved or left.
import { nextKey } from "./keys.js";
import { deliver } from "./outbox.js";
import { post } from "./post.js";

const PAUSE = 1000; // ms from a change to sending
const AGAIN = 5000;
const MOST_SENT = 10;

export class Notes {
  constructor(page, store) {
    Object.assign(this, { page, store });
    this.number = Number(page.dataset.number);
    this.base = page.dataset.base;
    this.timers = new Map(); // by field, as the next two
    this.sending = new Set();
    this.sent = new Map(); // the last texts sent, until a reply says which is saved
    this.isLeaving = false;
    page.addEventListener("input", ({ target }) => {
      if (target.matches?.("[data-note]")) this.changed(target);
      else if (target.id === "article-note") this.putWithArticle(target);
    });
    page.addEventListener("focusout", ({ target }) => target.matches?.("[data-note]") && this.save(target));
    page.addEventListener("formdata", ({ target, formData }) => target.id === "answer-form" && this.carry(formData));
    window.addEventListener("online", () => this.saveAll());
    // Not every browser is given the time for pagehide: what is stored here is then sent by the next page at once.
    window.addEventListener("beforeunload", () => {
      this.isLeaving = true;
      if (this.withArticle) this.putWithArticle(this.withArticle, 0);
    });
    window.addEventListener("pagehide", () => this.leave());
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.saveAll({ keepalive: true }));
    this.recover();
  }

  get fields() {
    return [...this.page.querySelectorAll("[data-note]")];
  }

  // The field of a note with the open article, if it has a text.
  get withArticle() {
    const field = document.getElementById("article-note");
    return field?.value.trim() ? field : null;
  }

  isUnsaved(field) {
    return this.sent.has(field) || field.value !== field.defaultValue;
  }

  // was: what the server may have: the note before, or a text whose reply was lost or is on its way.
  said(field) {
    return { note: field.value, was: [field.defaultValue, ...(this.sent.get(field) ?? [])] };
  }

  put(field) {
    this.store.putMarks(this.number, this.isUnsaved(field) ? this.said(field) : {}, field.form.action);
  }

  // Under another key each time that the article is open: one that was not sent is not replaced by the next.
  putWithArticle(field, typedAt = Date.now()) {
    const { dataset } = field.closest("#reader");
    dataset.key ??= nextKey();
    const said = field.value.trim() ? { path: dataset.path, article_note: field.value } : {};
    this.store.putMarks(this.number, said, `${field.form.action}#${dataset.key}`, typedAt);
  }

  changed(field) {
    this.isLeaving = false;
    this.put(field);
    this.tell("Notes: not saved yet…");
    this.soon(field, PAUSE);
  }

  soon(field, delay) {
    clearTimeout(this.timers.get(field));
    this.timers.set(field, setTimeout(() => this.save(field), delay));
  }

  async save(field, { keepalive = false, isLast = false } = {}) {
    if (!this.isUnsaved(field) || (this.sending.has(field) && !isLast)) return;
    const said = this.said(field);
    clearTimeout(this.timers.get(field));
    this.sending.add(field);
    this.sent.set(field, [...said.was.slice(1), said.note].slice(-MOST_SENT));
    this.put(field);
    try {
      const { status, body } = await post(field.form.action, said, { keepalive, standing: `${this.base}standing/` });
      // The next page may have been made before the note arrived: it shows the one that is stored here.
      if (status === 200) return this.isLeaving || this.saved(field, said.note, body.note);
      if (!body?.text) throw new Error("away");
      this.tell(body.text, true);
      if (field.value !== said.note) this.soon(field, PAUSE);
    } catch {
      this.tell("Notes: not saved yet. This browser has stored them and will send them automatically.");
      this.soon(field, AGAIN);
    } finally {
      this.sending.delete(field);
    }
  }

  // now: the note as the server has it: below a text of another tab or device, if that was saved meanwhile.
  saved(field, text, now) {
    if (now.endsWith(text)) field.setRangeText(now.slice(0, now.length - text.length), 0, 0, "preserve");
    else if (field.value === text) field.value = now;
    else return this.soon(field, PAUSE); // the server puts what was typed since then below the other text
    field.defaultValue = now;
    this.sent.delete(field);
    this.put(field);
    if (this.isUnsaved(field)) this.soon(field, PAUSE);
    else if (!this.fields.some((other) => this.isUnsaved(other))) this.tell("Notes: saved.");
  }

  saveAll(how) {
    for (const field of this.fields) this.save(field, how);
  }

  // A request on its way is lost when the page is left: the form that leaves it has the notes as well as the answer.
  carry(form) {
    for (const field of this.fields.filter((field) => this.isUnsaved(field))) {
      const { note, was } = this.said(field);
      form.set(field.name, note);
      for (const text of was) form.append(`${field.name}_was`, text);
    }
    const field = this.withArticle;
    if (!field) return;
    form.set("article_note", field.value);
    form.set("path", field.closest("#reader").dataset.path);
  }

  // The page is left: what is unsaved is sent; if that fails too, it is still stored here.
  leave() {
    this.saveAll({ keepalive: true, isLast: true });
    const field = this.withArticle;
    if (!field) return;
    this.putWithArticle(field, 0); // nobody types it any more
    const { path } = field.closest("#reader").dataset;
    post(field.form.action, { path, article_note: field.value }, { keepalive: true }).catch(() => {});
    field.value = "";
  }

  // Of a page that was closed, or crashed, before they arrived.
  recover() {
    for (const item of this.store.marks().filter(({ number, url }) => number === this.number && url)) {
      const { note, was } = item.fields;
      const field = this.fields.find(({ form }) => form.action === item.url);
      if (!field || note === undefined || this.isUnsaved(field)) {
        deliver(this.store, this.base, item).catch(() => {});
        continue;
      }
      this.store.dropMarks(item.slot);
      if (field.value === note) continue;
      Object.assign(field, { value: note, defaultValue: was[0] });
      this.sent.set(field, was.slice(1));
      field.closest("details")?.setAttribute("open", "");
      this.changed(field);
    }
  }

  tell(text, isLoud = false) {
    document.getElementById("note-message").textContent = text;
    if (isLoud) document.getElementById("announcer").textContent = text;
  }
}
