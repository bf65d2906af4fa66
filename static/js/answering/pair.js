// Two answers side by side: Enter in the choice goes on, selected text is marked, scores and marks are saved when
// they change. The choice itself is saved like any answer.
import { post } from "./post.js";

const AGAIN = 5000;

export function watchPair(page) {
  const form = document.getElementById("answer-form");
  const base = page.dataset.base;
  const announcer = document.getElementById("announcer");
  let timer = null;

  const save = async () => {
    clearTimeout(timer);
    const fields = Object.fromEntries([...form.querySelectorAll("[data-critique]")].map(({ name, value }) => [name, value]));
    try {
      const answer = await post(`${base}answer/`, fields, { standing: `${base}standing/` });
      if (answer.status === 422) announcer.textContent = answer.body.text;
      else if (answer.status !== 200) throw new Error("away");
    } catch {
      timer = setTimeout(save, AGAIN);
    }
  };

  for (const choice of form.querySelectorAll("input[type=radio][name=text]")) {
    choice.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.key !== "Enter") return;
      event.preventDefault();
      document.getElementById("mark-done").click();
    });
  }
  form.addEventListener("change", (event) => event.target.matches("[data-critique]") && save());
  for (const button of form.querySelectorAll("[data-mark]")) {
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
    button.addEventListener("click", () => {
      const selection = document.getSelection();
      const answer = document.getElementById(`${button.dataset.from}-text`);
      const text = selection.toString().replace(/\s+/g, " ").trim();
      if (!text || !answer.contains(selection.anchorNode) || !answer.contains(selection.focusNode)) {
        announcer.textContent = "Select some text of this answer first.";
        return;
      }
      const field = document.getElementById(button.dataset.mark);
      field.value = [field.value.trim(), text].filter(Boolean).join("\n").slice(0, field.maxLength);
      field.closest("details").open = true;
      announcer.textContent = `Added to: ${field.labels[0].textContent.trim()}.`;
      save();
    });
  }
}
