// The tabs of the reader: open articles, stored by the server. A tab opened in the background is no visit.
import { postPart } from "./post.js";
import { say } from "../texts.js";

export class Tabs {
  constructor(page, reader) {
    Object.assign(this, { base: page.dataset.base, reader });
    this.url = `${this.base}tabs/`;
    this.announcer = document.getElementById("announcer");
    document.addEventListener("click", (event) => this.clicked(event));
    reader.openBehind = (path) => this.open(path);
  }

  get list() {
    return document.getElementById("reader-tabs");
  }

  clicked(event) {
    const button = event.target.closest?.("button[name=do]");
    const isOpening = button?.value.startsWith("open:");
    if (!isOpening && !button?.value.startsWith("close:")) return;
    event.preventDefault();
    if (isOpening) this.open(button.value.slice("open:".length));
    else this.close(button.closest("li"));
  }

  // The article of a link, if it is one of this question's articles.
  async open(path) {
    const before = new Set([...this.list.querySelectorAll("li")].map((tab) => tab.dataset.path));
    try {
      this.reader.take(await postPart(this.url, { open: path }));
      const added = [...this.list.querySelectorAll("li")].find((tab) => !before.has(tab.dataset.path));
      const title = added?.querySelector("a").textContent.trim();
      this.announcer.textContent = title ? say("Opened in a tab: {title}", { title }) : say("This article is open in a tab.");
    } catch {
      this.announcer.textContent = say("The tab was not opened. Try again in a moment.");
    }
  }

  async close(tab) {
    const { path } = tab.dataset;
    const wasShown = "shown" in tab.dataset;
    const next = (tab.nextElementSibling ?? tab.previousElementSibling)?.querySelector("a");
    const name = tab.querySelector("a").textContent.trim();
    const address = next?.href;
    try {
      this.reader.take(await postPart(this.url, { close: path }));
    } catch {
      this.announcer.textContent = say("The tab was not closed. Try again in a moment.");
      return;
    }
    this.announcer.textContent = say("Closed: {title}", { title: name });
    if (wasShown) await this.reader.open(address ?? `${this.base}search/?q=`);
    else (this.list.querySelector("a") ?? document.getElementById("reader-query")).focus();
  }
}
