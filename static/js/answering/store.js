// Texts that the server does not have yet, stored in this browser by participant, question and page. If storage is not
// available (private windows, a full disk), they are held while the page is open, and the page warns before it is left.

const PREFIX = "manyhop:answer";
const SENT = "manyhop:sent";
const memory = new Map();

export class Store {
  constructor(participant, page) {
    this.base = `${PREFIX}:${participant}:`;
    this.page = page;
    this.works = true;
  }

  // item: {number, text, key, based_on, typed_at}
  put(item, place = this.placeOf(item.number)) {
    try {
      localStorage.setItem(place, JSON.stringify(item));
      memory.delete(place);
      this.works = true;
    } catch {
      memory.set(place, item);
      this.works = false;
    }
    return place;
  }

  placeOf(number) {
    return `${this.base}${number}:${this.page}`;
  }

  // Removes an item, but not if another text has replaced it in the meantime.
  remove(place, key) {
    const item = this.read(place);
    if (item && item.key !== key) return;
    memory.delete(place);
    try {
      localStorage.removeItem(place);
    } catch {
      // Storage was not available.
    }
  }

  read(place) {
    if (memory.has(place)) return memory.get(place);
    try {
      const item = JSON.parse(localStorage.getItem(place));
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
    const place = `${SENT}:${this.base}${number}`;
    try {
      const found = JSON.parse(sessionStorage.getItem(place));
      sessionStorage.removeItem(place);
      return found;
    } catch {
      return null;
    }
  }

  // All unsent texts, newest first: [{place, item}].
  all() {
    const places = new Set(memory.keys());
    try {
      for (let index = 0; index < localStorage.length; index += 1) places.add(localStorage.key(index));
    } catch {
      // Then only the texts in memory.
    }
    return [...places]
      .filter((place) => place.startsWith(this.base))
      .map((place) => ({ place, item: this.read(place) }))
      .filter(({ item }) => item !== null)
      .sort((one, other) => other.item.typed_at - one.item.typed_at);
  }

  forgetAll() {
    for (const { place, item } of this.all()) this.remove(place, item.key);
    try {
      for (const place of Object.keys(sessionStorage)) if (place.startsWith(SENT)) sessionStorage.removeItem(place);
    } catch {
      // Storage was not available.
    }
  }
}
