// The save status ("Saved 3 s ago"): always visible, announced to screen readers only on problems and on recovery.

const LINES = {
  empty: "Saved as you type",
  waiting: "Not saved yet…",
  away: "No connection. This browser has stored your text and will send it automatically.",
  link: "Not saved. If you have withdrawn, nothing more is saved. Otherwise open your study link again in this browser: your text is stored here and will then be sent.",
  asking: "Choose a version below",
};
const LOUD = new Set(["away", "link", "refused", "over"]);

export const agoText = (milliseconds) => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} d ago`;
};

export class Status {
  constructor(element, live, savedAt) {
    this.element = element;
    this.text = element.querySelector("[data-status-text]");
    this.live = live;
    this.savedAt = savedAt;
    this.state = savedAt ? "saved" : "empty";
    this.announced = "";
    this.empty = element.dataset.empty;
    setInterval(() => this.draw(), 1000);
    this.draw();
  }

  // savedAt is by this browser's clock, so a wrong clock does not matter.
  saved(savedAt = Date.now()) {
    this.savedAt = savedAt;
    if (LOUD.has(this.announced)) this.say("saved", "Saved.");
    this.set("saved");
  }

  set(state, text = "") {
    this.state = state;
    this.detail = text;
    if (LOUD.has(state) && this.announced !== state) this.say(state, text || LINES[state]);
    this.draw();
  }

  say(state, text) {
    this.announced = state;
    this.live.textContent = text;
  }

  draw() {
    this.element.dataset.state = this.state;
    const line = (this.state === "empty" && this.empty) || LINES[this.state];
    const text = this.state === "saved" ? `Saved ${agoText(Date.now() - this.savedAt)}` : this.detail || line;
    if (this.text.textContent !== text) this.text.textContent = text;
  }
}
