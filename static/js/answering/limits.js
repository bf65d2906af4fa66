// Texts that are too long to be saved. Nothing is cut: the text stays in its field and in this browser.

import { say } from "../texts.js";

// Why the text of a field is not sent, empty if it is. Characters are counted as by the server, not in UTF-16.
export function tooLong(field) {
  const most = Number(field.dataset?.most);
  const length = most ? [...field.value].length : 0;
  if (length <= most || !most) return "";
  const name = field.labels[0].textContent.trim();
  const number = (value) => value.toLocaleString(document.documentElement.lang || "en");
  return say("{name}: {length} characters. Shorten it to at most {most} to save it. This browser has stored all of it.", {
    name, length: number(length), most: number(most),
  });
}
