// Forms with files, <form data-upload>: sent without leaving the page. A form that is returned with errors takes the
// place of the one that was sent, with the chosen files still in it. Without this script the browser drops them.
(() => {
  "use strict";

  const FAILED =
    "The connection failed, so it is not known whether the site received the form. Send it again: it is stored only once.";

  // What the site says instead of a form: of an upload that is too large, say, or of too many requests.
  const messageOf = (page) => {
    const content = page.querySelector("#content");
    const words = [...(content?.querySelectorAll("h1, p") ?? [])].map((element) => element.textContent.trim());
    return words.filter(Boolean).join(" · ") || page.title;
  };

  const tell = (form, text) => {
    const notice = form.querySelector("[data-upload-notice]");
    notice.querySelector("p").textContent = text;
    notice.hidden = false;
    notice.focus();
  };

  const keepFiles = (sent, returned) => {
    for (const input of sent.querySelectorAll("input[type=file]")) {
      const empty = returned.querySelector(`#${CSS.escape(input.id)}`);
      if (!empty) continue;
      for (const name of ["aria-describedby", "aria-invalid"]) {
        if (empty.hasAttribute(name)) input.setAttribute(name, empty.getAttribute(name));
        else input.removeAttribute(name);
      }
      empty.replaceWith(input);
    }
  };

  const send = async (form, address, body) => {
    const response = await fetch(address, { method: "POST", body, headers: { "X-Requested-With": "fetch" } });
    if (response.status === 201) return location.assign(response.headers.get("Location"));
    if (response.redirected) return location.assign(response.url); // mostly the sign-in page
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const returned = page.querySelector("form[data-upload]");
    if (!returned) return tell(form, messageOf(page));
    document.title = page.title;
    keepFiles(form, returned);
    form.replaceWith(returned);
    document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: returned } })); // for site.js
    const first = returned.querySelector("#form-errors, [role=status]");
    first?.setAttribute("tabindex", "-1");
    first?.focus();
    first?.scrollIntoView({ block: "center" });
  };

  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (!form.matches("form[data-upload]") || submitter?.formEnctype === "application/x-www-form-urlencoded") return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    form.setAttribute("aria-busy", "true");
    form.querySelector("[data-upload-notice]").hidden = true;
    try {
      await send(form, submitter?.getAttribute("formaction") ?? form.action, new FormData(form, submitter));
    } catch {
      tell(form, FAILED);
    } finally {
      form.removeAttribute("aria-busy");
    }
  });
})();
