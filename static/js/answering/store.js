// Texts that the server does not have yet, kept in this browser under participant, question and page. What cannot be
// stored (private windows, a full disk) is kept while the page is open, and the page says so before it is left.

const PREFIX = "manyhop:answer";
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

  // Takes an item away, but not if another text has taken its place meanwhile.
  remove(place, key) {
    const item = this.read(place);
    if (item && item.key !== key) return;
    memory.delete(place);
    try {
      localStorage.removeItem(place);
    } catch {
      // There was no storage to begin with.
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

  // All that waits, the newest first: [{place, item}].
  all() {
    const places = new Set(memory.keys());
    try {
      for (let index = 0; index < localStorage.length; index += 1) places.add(localStorage.key(index));
    } catch {
      // Only what is in memory, then.
    }
    return [...places]
      .filter((place) => place.startsWith(this.base))
      .map((place) => ({ place, item: this.read(place) }))
      .filter(({ item }) => item !== null)
      .sort((one, other) => other.item.typed_at - one.item.typed_at);
  }

  forgetAll() {
    for (const { place, item } of this.all()) this.remove(place, item.key);
  }
}
