// On every page of a study: sends what is still stored in this browser of other questions: texts with their keys, and
// notes, scores and marks with what they were before, so that it does no harm if another tab sends them too.
import { post } from "./post.js";

const AGAIN = 15_000;

// What was typed beside an answer on a page that was left; what the server refuses would be refused again.
export async function deliver(store, base, { slot, fields }) {
  const { status } = await post(`${base}answer/`, fields, { standing: `${base}standing/` });
  if ([200, 404, 422].includes(status)) store.dropExtras(slot);
}

export class Outbox {
  constructor(store, questions, here) {
    Object.assign(this, { store, questions, here });
    this.asked = new Set();
    this.busy = false;
    this.send();
    setInterval(() => this.send(), AGAIN);
    window.addEventListener("online", () => this.send());
  }

  async send() {
    const waiting = this.store.all().filter(({ item }) => item.number !== this.here);
    const extras = this.store.extras().filter(({ number }) => number !== this.here);
    if (this.busy || !(waiting.length || extras.length)) return;
    this.busy = true;
    try {
      for (const { slot, item } of waiting.reverse()) await this.one(slot, item);
      for (const item of extras.reverse()) await deliver(this.store, `${this.questions}${item.number}/`, item);
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
    } else if (answer.status === 409) this.asked.add(item.number);
  }

  tell() {
    const notice = document.getElementById("outbox-notice");
    if (!notice) return;
    const numbers = new Set(this.store.all().map(({ item }) => item.number).filter((number) => number !== this.here));
    const asked = [...numbers].filter((number) => this.asked.has(number)).sort((one, other) => one - other);
    notice.hidden = numbers.size === 0;
    notice.querySelector("[data-outbox-text]").textContent = asked.length
      ? `Question ${asked.join(", ")}: this browser and the server have different answers. Open the question and choose which version to use.`
      : "Some of your text has not reached the server yet. This browser has stored it and will send it automatically.";
  }
}
