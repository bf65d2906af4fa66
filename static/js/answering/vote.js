// Number keys on the page of public voting; Enter then votes.

import { Choices } from "./choices.js";

const form = document.getElementById("vote-form");
if (form) {
  document.documentElement.classList.add("scripted");
  new Choices(form);
}
