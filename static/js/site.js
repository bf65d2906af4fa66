// Small enhancements of pages that work without them: announcing swapped content, reporting an unreachable server,
// copying, and times in the reader's time zone.
(() => {
  "use strict";

  // --- Texts in the language of the page, by the English ones: texts.js, which is a module, does the same.
  const say = (text) => JSON.parse(document.getElementById("script-texts")?.textContent ?? "{}")[text] ?? text;

  // --- Announcements: a swapped-in element with data-announce is read out if its text differs from the last.
  const announcer = () => document.getElementById("announcer");
  let announced = null;
  const announce = (text) => {
    const region = announcer();
    if (!region || text === announced) return;
    announced = text;
    region.textContent = text;
  };
  const announceFrom = (scope) => {
    const source = scope.matches?.("[data-announce]") ? scope : scope.querySelector?.("[data-announce]");
    if (source) announce(source.dataset.announce);
  };

  // --- Times: <time data-local> shows the reader's time zone, formatted as by the server (leaderboard/dates.py); the
  // original is in the title.
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const twoDigits = (number) => String(number).padStart(2, "0");
  const { lang } = document.documentElement;
  const inWords = (moment) =>
    lang !== "en" ? moment.toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" }) :
    `${moment.getDate()} ${months[moment.getMonth()]} ${moment.getFullYear()}, ` +
    `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  const localise = (scope) => {
    for (const element of scope.querySelectorAll?.("time[data-local]") ?? []) {
      const moment = new Date(element.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      element.title = element.textContent.trim();
      element.textContent = inWords(moment);
      element.removeAttribute("data-local");
    }
  };

  // --- Large numbers: <data data-number> groups its digits by the reader's locale. A thin space replaces a point
  // between groups, which beside scores with a decimal point could be read as one. Digits are as in scores.
  const grouping = new Intl.NumberFormat(undefined, { numberingSystem: "latn" });
  const decimalPoint = grouping.formatToParts(1.5).find((part) => part.type === "decimal")?.value === ".";
  const grouped = (value) =>
    grouping.formatToParts(value).map((part) => (part.type === "group" && !decimalPoint ? "\u202f" : part.value)).join("");
  const localiseNumbers = (scope) => {
    for (const element of scope.querySelectorAll?.("data[data-number]") ?? []) {
      const value = Number(element.value);
      if (!Number.isSafeInteger(value)) continue;
      element.textContent = grouped(value);
      element.removeAttribute("data-number");
    }
  };

  // --- Copy buttons: <button data-copy="id of the element"> is shown only if the browser can copy.
  const enableCopying = (scope) => {
    if (!navigator.clipboard) return;
    for (const button of scope.querySelectorAll?.("button[data-copy]") ?? []) button.hidden = false;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      announce(say("Copied."));
      button.dataset.copied = "";
      setTimeout(() => delete button.dataset.copied, 2000);
    } catch {
      announce(say("The browser blocked copying."));
    }
  });

  // --- Server unreachable: a page with live content shows a notice and keeps polling.
  const offline = (away) => {
    const notice = document.getElementById("offline-notice");
    if (notice && notice.hidden === away) {
      notice.hidden = !away;
      if (away) announce("No connection to the server. Retrying.");
    }
  };
  document.addEventListener("htmx:afterRequest", (event) => offline(!event.detail.successful));

  // --- A fragment request redirected to another page (mostly the sign-in page): reload the whole page.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, pathInfo } = event.detail;
    if (!xhr.responseURL || !pathInfo) return;
    if (new URL(xhr.responseURL).pathname !== new URL(pathInfo.finalRequestPath, location.href).pathname) {
      event.detail.shouldSwap = false;
      location.reload();
    }
  });

  // --- A swapped element preserves its open <details>.
  const open = new Set();
  document.addEventListener("htmx:beforeSwap", (event) => {
    open.clear();
    for (const details of event.detail.target?.querySelectorAll?.("details[id][open]") ?? []) open.add(details.id);
  });
  document.addEventListener("htmx:load", (event) => {
    const scope = event.detail.elt;
    for (const id of open) {
      const details = document.getElementById(id);
      if (details && scope.contains(details)) details.open = true;
    }
    announceFrom(scope);
    localise(scope);
    localiseNumbers(scope);
    enableCopying(scope);
  });

  // --- Before a page is left with changes in a form that are not saved (data-unsaved; "yes" if it came with some), the
  // browser asks.
  const askBeforeLeaving = (form) => {
    let unsaved = form.dataset.unsaved === "yes";
    form.addEventListener("input", () => (unsaved = true));
    form.addEventListener("submit", () => (unsaved = false));
    window.addEventListener("beforeunload", (event) => {
      if (unsaved) event.preventDefault();
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll("form[data-unsaved]")) askBeforeLeaving(form);
    const first = document.querySelector("[data-announce]");
    announced = first ? first.dataset.announce : null;
    localise(document);
    localiseNumbers(document);
    enableCopying(document);
  });
})();
