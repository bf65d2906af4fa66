// Checking a practice answer without leaving the page, so that the open article stays where it is.

import { release } from "./forms.js";

export function watchPractice(form, title) {
  form.addEventListener("submit", async (event) => {
    if (event.submitter?.name === "pass") return;
    event.preventDefault();
    const side = document.getElementById("answer-side");
    try {
      const response = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "error" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.getElementById("answer-side");
      if (!fresh) throw new Error("no page");
      const now = document.importNode(fresh, true);
      side.replaceWith(now);
      release(now);
      document.title = title;
      watchPractice(document.getElementById("answer-form"), title);
      (document.getElementById("feedback-title") ?? document.getElementById("answer")).focus();
    } catch {
      form.submit();
    }
  });
}
