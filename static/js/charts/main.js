// Draws the charts of a page, and redraws them when the width changes. Without it the page shows their tables.
import { draw as context } from "./context.js";
import { draw as dots } from "./dots.js";
import { draw as heat } from "./heat.js";
import { asPng, asSvg, handOut } from "./save.js";
import { draw as time } from "./time.js";

const DRAW = { context, dots, heat, time };

const say = (text) => {
  const region = document.getElementById("announcer");
  if (region) region.textContent = text;
};

function show(figure) {
  figure.hidden = false;
  const draw = DRAW[figure.dataset.chart];
  const stage = figure.querySelector(".chart__stage");
  const data = JSON.parse(document.getElementById(figure.dataset.source).textContent);
  const finding = figure.querySelector(".chart__finding");
  let width = 0;
  const redraw = () => {
    const room = Math.floor(stage.clientWidth);
    if (room < 200 || room === width) return;
    width = room;
    const svg = draw(data, width);
    if (finding) svg.setAttribute("aria-describedby", finding.id);
    stage.replaceChildren(svg);
  };
  redraw();
  new ResizeObserver(redraw).observe(stage);
  for (const button of figure.querySelectorAll("button[data-save]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const type = button.dataset.save;
      const title = figure.querySelector(".chart__title").textContent.trim();
      const description = finding ? finding.textContent.replace(/\s+/g, " ").trim() : "";
      try {
        const svg = await asSvg(draw, data, { title, description });
        if (type === "svg") handOut(svg, `${figure.dataset.name}.svg`, "image/svg+xml");
        else handOut(await asPng(svg), `${figure.dataset.name}.png`, "image/png");
        say("Saved.");
      } catch {
        say("The browser could not create the file.");
      }
    });
  }
}

document.fonts.load('12px "Plex Sans"').finally(() => {
  for (const figure of document.querySelectorAll("figure[data-chart]")) show(figure);
});
