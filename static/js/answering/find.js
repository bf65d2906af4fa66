// Find in the article: every match is marked, Enter goes from one to the next.

import { say } from "../texts.js";

const MOST = 2000;

// Lower case without changing the length, so that positions remain valid.
const fold = (text) => Array.from(text, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join("");

export class Find {
  constructor(form, page, view) {
    Object.assign(this, { form, page, view });
    this.field = form.elements.q;
    this.count = form.querySelector("[data-find-count]");
    this.steps = [...form.querySelectorAll("[data-find-step]")];
    this.ranges = [];
    this.at = -1;
    this.text = null;
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault(); // the adjacent button searches for passages
        this.step(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape" && this.field.value) {
        event.preventDefault();
        this.field.value = "";
        this.look();
      }
    });
    for (const button of this.steps) button.addEventListener("click", () => this.step(Number(button.dataset.findStep)));
  }

  // The text of the article, with its text nodes.
  gather() {
    const nodes = [];
    let text = "";
    const walker = this.page.createTreeWalker(this.page.querySelector(".article-body"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push({ node, begin: text.length });
      text += node.data;
    }
    this.nodes = nodes;
    this.text = fold(text);
  }

  look() {
    const words = fold(this.field.value.trim());
    this.ranges = [];
    this.at = -1;
    if (words) {
      if (this.text === null) this.gather();
      for (let at = this.text.indexOf(words); at >= 0 && this.ranges.length < MOST;) {
        this.ranges.push(this.range(at, at + words.length));
        at = this.text.indexOf(words, at + words.length);
      }
    }
    this.mark("found", this.ranges);
    this.step(1);
    for (const button of this.steps) button.disabled = this.ranges.length < 2;
  }

  range(begin, end) {
    const range = this.page.createRange();
    const first = this.nodeAt(begin);
    const last = this.nodeAt(end - 1);
    range.setStart(first.node, begin - first.begin);
    range.setEnd(last.node, end - last.begin);
    return range;
  }

  nodeAt(at) {
    let low = 0;
    let high = this.nodes.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.nodes[middle].begin <= at) low = middle;
      else high = middle - 1;
    }
    return this.nodes[low];
  }

  step(by) {
    const n = this.ranges.length;
    this.at = n ? (this.at + by + n) % n : -1;
    this.count.textContent = !this.field.value.trim() ? "" : n ? say("{n} of {all}", { n: this.at + 1, all: n }) : say("Not found");
    if (!n) {
      this.mark("current", []);
      return;
    }
    const range = this.ranges[this.at];
    this.mark("current", [range]);
    range.startContainer.parentElement.scrollIntoView({ block: "center", inline: "nearest" });
  }

  mark(name, ranges) {
    const { CSS, Highlight } = this.view;
    if (CSS?.highlights && Highlight) CSS.highlights.set(name, new Highlight(...ranges));
    else if (name === "current" && ranges.length) {
      const selection = this.view.getSelection();
      selection.removeAllRanges();
      selection.addRange(ranges[0]);
    }
  }
}
