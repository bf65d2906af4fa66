// The save status ("Saved 3 s ago"): always visible, announced to screen readers only on problems and on recovery.

import { say } from "../texts.js";

const LINES = {
  empty: say("Saved as you type"),
  waiting: say("Not saved yet…"),
  away: say("No connection. This browser has stored your text and will send it automatically."),
  link: say("Not saved. If you have withdrawn, nothing more is saved. Otherwise open your study link again in this browser: your text is stored here and will then be sent."),
  asking: say("Choose a version below"),
};
const LOUD = new Set(["away", "link", "refused", "over"]);

const savedText = (milliseconds) => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return say("Saved {n} s ago", { n: seconds });
  if (seconds < 3600) return say("Saved {n} min ago", { n: Math.floor(seconds / 60) });
  if (seconds < 86400) return say("Saved {n} h ago", { n: Math.floor(seconds / 3600) });
  return say("Saved {n} d ago", { n: Math.floor(seconds / 86400) });
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
    if (LOUD.has(this.announced)) this.say("saved", say("Saved."));
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
    const text = this.state === "saved" ? savedText(Date.now() - this.savedAt) : this.detail || line;
    if (this.text.textContent !== text) this.text.textContent = text;
  }
}
