// Saving passages: text selected in the open article, or a note, is listed below the answer with its article.
import { post, postPart } from "./post.js";

const AGAIN = 5000;

export class Passages {
  constructor(page, reader, notes) {
    Object.assign(this, { base: page.dataset.base, reader, notes });
    this.url = `${this.base}passages/saved/`;
    this.announcer = document.getElementById("announcer");
    reader.onArticle = (frame) => this.watch(frame);
    reader.onLeaving = () => {
      const form = document.getElementById("article-note-form");
      if (form?.elements.article_note.value.trim()) this.note(form);
    };
    const open = document.getElementById("article-frame"); // of a page that was loaded with its article
    if (open && "ready" in open.dataset) this.watch(open);
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("submit", (event) => {
      if (event.target.id !== "article-note-form") return;
      event.preventDefault();
      this.note(event.target);
    });
  }

  get button() {
    return document.querySelector("[data-keep-passage]");
  }

  // A selection remains while the button is clicked: the frame has its own.
  watch(frame) {
    const page = frame.contentDocument;
    page.addEventListener("selectionchange", () => {
      const button = this.button;
      if (button) button.disabled = !page.getSelection().toString().trim();
    });
  }

  clicked(event) {
    const button = event.target.closest?.("button");
    if (button?.matches("[data-keep-passage]")) {
      this.keep();
    } else if (button?.closest("#saved-passages")) {
      event.preventDefault();
      this.remove(button);
    }
  }

  async keep() {
    const selection = document.getElementById("article-frame").contentDocument.getSelection();
    const reader = document.getElementById("reader");
    if (await this.send(reader, { passage: selection.toString() }, "Passage saved below your answer.")) {
      selection.removeAllRanges();
    }
  }

  // Of the open article, or of one that was left meanwhile.
  async note(form) {
    const field = form.elements.article_note;
    const text = field.value;
    if (!(await this.send(form.closest("#reader"), { article_note: text }, "Note saved below your answer."))) {
      if (!form.isConnected) setTimeout(() => this.note(form), AGAIN);
    } else if (field.value === text) {
      field.value = "";
      this.notes.putWithArticle(field); // it is no longer stored in this browser
    }
  }

  async send(reader, fields, said) {
    const problem = reader.querySelector("#passage-problem");
    problem.textContent = "";
    try {
      this.reader.take(await postPart(this.url, { path: reader.dataset.path, ...fields }));
      this.announcer.textContent = said;
      return true;
    } catch (error) {
      problem.textContent = error.reason ?? "Not saved. Try again in a moment.";
      return false;
    }
  }

  async remove(button) {
    try {
      const answer = await post(button.form.action, { remove: "1" }, { standing: `${this.base}standing/` });
      if (answer.status !== 200) throw new Error("away");
      button.closest("li").remove();
      const section = document.getElementById("saved-passages");
      section.hidden = !section.querySelector("li");
      this.announcer.textContent = "Removed.";
      (section.hidden ? document.getElementById("answer") : document.getElementById("saved-passages-title")).focus();
    } catch {
      this.announcer.textContent = "Not removed. Try again in a moment.";
    }
  }
}
