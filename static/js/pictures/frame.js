// What the pictures share: the axis of values, the lines that systems are held against, and the legend.
import { placed } from "./labels.js";
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
  const scale = scaleLinear()
    .domain([low - margin, high + margin])
    .range(range)
    .nice(9);
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
export function legend(points, width, { left = 0, intervals = true, more = [] } = {}) {
  const has = (test) => points.some(test);
  const scored = has((point) => point.kind === "scored");
  const marked = has((point) => point.marked);
  const items = [
    marked && [{ kind: "scored", marked: true }, "best, or not significantly worse"],
    !marked && has((point) => point.best) && [{ kind: "scored", best: true }, "best"],
    scored &&
      has((point) => point.kind === "scored" && !point.marked && !point.best) && [{ kind: "scored" }, "scored here"],
    has((point) => point.kind === "reported") && [{ kind: "reported" }, "reported"],
  ].filter(Boolean);
  if (intervals && has((point) => point.low !== null)) items.push(["picture-interval", "95 % interval"]);
  items.push(...more);
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
    node.append(
      typeof sample === "string"
        ? make("line", { x1: x, x2: x + 13, y1: y - 4, y2: y - 4, class: sample })
        : dot(sample, x + 6, y - 4),
    );
    node.append(text(label, x + 18, y, { name: "picture-text--muted" }));
    x += wide;
  }
  return { node, height: y + 12 };
}

/**
 * The axis of values on the left of a picture, with its levels: lines across, named beside them if there is room
 * `outside`. Otherwise `spots` are where their names may stand, of which `named` takes the first that is free.
 */
export function upright({ scale, near, far, column, left, right, top, bottom, outside }) {
  const node = make("g", { "aria-hidden": "true" });
  const format = tickFormat(scale, 6);
  for (const tick of scale.ticks(6)) {
    const y = scale(tick);
    node.append(make("line", { x1: left, x2: right, y1: y, y2: y, class: "picture-grid" }));
    node.append(text(format(tick), left - 8, y + 4, { anchor: "end", name: "picture-text--muted" }));
  }
  const boxes = [];
  const spots = [];
  let last = Infinity;
  for (const level of [...near].sort((a, b) => a.value - b.value)) {
    const y = scale(level.value);
    node.append(make("line", { x1: left, x2: right, y1: y, y2: y, class: levelClass(level) }));
    boxes.push({ left, right, top: y - 2, bottom: y + 2 });
    const label = levelText(level, column);
    if (outside) {
      last = Math.min(y + 4, last - 15);
      node.append(text(label, right + 8, last, { name: `picture-text--${level.pin}` }));
      continue;
    }
    const half = widthOf(label, 12) / 2 + 2;
    for (const share of [1, 0.75, 0.5, 0.25, 0]) {
      spots.push({ of: level, kind: level.pin, text: label, x: left + half + (right - left - 2 * half) * share, y });
    }
  }
  const above = far.map((level) => farText(level, column, scale, ["↓", "↑"])).join("   ");
  node.append(text(column.label, 0, top - 14, { weight: 600 }));
  if (above) {
    const below = widthOf(column.label, 12, 600) + widthOf(above, 12) + 16 > right;
    const y = below ? top + 10 : top - 14;
    node.append(text(above, right, y, { anchor: "end", name: "picture-text--muted" }));
    if (below) boxes.push({ left: right - widthOf(above, 12), right, top: y - 11, bottom: y + 4 });
  }
  node.append(make("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "picture-axis" }));
  return { node, boxes, spots };
}

/** The names of lines: for each thing that `spots` are `of`, the first free one. The rest of them stay unnamed. */
export function named(spots, taken, bounds, { size = 12, weight = null } = {}) {
  const found = new Map();
  for (const spot of spots) {
    if (found.has(spot.of)) continue;
    const [label] = placed([spot], taken, bounds, { size, weight: weight ?? 400 });
    if (label)
      found.set(
        spot.of,
        text(label.text, label.at.x, label.at.y, {
          size,
          weight,
          anchor: label.anchor,
          name: `picture-text--${label.kind}`,
        }),
      );
  }
  return found;
}

/** A line of text under a tick that stays within the picture. */
export function underTick(label, x, y, width) {
  const anchor = x + widthOf(label, 12) / 2 > width ? "end" : "middle";
  return text(label, anchor === "end" ? Math.min(width, x + 4) : x, y, { anchor, name: "picture-text--muted" });
}
