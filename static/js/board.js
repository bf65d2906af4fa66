// The leaderboard: preserves the systems ticked for comparison when the table is swapped, and shows their maximum.
(() => {
  "use strict";

  // On a phone the settings are one line that scrolls.
  document.querySelector('.board-tabs [aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "start" });

  const LEAST = 2;
  const MOST = 6;
  const chosen = new Set();
  const boxes = () => document.querySelectorAll('input[form="compare-form"][name="system"]');

  const tell = () => {
    const form = document.getElementById("compare-form");
    if (!form) return;
    const count = chosen.size;
    const enough = count >= LEAST && count <= MOST;
    form.querySelector("button").disabled = !enough;
    form.classList.toggle("compare-bar--open", count > 0);
    form.querySelector("[data-compare-count]").textContent =
      count === 0 ? `Select ${LEAST} to ${MOST} systems.` : count < LEAST ? "1 selected; select at least one more."
        : count > MOST ? `${count} selected; at most ${MOST}.` : `${count} selected.`;
    // Includes systems that are ticked but not on this page.
    const here = new Set([...boxes()].map((box) => box.value));
    for (const old of form.querySelectorAll("input[data-kept]")) old.remove();
    for (const slug of chosen) {
      if (here.has(slug)) continue;
      const kept = document.createElement("input");
      Object.assign(kept, { type: "hidden", name: "system", value: slug });
      kept.dataset.kept = "";
      form.append(kept);
    }
  };

  const restore = () => {
    for (const box of boxes()) box.checked = chosen.has(box.value);
    tell();
  };

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!box.matches?.('input[form="compare-form"][name="system"]')) return;
    if (box.checked) chosen.add(box.value);
    else chosen.delete(box.value);
    tell();
  });
  // After a filter is removed by keyboard, its link is gone: focus the table, not the top of the page.
  let held = false;
  document.addEventListener("htmx:beforeSwap", (event) => {
    held = event.detail.target.contains(document.activeElement) && document.activeElement !== document.body;
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (held && document.activeElement === document.body) {
      document.querySelector(".board-scroll")?.focus({ preventScroll: true });
    }
    held = false;
  });
  // A table that could not be loaded: say so in its place, and offer the same address again.
  document.addEventListener("htmx:beforeRequest", () => {
    document.getElementById("board-table")?.setAttribute("aria-busy", "true");
  });
  const failed = (event) => {
    const table = document.getElementById("board-table");
    const { pathInfo } = event.detail;
    if (!table || !pathInfo) return;
    const alert = document.createElement("p");
    const link = document.createElement("a");
    link.href = pathInfo.finalRequestPath;
    link.textContent = "Try again";
    alert.setAttribute("role", "alert");
    alert.className = "board__none";
    alert.append("The table could not be loaded. ", link);
    table.removeAttribute("aria-busy");
    table.replaceChildren(alert);
  };
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("htmx:sendError", failed);
  document.addEventListener("htmx:load", restore);
  document.addEventListener("DOMContentLoaded", restore);
})();
