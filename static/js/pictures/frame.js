// What the pictures share: the axis of values, the lines that systems are held against, and the legend.
import { dot } from "./marks.js";
import { fixed } from "./numbers.js";
import { make, text, widthOf } from "./svg.js";

const { scaleLinear } = globalThis.d3;
const REACH = 0.75;
/** A level further away than this share of the systems' span is named at the edge and does not stretch the axis. */

/** The scale of values over all points and intervals, and the levels that are near enough to stand on it. */
export function valueScale(points, levels, range) {
  const ends = points.flatMap((point) => [point.value, point.low ?? point.value, point.high ?? point.value]);
  let low = Math.min(...ends);
  let high = Math.max(...ends);
  const span = Math.max(high - low, 0.02);
  const near = levels.filter((level) => level.value <= high + REACH * span && level.value >= low - REACH * span);
  for (const level of near) {
    low = Math.min(low, level.value);
    high = Math.max(high, level.value);
  }
  const margin = Math.max(high - low, 0.02) * 0.03;
  const scale = scaleLinear().domain([low - margin, high + margin]).range(range).nice(5);
  return { scale, near, far: levels.filter((level) => !near.includes(level)) };
}

/** As many decimals as the ticks of an axis need. */
export const tickFormat = (scale, count) => scale.tickFormat(count);

/** What a level is called, with its value. */
export const levelText = (level, column) => `${level.label} ${fixed(level.value, column.decimals)}`;

/** The class of a level's line. */
export const levelClass = (level) => `picture-level picture-level--${level.pin}`;

/** An arrow of text towards a level that is off the scale. */
export const farText = (level, column, scale, [back, forth]) =>
  `${levelText(level, column)} ${level.value > scale.domain()[1] ? forth : back}`;

/** The legend for the kinds of dots that there are: { node, height }, in as many lines as the width needs. */
export function legend(points, width, left = 0) {
  const has = (test) => points.some(test);
  const scored = has((point) => point.kind === "scored");
  const marked = has((point) => point.marked);
  const items = [
    marked && [{ kind: "scored", marked: true }, "best, or not significantly worse"],
    !marked && has((point) => point.best) && [{ kind: "scored", best: true }, "best"],
    scored && has((point) => point.kind === "scored" && !point.marked && !point.best) && [{ kind: "scored" }, "scored here"],
    has((point) => point.kind === "reported") && [{ kind: "reported" }, "reported"],
  ].filter(Boolean);
  if (has((point) => point.low !== null)) items.push([null, "95 % interval"]);
  const node = make("g", { "aria-hidden": "true" });
  if (items.length < 2) return { node, height: 0 };
  let x = left;
  let y = 12;
  for (const [sample, label] of items) {
    const wide = 18 + widthOf(label, 12) + 18;
    if (x + wide > width && x > left) {
      x = left;
      y += 19;
    }
    node.append(sample ? dot(sample, x + 6, y - 4) : make("line", { x1: x, x2: x + 13, y1: y - 4, y2: y - 4, class: "picture-interval" }));
    node.append(text(label, x + 18, y, { name: "picture-text--muted" }));
    x += wide;
  }
  return { node, height: y + 12 };
}

/** The axis of values on the left of a picture, with its levels: lines across, named at the right or over the line. */
export function upright({ scale, near, far, column, left, right, top, bottom, outside }) {
  const node = make("g", { "aria-hidden": "true" });
  const format = tickFormat(scale, 6);
  for (const tick of scale.ticks(6)) {
    const y = scale(tick);
    node.append(make("line", { x1: left, x2: right, y1: y, y2: y, class: "picture-grid" }));
    node.append(text(format(tick), left - 8, y + 4, { anchor: "end", name: "picture-text--muted" }));
  }
  const boxes = [];
  let last = Infinity;
  for (const level of [...near].sort((a, b) => a.value - b.value)) {
    const y = scale(level.value);
    node.append(make("line", { x1: left, x2: right, y1: y, y2: y, class: levelClass(level) }));
    const label = levelText(level, column);
    const wide = widthOf(label, 12);
    const baseline = outside ? Math.min(y + 4, last - 15) : y - 5;
    last = baseline;
    node.append(text(label, outside ? right + 8 : right, baseline, { anchor: outside ? null : "end", name: `picture-text--${level.pin}` }));
    boxes.push({ left, right, top: y - 2, bottom: y + 2 });
    if (!outside) boxes.push({ left: right - wide - 4, right, top: baseline - 11, bottom: baseline + 4 });
  }
  const above = far.map((level) => farText(level, column, scale, ["↓", "↑"])).join("   ");
  node.append(text(column.label, 0, top - 14, { weight: 600 }));
  if (above) {
    node.append(text(above, right, top - 14, { anchor: "end", name: "picture-text--muted" }));
  }
  node.append(make("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "picture-axis" }));
  return { node, boxes };
}
