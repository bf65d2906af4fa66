// The page of one answer to check: keys 1 to 3 choose, and the active time is sent with the form.
import { Activity } from "./activity.js";

const form = document.getElementById("vote-form");
const choices = form.querySelectorAll("input[type=radio]");
const activity = new Activity();

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const choice = choices[Number(event.key) - 1];
  if (!choice) return;
  event.preventDefault();
  choice.checked = true;
  choice.focus();
});

form.addEventListener("formdata", (event) => event.formData.set("active", activity.take().active));
