// The reader's colour theme: system, light or dark. Loaded in the head without defer, before the page is drawn.
(() => {
  "use strict";
  const KEY = "manyhop-theme";
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is off: follow the system
    }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  apply(read());

  const labels = {
    system: "Colour theme: system. Switch to light.",
    light: "Colour theme: light. Switch to dark.",
    dark: "Colour theme: dark. Switch to system.",
  };
  const next = { system: "light", light: "dark", dark: "system" };
  const current = () => root.dataset.theme ?? "system";
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme-toggle");
    if (!button) return;
    const texts = JSON.parse(document.getElementById("script-texts")?.textContent ?? "{}"); // by the English ones
    const label = () => {
      const text = texts[labels[current()]] ?? labels[current()];
      button.setAttribute("aria-label", text);
      button.title = text;
    };
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      const theme = next[current()];
      apply(theme);
      try {
        if (theme === "system") localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, theme);
      } catch {
        // not stored for the next page, but applied to this one
      }
      label();
    });
    addEventListener("storage", (event) => {
      if (event.key === KEY) {
        apply(event.newValue);
        label();
      }
    });
  });
})();
