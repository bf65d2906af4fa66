// The divider between the answer and the reader: its position is a share of the page's width in percent, changed with
// the pointer or the keyboard and remembered in this browser.

import { say } from "../texts.js";

const PLACE = "manyhop:answer-width";
const STEP = 2;

export function watchDivider(page) {
  const divider = document.getElementById("divider");
  const low = Number(divider.getAttribute("aria-valuemin"));
  const high = Number(divider.getAttribute("aria-valuemax"));
  const usual = Number(divider.getAttribute("aria-valuenow"));
  let width = usual;

  const show = (percent) => {
    width = Math.min(high, Math.max(low, percent));
    page.style.setProperty("--answer-width", `${width}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(width)));
    divider.setAttribute("aria-valuetext", say("{percent} % of the page", { percent: Math.round(width) }));
  };
  const keep = () => {
    try {
      localStorage.setItem(PLACE, String(width));
    } catch {
      // It lasts until the page is left.
    }
  };
  const isRightToLeft = document.documentElement.dir === "rtl";
  const fromStart = (event) => {
    const { left, right, width: whole } = page.getBoundingClientRect();
    return ((isRightToLeft ? right - event.clientX : event.clientX - left) / whole) * 100;
  };

  divider.hidden = false;
  try {
    const stored = Number(localStorage.getItem(PLACE));
    show(stored || usual);
  } catch {
    show(usual);
  }
  const step = isRightToLeft ? -STEP : STEP;
  divider.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: width - step, ArrowRight: width + step, Home: low, End: high, Enter: usual }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(to);
    keep();
  });
  // The pointer is captured: over the article, whose frame has events of its own, the divider still gets them.
  divider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    divider.setPointerCapture(event.pointerId);
    divider.focus();
    page.classList.add("answer-page--dragging");
  });
  divider.addEventListener("pointermove", (event) => {
    if (divider.hasPointerCapture(event.pointerId)) show(fromStart(event));
  });
  const end = () => {
    page.classList.remove("answer-page--dragging");
    keep();
  };
  divider.addEventListener("lostpointercapture", end);
  divider.addEventListener("dblclick", () => {
    show(usual);
    keep();
  });
}
