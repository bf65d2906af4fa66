// The texts of scripts in the language of the page: the page has them by the English ones, unless it is in English.

const element = document.getElementById("script-texts");
const texts = element ? JSON.parse(element.textContent) : {};

// A text with its {names} replaced by values.
export const say = (text, values = {}) => (texts[text] ?? text).replace(/\{(\w+)\}/g, (name, key) => values[key] ?? name);
