// The list of visited articles: marks are saved when they change.
import { release } from "./forms.js";
import { post } from "./post.js";
import { say } from "../texts.js";

export class Visited {
  constructor(page) {
    this.base = page.dataset.base;
    this.announcer = document.getElementById("announcer");
    page.addEventListener("change", (event) => this.changed(event.target));
    page.addEventListener("submit", (event) => event.target.id === "report-form" && this.report(event));
  }

  get standing() {
    return `${this.base}standing/`;
  }

  changed(box) {
    if (box.matches?.(".visited__tick")) this.tick(box, box.form.action);
    else if (box.matches?.("[data-used]")) this.tick(box, new URL(box.dataset.used, location.href).href);
  }

  async tick(box, url) {
    const used = box.checked;
    try {
      const answer = await post(url, used ? { used: "on" } : {}, { standing: this.standing });
      if (answer.status !== 200) throw new Error("away");
      const title = document.getElementById("article-frame")?.title;
      const open = document.querySelector("[data-used]");
      for (const tick of document.querySelectorAll(".visited__tick")) {
        const isOpen = open && tick.closest("li").querySelector("a")?.textContent === title;
        if (box === open && isOpen) tick.checked = used;
        if (box === tick && isOpen) open.checked = used;
      }
    } catch {
      box.checked = !used;
      this.announcer.textContent = say("Your selection was not saved. Try again in a moment.");
    }
  }

  async report(event) {
    event.preventDefault();
    const form = event.target;
    const problem = document.getElementById("report-problem");
    problem.textContent = "";
    const body = new FormData(form);
    const token = document.querySelector("input[name=csrfmiddlewaretoken]").value;
    try {
      const response = await fetch(form.action, {
        method: "POST", body, headers: { "X-Reader": "part", "X-CSRFToken": token }, redirect: "error",
      });
      if (response.status === 422) {
        problem.textContent = (await response.json()).text;
        form.elements.url.focus();
        return;
      }
      const part = new DOMParser().parseFromString(await response.text(), "text/html");
      const list = part.getElementById("visited");
      if (!list) throw new Error("away");
      this.replace(list);
      this.announcer.textContent = say("Added to the articles you read.");
      document.querySelector("#report-fold summary").focus();
    } catch {
      problem.textContent = say("The article was not added. Try again in a moment.");
    }
  }

  // Replaces the list by a newer one; the focus is preserved.
  replace(list) {
    const old = document.getElementById(list.id);
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const fresh = document.importNode(list, true);
    old.replaceWith(fresh);
    release(fresh);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
}
