// Texts that the server does not have yet, stored in this browser by participant, question and page. If storage is not
// available (private windows, a full disk), they are held while the page is open, and the page warns before it is left.

const PREFIX = "manyhop:answer";
const SENT = "manyhop:sent";
const EXTRAS = "manyhop:marks";
const memory = new Map();

export class Store {
  constructor(participant, page) {
    this.base = `${PREFIX}:${participant}:`;
    this.extrasBase = `${EXTRAS}:${participant}:`;
    this.page = page;
    this.works = true;
  }

  // item: {number, text, key, based_on, typed_at}
  put(item, slot = this.slotOf(item.number)) {
    try {
      localStorage.setItem(slot, JSON.stringify(item));
      memory.delete(slot);
      this.works = true;
    } catch {
      memory.set(slot, item);
      this.works = false;
    }
    return slot;
  }

  slotOf(number) {
    return `${this.base}${number}:${this.page}`;
  }

  // Removes an item, but not if another text has replaced it in the meantime.
  remove(slot, key) {
    const item = this.read(slot);
    if (item && item.key !== key) return;
    memory.delete(slot);
    try {
      localStorage.removeItem(slot);
    } catch {
      // Storage was not available.
    }
  }

  read(slot) {
    if (memory.has(slot)) return memory.get(slot);
    try {
      const item = JSON.parse(localStorage.getItem(slot));
      return item && typeof item.text === "string" && typeof item.key === "string" ? item : null;
    } catch {
      return null;
    }
  }

  // A text that this browser tab sent from another page: the next page of its question may have been rendered before it
  // arrived, and shows it from here.
  arrived(number, { version, text }) {
    try {
      sessionStorage.setItem(`${SENT}:${this.base}${number}`, JSON.stringify({ version, text }));
    } catch {
      // Then the page shows the earlier text until it is loaded again.
    }
  }

  takeArrived(number) {
    const slot = `${SENT}:${this.base}${number}`;
    try {
      const found = JSON.parse(sessionStorage.getItem(slot));
      sessionStorage.removeItem(slot);
      return found;
    } catch {
      return null;
    }
  }

  // All unsent texts, newest first: [{slot, item}].
  all() {
    const places = new Set(memory.keys());
    try {
      for (let index = 0; index < localStorage.length; index += 1) places.add(localStorage.key(index));
    } catch {
      // Then only the texts in memory.
    }
    return [...places]
      .filter((slot) => slot.startsWith(this.base))
      .map((slot) => ({ slot, item: this.read(slot) }))
      .filter(({ item }) => item !== null)
      .sort((one, other) => other.item.typed_at - one.item.typed_at);
  }

  // What is saved beside an answer and the server does not have yet, by question and page: {number, fields, typed_at}. A
  // page without storage sends it as long as it is open.
  putExtras(number, fields) {
    const slot = `${this.extrasBase}${number}:${this.page}`;
    if (!Object.keys(fields).length) return this.dropExtras(slot);
    try {
      localStorage.setItem(slot, JSON.stringify({ number, fields, typed_at: Date.now() }));
    } catch {
      // Storage was not available.
    }
  }

  // All of these, newest first: [{slot, number, fields, typed_at}].
  extras() {
    try {
      return Object.keys(localStorage)
        .filter((slot) => slot.startsWith(this.extrasBase))
        .map((slot) => ({ slot, ...JSON.parse(localStorage.getItem(slot)) }))
        .filter(({ url }) => !url) // with an address, it is a note of an earlier version, which stored each by itself
        .sort((one, other) => other.typed_at - one.typed_at);
    } catch {
      return [];
    }
  }

  dropExtras(slot) {
    try {
      localStorage.removeItem(slot);
    } catch {
      // Storage was not available.
    }
  }

  forgetAll() {
    for (const { slot, item } of this.all()) this.remove(slot, item.key);
    for (const { slot } of this.extras()) this.dropExtras(slot);
    try {
      for (const slot of Object.keys(sessionStorage)) if (slot.startsWith(SENT)) sessionStorage.removeItem(slot);
    } catch {
      // Storage was not available.
    }
  }
}
