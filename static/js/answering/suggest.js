// Suggestions while typing: a combobox with a list of titles, as the ARIA Authoring Practices describe it.
import { ask } from "./post.js";

const PAUSE = 120;

export class Suggestions {
  constructor(field, list, reader) {
    Object.assign(this, { field, list, reader });
    this.options = [];
    this.at = -1;
    this.asked = 0;
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    field.setAttribute("aria-expanded", "false");
    field.addEventListener("input", () => this.typed());
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("blur", () => this.close());
    field.form.addEventListener("submit", () => this.close(), true);
    list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the field
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose(option);
    });
  }

  typed() {
    clearTimeout(this.timer);
    const words = this.field.value.trim();
    if (!words) {
      this.close();
      return;
    }
    this.timer = setTimeout(() => this.fetch(words), PAUSE);
  }

  async fetch(words) {
    this.asked += 1;
    const mine = this.asked;
    try {
      const { body } = await ask(`${this.field.dataset.suggest}?q=${encodeURIComponent(words)}`);
      // A late response for an earlier text is ignored.
      if (mine === this.asked && document.activeElement === this.field) this.show(body?.suggestions ?? []);
    } catch {
      if (mine === this.asked) this.close();
    }
  }

  show(suggestions) {
    this.list.replaceChildren(...suggestions.map(({ title, url }, index) => {
      const option = document.createElement("li");
      Object.assign(option, { id: `suggestion-${index}`, className: "combobox__option", textContent: title });
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.url = url;
      return option;
    }));
    this.options = [...this.list.children];
    this.at = -1;
    this.open(this.options.length > 0);
  }

  open(isOpen) {
    this.list.hidden = !isOpen;
    this.field.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) this.mark(-1);
  }

  close() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.open(false);
  }

  mark(at) {
    this.at = at;
    this.options.forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    if (at < 0) this.field.removeAttribute("aria-activedescendant");
    else {
      this.field.setAttribute("aria-activedescendant", this.options[at].id);
      this.options[at].scrollIntoView({ block: "nearest" });
    }
  }

  key(event) {
    const isOpen = !this.list.hidden;
    const n = this.options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!n || !this.field.value.trim()) return;
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // Beyond either end of the list the field is selected.
      const next = isOpen ? this.at + step : step > 0 ? 0 : n - 1;
      this.open(true);
      this.mark(next < -1 ? n - 1 : next >= n ? -1 : next);
    } else if (event.key === "Enter" && isOpen && this.at >= 0) {
      event.preventDefault();
      if (!event.repeat) this.choose(this.options[this.at]);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      this.close();
    }
  }

  choose(option) {
    this.field.value = option.textContent;
    this.close();
    this.reader.open(option.dataset.url);
  }
}
