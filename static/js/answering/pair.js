// Two answers side by side: Enter in the choice goes on, selected text is marked.

import { say } from "../texts.js";

export function watchPair() {
  const form = document.getElementById("answer-form");
  const announcer = document.getElementById("announcer");
  for (const choice of form.querySelectorAll("input[type=radio][name=text]")) {
    choice.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.key !== "Enter") return;
      event.preventDefault();
      if (event.repeat) return; // held since the page before
      document.getElementById("mark-done").click();
    });
  }
  for (const button of form.querySelectorAll("[data-mark]")) {
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
    button.addEventListener("click", () => {
      const text = selectedIn(document.getElementById(`${button.dataset.from}-text`));
      if (!text) {
        announcer.textContent = say("Select some text of this answer first.");
        document.getElementById("extras-message").textContent = announcer.textContent;
        return;
      }
      const field = document.getElementById(button.dataset.mark);
      field.value = [field.value.trim(), text].filter(Boolean).join("\n");
      field.closest("details").open = true;
      field.dispatchEvent(new Event("input")); // is saved as if it was typed
      announcer.textContent = say("Added to: {field}.", { field: field.labels[0].textContent.trim() });
    });
  }
}

// The selected text as far as it is in an element: a triple click selects up to the beginning of the next paragraph.
function selectedIn(element) {
  const selection = document.getSelection();
  if (!selection.rangeCount || !selection.getRangeAt(0).intersectsNode(element)) return "";
  const range = selection.getRangeAt(0).cloneRange();
  if (!element.contains(range.startContainer)) range.setStart(element, 0);
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  selection.removeAllRanges();
  selection.addRange(range);
  return selection.toString().replace(/\s+/g, " ").trim();
}
