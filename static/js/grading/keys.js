// Keyboard shortcuts of the grading console: digits tick items or decide criteria, letters mark, arrows move.

/** The index in a list for a pressed digit, from 0: 1 to 9 and 0, then the same with Shift. */
export const numberOf = (event) => {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  if (digit === undefined) return null;
  const place = digit === "0" ? 9 : Number(digit) - 1;
  return event.shiftKey ? place + 10 : place;
};

export const isText = (element) => element.matches?.("textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=hidden])");

const criteriaOf = (form) => [...form.querySelectorAll("[data-criterion]")];
const chosenIn = (criterion) => criterion.querySelector("input:checked");

/** Where the focus goes within a criterion. */
const entryOf = (criterion) => chosenIn(criterion) ?? criterion.querySelector("input");

/** Decides the criterion with the focus, or the first that is open, and goes to the next open one. */
const decide = (form, number) => {
  const criteria = criteriaOf(form);
  const open = () => criteria.find((criterion) => !chosenIn(criterion));
  const criterion = document.activeElement?.closest("[data-criterion]") ?? open();
  const choice = criterion?.querySelectorAll("input")[number];
  if (!choice) return false;
  choice.click();
  const later = criteria.slice(criteria.indexOf(criterion) + 1).find((other) => !chosenIn(other));
  const next = later ?? open();
  (next ? entryOf(next) : choice).focus();
  return true;
};

const step = (form, by) => {
  const boxes = [...criteriaOf(form).map(entryOf), ...form.querySelectorAll("input[type=checkbox]")];
  const criterion = document.activeElement?.closest("[data-criterion]");
  const at = boxes.indexOf(criterion ? entryOf(criterion) : document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : boxes.length - 1) : (at + by + boxes.length) % boxes.length;
  boxes[next]?.focus();
};

const toggleAll = (form) => {
  const boxes = [...form.querySelectorAll("input[name=item]")];
  const on = boxes.some((box) => !box.checked);
  for (const box of boxes) box.checked = on;
};

/** Handles a key in a form; returns whether it did anything. */
const act = (event, form, undo) => {
  const number = numberOf(event);
  if (number !== null && criteriaOf(form).length > 0) return decide(form, number);
  if (number !== null) {
    const box = form.querySelector(`input[name="item"][value="${number}"]`);
    box?.click();
    return Boolean(box);
  }
  const key = event.key;
  if (key === "ArrowDown" || key === "ArrowUp") step(form, key === "ArrowDown" ? 1 : -1);
  else if (key === "Enter") form.requestSubmit();
  else if (event.shiftKey) return false;
  else if (key === "a") toggleAll(form);
  else if (key === "n") form.querySelector("[data-note]")?.focus();
  else if (key === "u") undo();
  else {
    const mark = [...form.querySelectorAll("[data-key]")].find((box) => box.dataset.key === key);
    mark?.click();
    return Boolean(mark);
  }
  return true;
};

export const listen = (root, undo, evidence) => {
  document.addEventListener("keydown", (event) => {
    const form = root.querySelector("form.grade");
    const target = event.target;
    if (event.defaultPrevented || event.isComposing) return;
    if (evidence?.keyed(event)) {
      event.preventDefault();
      return;
    }
    if (evidence?.holds(target)) return;
    if (isText(target)) {
      if (event.key === "Escape") target.blur();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form?.contains(target)) {
        event.preventDefault();
        if (!event.repeat) form.requestSubmit();
      }
      return;
    }
    if (root.dataset.keys !== "on" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (target.closest?.("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
    // Arrows scroll a long answer that has the focus.
    if (target.matches?.("[role=region], .markdown__table") && event.key.startsWith("Arrow")) return;
    if (!form) {
      if (event.key === "u") undo();
      return;
    }
    if (act(event, form, undo)) event.preventDefault();
  });
};
