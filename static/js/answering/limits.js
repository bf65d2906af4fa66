// Texts that are too long to be saved. Nothing is cut: the text stays in its field and in this browser.

import { say } from "../texts.js";

// The numbers of a field's text that is too long, as people read them; null if it is not. Characters are counted as by
// the server, not in UTF-16.
function excess(field) {
  const most = Number(field.dataset?.most);
  const length = most ? [...field.value].length : 0;
  const number = (value) => value.toLocaleString(document.documentElement.lang || "en");
  return length > most ? { length: number(length), most: number(most) } : null;
}

// Why the text of a field is not sent, empty if it is.
export function tooLong(field) {
  const numbers = excess(field);
  if (!numbers) return "";
  const name = field.labels[0].textContent.trim();
  return say("{name}: {length} characters. Shorten it to at most {most} to save it. This browser has stored all of it.", {
    name, ...numbers,
  });
}

// Whether a search can be sent; if its text is too long, the browser says so at the field until it is changed.
export function canSearch(field) {
  const numbers = excess(field);
  if (!numbers) return true;
  field.setCustomValidity(say("Your search has {length} characters. Shorten it to at most {most}.", numbers));
  field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
  field.reportValidity();
  return false;
}
