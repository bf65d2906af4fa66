// What the pages of a study do beyond being pages: they work without it too.
import { Activity } from "./activity.js";
import { Answer } from "./answer.js";
import { PAGE } from "./keys.js";
import { Outbox } from "./outbox.js";
import { Reader } from "./reader.js";
import { watchSides } from "./sides.js";
import { Status } from "./status.js";
import { Store } from "./store.js";
import { Suggestions } from "./suggest.js";
import { Visited } from "./visited.js";

document.documentElement.classList.add("scripted");

const frame = document.getElementById("content");
const desk = document.getElementById("desk");
const { participant, questions } = frame.dataset;

if (participant) {
  const store = new Store(participant, PAGE);
  const here = desk ? Number(desk.dataset.number) : null;
  new Outbox(store, questions, here);
  document.querySelector("form[data-forgets]")?.addEventListener("submit", () => store.forgetAll());
  if (desk) sit(store, here);
}

function sit(store, number) {
  const activity = new Activity();
  const showSide = watchSides(desk);
  const visited = number ? new Visited(desk) : null;
  const reader = new Reader(desk, activity, visited, showSide);
  new Suggestions(document.getElementById("reader-query"), document.getElementById("reader-suggestions"), reader);
  if (number) {
    const savedAt = desk.dataset.savedAt ? Date.parse(desk.dataset.savedAt) : null;
    const status = new Status(document.getElementById("save-status"), document.getElementById("save-live"), savedAt);
    new Answer(desk, store, status, activity);
  }
}
