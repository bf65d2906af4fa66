// Groups of radio buttons, used like a text field. One group with the name "text": its value. Others, whose names begin
// with "rating-": a line for each answered question. Number keys answer the first question without an answer;
// a key that is held down answers one.

import { offerSwitch } from "../shortcuts.js";

const PREFIX = "rating-";
const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

export class Choices {
  constructor(form) {
    this.form = form;
    this.groups = [...form.querySelectorAll("[data-choices]")].map((group) => [...group.querySelectorAll("input[type=radio]")]);
    offerSwitch(document.getElementById("choice-keys"), "manyhop-choice-keys", (on) => {
      this.keysAreOn = on;
    });
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  textOf(isChosen) {
    const chosen = this.groups.map((buttons) => buttons.find(isChosen)).filter(Boolean);
    return chosen.map(({ name, value }) => (name === "text" ? value : `${name.slice(PREFIX.length)}: ${value}`)).join("\n");
  }

  get value() {
    return this.textOf((button) => button.checked);
  }

  set value(text) {
    const lines = new Set(text.split("\n"));
    for (const button of this.groups.flat()) {
      button.checked = lines.has(button.name === "text" ? button.value : `${button.name.slice(PREFIX.length)}: ${button.value}`);
    }
  }

  get defaultValue() {
    return this.textOf((button) => button.defaultChecked);
  }

  labelOf(text) {
    return this.groups.flat().find(({ name, value }) => name === "text" && value === text)?.dataset.label;
  }

  addEventListener(kind, act) {
    for (const button of this.groups.flat()) button.addEventListener(kind, act);
  }

  focus() {
    this.groups[0][0].focus();
  }

  pressed(event) {
    if (!this.keysAreOn || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.(TYPING)) return;
    const open = this.groups.find((buttons) => !buttons.some((button) => button.checked));
    const here = this.groups.find((buttons) => buttons.includes(document.activeElement));
    const button = (open ?? here ?? this.groups.at(-1))[Number(event.key) - 1];
    if (!button) return;
    event.preventDefault();
    button.focus();
    button.click();
  }
}
