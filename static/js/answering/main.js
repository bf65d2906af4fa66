// Enhancements of a study's pages, which also work without JavaScript.
import { Activity } from "./activity.js";
import { Answer } from "./answer.js";
import { watchDivider } from "./divider.js";
import { watchExtras } from "./extras.js";
import { release } from "./forms.js";
import { PAGE } from "./keys.js";
import { Outbox } from "./outbox.js";
import { watchPair } from "./pair.js";
import { watchPractice } from "./practice.js";
import { Reader } from "./reader.js";
import { watchSides } from "./sides.js";
import { Status } from "./status.js";
import { Store } from "./store.js";
import { Suggestions } from "./suggest.js";
import { Tabs } from "./tabs.js";
import { Visited } from "./visited.js";

document.documentElement.classList.add("scripted");

const frame = document.getElementById("content");
const page = document.getElementById("answer-page");
const { participant, questions } = frame.dataset;

if (participant) {
  const store = new Store(participant, PAGE);
  const here = page ? Number(page.dataset.number) : null;
  new Outbox(store, questions, here);
  document.querySelector("form[data-forgets]")?.addEventListener("submit", () => store.forgetAll());
  if (page) sit(store, here);
}

function sit(store, number) {
  release(document);
  const activity = new Activity();
  if (document.getElementById("reader-side")) readAlong(activity);
  if (document.getElementById("pair")) watchPair();
  if (document.getElementById("extras-message")) watchExtras(page, store);
  if (number) {
    const savedAt = page.dataset.savedAt ? Date.parse(page.dataset.savedAt) : null;
    const status = new Status(document.getElementById("save-status"), document.getElementById("save-live"), savedAt);
    new Answer(page, store, status, activity);
  }
}

function readAlong(activity) {
  const showSide = watchSides(page);
  watchDivider(page);
  const visited = new Visited(page);
  const reader = new Reader(page, activity, visited, showSide);
  new Suggestions(document.getElementById("reader-query"), document.getElementById("reader-suggestions"), reader);
  const practice = document.querySelector("form[data-practice]");
  if (practice) watchPractice(practice, document.title);
  new Tabs(page, reader);
}
