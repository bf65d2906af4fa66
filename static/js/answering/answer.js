// Saves the answer while it is typed. Each text is first stored in this browser, then sent, at most one request in two
// seconds; it stays stored until the server confirms it. If another tab or device saved in between, nothing is sent
// before the participant has chosen a text.
import { Choices } from "./choices.js";
import { nextKey } from "./keys.js";
import { tooLong } from "./limits.js";
import { post } from "./post.js";
import { say } from "../texts.js";

const PAUSE = 1000; // ms from the first key to sending, if nothing was sent recently
const APART = 2000; // ms between two requests
const BEAT = 20_000; // ms between reports of active time while nothing is typed
const LONGEST_WAIT = 30_000;

export class Answer {
  constructor(page, store, status, activity) {
    Object.assign(this, { store, status, activity });
    this.number = Number(page.dataset.number);
    this.base = page.dataset.base;
    this.version = Number(page.dataset.version);
    this.form = document.getElementById("answer-form");
    this.field = document.getElementById("answer") ?? new Choices(this.form);
    this.panel = document.getElementById("conflict");
    this.slot = store.slotOf(this.number);
    this.saved = this.field.defaultValue;
    this.pending = null; // the text that the server does not have yet
    this.sending = false;
    this.conflict = null; // the server's text instead, {version, text}
    this.failures = 0;
    this.lastSent = -APART;
    this.timer = null;
    this.listen();
    this.recover();
    activity.onLeaving = () => this.tellLeft();
    setInterval(() => this.beat(), BEAT);
  }

  listen() {
    this.field.addEventListener("input", () => this.changed());
    this.form.addEventListener("submit", (event) => this.submit(event));
    window.addEventListener("online", () => this.soon(0));
    window.addEventListener("focus", () => this.failures && this.soon(0));
    window.addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.flush();
      else if (this.failures) this.soon(0);
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.pending && !this.store.works) event.preventDefault();
    });
  }

  // --- Texts stored in this browser by a page that was closed, or crashed, before they arrived.
  recover() {
    const arrived = this.store.takeArrived(this.number);
    if (arrived && arrived.version > this.version && this.panel.hidden) {
      this.show(arrived);
      this.status.saved();
    }
    const [newest, ...older] = this.store.all().filter(({ item }) => item.number === this.number);
    for (const { slot, item } of older) this.putAside(slot, item);
    if (this.panel.hidden === false) {
      // The page shows a conflict already: this browser's text is the one in the field.
      this.conflict = { version: Number(this.form.elements.based_on.value), text: "" };
      this.saved = null;
      this.pending = this.item(this.field.value);
      this.status.set("asking");
    } else if (newest) {
      this.slot = newest.slot;
      this.pending = newest.item;
      this.field.value = newest.item.text;
      this.inForm();
      if (!this.fits()) return;
      this.status.set("waiting");
      this.soon(0);
    } else if (this.field.value !== this.saved) {
      this.changed(); // the browser restored a text in the field
    }
  }

  async putAside(slot, item) {
    try {
      const { key, text } = item;
      const url = `${this.base}aside/`;
      const answer = await post(url, { key, text, typed_at: item.typed_at }, { standing: `${this.base}standing/` });
      if (answer.status !== 200) return;
      this.store.remove(slot, key);
      if (!this.pending && !this.conflict) this.version = answer.body.version;
    } catch {
      // It stays stored until the next attempt.
    }
  }

  // --- Typing
  item(text) {
    return { number: this.number, text, key: nextKey(), based_on: this.version, typed_at: Date.now() };
  }

  changed() {
    if (this.slot !== this.store.slotOf(this.number)) {
      if (this.pending) this.store.remove(this.slot, this.pending.key);
      this.slot = this.store.slotOf(this.number);
    }
    this.pending = this.item(this.field.value);
    this.store.put(this.pending, this.slot);
    this.inForm();
    if (this.conflict) return;
    if (!this.fits()) return;
    if (!this.failures) this.status.set("waiting");
    this.soon(this.failures ? null : PAUSE);
  }

  // Whether the text can be sent; if it is too long, the page says so.
  fits() {
    const problem = tooLong(this.field);
    this.refused = Boolean(problem);
    if (problem) this.status.set("refused", problem);
    return !problem;
  }

  // The form, which leads to the next question, sends the same text with the same key.
  inForm() {
    this.form.elements.key.value = this.pending?.key ?? nextKey();
    this.form.elements.based_on.value = this.pending?.based_on ?? this.version;
  }

  // --- Sending
  soon(delay) {
    if (delay === null && this.timer !== null) return;
    const due = Math.max(performance.now() + (delay ?? this.waitAfterFailure()), this.lastSent + APART);
    if (this.timer !== null) {
      if (this.due <= due) return;
      clearTimeout(this.timer);
    }
    this.due = due;
    this.timer = setTimeout(() => this.send(), Math.max(0, due - performance.now()));
  }

  waitAfterFailure() {
    return Math.min(LONGEST_WAIT, 1000 * 2 ** Math.min(this.failures, 5)) * (0.75 + Math.random() / 2);
  }

  async send() {
    this.timer = null;
    if (this.sending || this.conflict || this.refused || !this.pending) return;
    const item = this.pending;
    const slot = this.slot;
    this.sending = true;
    this.lastSent = performance.now();
    const times = this.activity.take();
    try {
      const answer = await post(`${this.base}answer/`, this.fields(item, times), { standing: `${this.base}standing/` });
      if (answer.status >= 500 || answer.status === 429) throw new Error("away");
      if (answer.status !== 200 && answer.status !== 409) this.activity.giveBack(times);
      this.answered(answer, item, slot);
    } catch {
      this.activity.giveBack(times);
      this.failed("away");
    } finally {
      this.sending = false;
      if (this.pending && !this.conflict && this.timer === null && !this.refused) this.soon(this.failures ? null : 0);
    }
  }

  fields(item, times) {
    const late = Date.now() - item.typed_at > 5000 ? { typed_at: item.typed_at } : {};
    return { text: item.text, key: item.key, based_on: item.based_on, ...late, ...times };
  }

  answered({ status, body }, item, slot) {
    if (status === 200 && body) {
      this.failures = 0;
      this.store.remove(slot, item.key);
      this.taken(body, item);
    } else if (status === 409 && body) {
      this.failures = 0;
      this.ask(body);
    } else if (status === 422 && body) {
      this.refused = true;
      this.status.set("refused", body.text);
    } else if (status === 403 && body?.problem === "over") {
      this.failed("over", body.text);
    } else {
      this.failed(status === 403 ? "link" : "away");
    }
  }

  taken(body, item) {
    const newer = this.pending && this.pending.key !== item.key;
    if (body.text === item.text) {
      this.version = body.version;
      this.saved = item.text;
      if (newer) {
        this.pending.based_on = body.version;
        this.store.put(this.pending, this.slot);
      }
    } else if (!newer) {
      this.show(body); // it had arrived before, and was changed elsewhere since, based on it
    }
    if (newer) this.status.set("waiting");
    else {
      this.pending = null;
      this.status.saved();
    }
    this.inForm();
  }

  failed(state, text = "") {
    this.failures += 1;
    this.status.set(state, text);
  }

  // Unsent text is sent when the page is left; if that fails too, it is still stored here.
  flush() {
    for (const { times } of this.activity.takeLeft()) {
      post(`${this.base}answer/`, times, { keepalive: true }).catch(() => {});
    }
    const times = this.activity.take();
    if (this.pending && !this.conflict && !this.refused) {
      post(`${this.base}answer/`, this.fields(this.pending, times), { keepalive: true }).catch(() => {});
    } else if (Number(times.active) >= 1 || times.place) {
      post(`${this.base}answer/`, times, { keepalive: true }).catch(() => {});
    }
  }

  // Reading times of closed articles.
  async tellLeft() {
    for (const { article, times } of this.activity.takeLeft()) {
      try {
        const answer = await post(`${this.base}answer/`, times, { standing: `${this.base}standing/` });
        if (answer.status !== 200) this.activity.giveBack(times, article);
      } catch {
        this.activity.giveBack(times, article);
      }
    }
  }

  async beat() {
    if (!this.failures) await this.tellLeft();
    if (this.pending || this.sending || this.failures || this.activity.seconds < 1) return;
    const times = this.activity.take();
    this.lastSent = performance.now();
    try {
      const answer = await post(`${this.base}answer/`, times, { standing: `${this.base}standing/` });
      if (answer.status !== 200) this.activity.giveBack(times);
    } catch {
      this.activity.giveBack(times);
    }
  }

  // --- Conflicts
  ask({ version, text }) {
    this.conflict = { version, text };
    this.panel.querySelector("[data-conflict-text]").textContent = (this.field.labelOf?.(text) ?? text) || say("(empty)");
    this.panel.hidden = false;
    this.status.set("asking");
    this.status.say("asking", say("Another tab or device saved a different answer. Choose which version to use."));
  }

  keepMine() {
    this.version = this.conflict.version;
    this.settle();
    this.changed();
    this.soon(0);
  }

  async useOther() {
    const item = this.pending ?? this.item(this.field.value);
    const slot = this.slot;
    try {
      const answer = await post(
        `${this.base}aside/`, { text: this.field.value, key: nextKey(), typed_at: item.typed_at },
        { standing: `${this.base}standing/` },
      );
      if (answer.status !== 200 || !answer.body) throw new Error("away");
      this.pending = null;
      this.store.remove(slot, item.key);
      this.settle();
      this.show(answer.body);
      this.status.saved();
    } catch {
      this.status.set("away", say("The server did not receive your choice. Both versions are still stored. Try again in a moment."));
    }
  }

  settle() {
    this.conflict = null;
    this.panel.hidden = true;
    this.field.focus();
  }

  show({ version, text }) {
    this.version = version;
    this.saved = text;
    this.field.value = text;
    this.inForm();
  }

  // --- The buttons
  submit(event) {
    const button = event.submitter;
    if (button?.dataset.keep && this.conflict) {
      event.preventDefault();
      if (button.dataset.keep === "mine") this.keepMine();
      else this.useOther();
    } else if (this.conflict) {
      event.preventDefault();
      this.panel.querySelector("#conflict-title").focus();
    } else if (this.failures || !navigator.onLine) {
      // If the text cannot be sent, stay on the page: the browser would show its own error instead.
      event.preventDefault();
      if (this.pending) this.soon(0);
      this.status.say("again", say("Cannot continue yet. {status}", { status: this.status.text.textContent }));
      this.failures = this.pending ? this.failures : 0;
    }
  }
}
