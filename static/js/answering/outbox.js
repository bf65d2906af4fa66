// On every page of a study: sends what is still stored in this browser of other questions: texts with their keys, and
// notes, scores and marks with what they were before, so that it does no harm if another tab sends them too.
import { post } from "./post.js";
import { say } from "../texts.js";

const AGAIN = 15_000;

// What was typed beside an answer on a page that was left. Resolves to false if the participant must see to it first: it
// is too long, say, or another note was saved since.
export async function deliver(store, base, { slot, fields }) {
  const { status } = await post(`${base}answer/`, fields, { standing: `${base}standing/` });
  if ([200, 404].includes(status)) store.dropExtras(slot);
  return ![409, 422].includes(status);
}

export class Outbox {
  constructor(store, questions, here) {
    Object.assign(this, { store, questions, here });
    this.asked = new Set(); // numbers of questions that the participant must open
    this.held = new Set(); // what is not sent again from this page
    this.busy = false;
    this.send();
    setInterval(() => this.send(), AGAIN);
    window.addEventListener("online", () => this.send());
  }

  async send() {
    const waiting = this.store.all().filter(({ slot, item }) => item.number !== this.here && !this.held.has(slot));
    const extras = this.store.extras().filter(({ slot, number }) => number !== this.here && !this.held.has(slot));
    if (this.busy || !(waiting.length || extras.length)) return;
    this.busy = true;
    try {
      for (const { slot, item } of waiting.reverse()) await this.one(slot, item);
      for (const item of extras.reverse()) {
        if (!(await deliver(this.store, `${this.questions}${item.number}/`, item))) this.hold(item.slot, item.number);
      }
    } catch {
      // The server is unreachable: retry later.
    } finally {
      this.busy = false;
      this.tell();
    }
  }

  async one(slot, item) {
    const base = `${this.questions}${item.number}/`;
    const { text, key, based_on, typed_at } = item;
    const answer = await post(`${base}answer/`, { text, key, based_on, typed_at }, { standing: `${base}standing/` });
    if (answer.status === 200) {
      if (answer.body) this.store.arrived(item.number, answer.body);
      this.store.remove(slot, key);
    } else if ([409, 422].includes(answer.status)) this.hold(slot, item.number);
  }

  hold(slot, number) {
    this.held.add(slot);
    this.asked.add(number);
  }

  tell() {
    const notice = document.getElementById("outbox-notice");
    if (!notice) return;
    const stored = [...this.store.all().map(({ item }) => item.number), ...this.store.extras().map(({ number }) => number)];
    const numbers = new Set(stored.filter((number) => number !== this.here));
    const asked = [...numbers].filter((number) => this.asked.has(number)).sort((one, other) => one - other);
    notice.hidden = numbers.size === 0;
    notice.querySelector("[data-outbox-text]").textContent = asked.length
      ? say("Question {numbers}: what you typed is stored in this browser, but the server has another version, or cannot save it. Open the question to see to it.", { numbers: asked.join(", ") })
      : say("Some of your text has not reached the server yet. This browser has stored it and will send it automatically.");
  }
}
