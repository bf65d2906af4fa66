// Shared parts of the charts: the value axis, the reference lines, and the legend.
import { placed } from "./labels.js";
import { dot } from "./marks.js";
import { fixed, heading, tick as tickOf } from "./numbers.js";
import { make, text, widthOf } from "./svg.js";

const { scaleLinear } = globalThis.d3;
const REACH = 0.75;

const extent = (points) => {
  const ends = points.flatMap((point) => [point.value, point.low ?? point.value, point.high ?? point.value]);
  return ends.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
};

/** The span below which values are not spread further: of shares 0.02. */
const least = (column) => 20 * 10 ** -column.digits;

/**
 * The levels on the axis, and those so far from the systems (REACH of their span) that they would compress them: these
 * are named with an arrow, `below` or above.
 */
export function parted(points, levels, column) {
  const [low, high] = extent(points);
  const reach = REACH * Math.max(high - low, least(column));
  const near = levels.filter((level) => level.value <= high + reach && level.value >= low - reach);
  const far = levels.filter((level) => !near.includes(level)).map((level) => ({ level, below: level.value < low }));
  return { near, far };
}

/** The scale of values over all points, their intervals and the levels on it; not beyond the column's bounds. */
export function valueScale(points, near, column, range) {
  const [low, high] = extent([...points, ...near.map(({ value }) => ({ value, low: value, high: value }))]);
  const margin = Math.max(high - low, least(column)) * 0.03;
  const scale = scaleLinear()
    .domain([low - margin, high + margin])
    .range(range)
    .nice(9);
  const [first, last] = scale.domain();
  const [lowest, highest] = column.bounds ?? [-Infinity, Infinity];
  return scale.domain([Math.max(first, Math.min(low, lowest)), Math.min(last, Math.max(high, highest))]);
}

/** The text of an axis' ticks. */
export const tickFormat = tickOf;

/** The name of a level, with its value. */
export const levelText = (level, column) => `${level.label} ${fixed(level.value, column)}`;

/** The class of a level's line. */
export const levelClass = (level) => `chart-level chart-level--${level.pin}`;

/** Levels outside the axis as lines of a legend. */
export const farKeys = (far, column) =>
  far.map(({ level, below }) => [levelClass(level), `${levelText(level, column)} ${below ? "↓" : "↑"}`]);

/** The legend for the kinds of dots in the chart: { node, height }, in as many lines as the width needs. */
export function legend(points, width, { left = 0, intervals = true, more = [] } = {}) {
  const has = (test) => points.some(test);
  const scored = has((point) => point.kind === "scored");
  const marked = has((point) => point.marked);
  const items = [
    marked && [{ kind: "scored", marked: true }, "best or statistically tied"],
    !marked && has((point) => point.best) && [{ kind: "scored", best: true }, "best"],
    scored &&
      has((point) => point.kind === "scored" && !point.marked && !point.best) && [{ kind: "scored" }, "scored here"],
    has((point) => point.kind === "reported") && [{ kind: "reported" }, "reported"],
  ].filter(Boolean);
  if (intervals && has((point) => point.low !== null)) items.push(["chart-interval", "95 % CI"]);
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
    node.append(text(label, x + 18, y, { name: "chart-text--muted" }));
    x += wide;
  }
  return { node, height: y + 12 };
}

/**
 * The value axis on the left of a chart, with its levels: horizontal lines, named beside them if there is room
 * `outside`. Otherwise `spots` are the possible positions of their names, of which `named` takes the first free one.
 */
export function upright({ scale, near, column, left, right, top, bottom, outside }) {
  const node = make("g", { "aria-hidden": "true" });
  const format = tickFormat(scale, 6, column);
  for (const tick of scale.ticks(6)) {
    const y = scale(tick);
    node.append(make("line", { x1: left, x2: right, y1: y, y2: y, class: "chart-grid" }));
    node.append(text(format(tick), left - 8, y + 4, { anchor: "end", name: "chart-text--muted" }));
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
      node.append(text(label, right + 8, last, { name: `chart-text--${level.pin}` }));
      continue;
    }
    const half = widthOf(label, 12) / 2 + 2;
    for (const share of [1, 0.75, 0.5, 0.25, 0]) {
      spots.push({ of: level, kind: level.pin, text: label, x: left + half + (right - left - 2 * half) * share, y });
    }
  }
  node.append(text(heading(column), 0, top - 14, { weight: 600 }));
  node.append(make("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "chart-axis" }));
  return { node, boxes, spots };
}

/** The names of lines: for each thing that `spots` are `of`, the first free one. The rest stay unnamed. */
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
          name: `chart-text--${label.kind}`,
        }),
      );
  }
  return found;
}

/** A line of text under a tick that stays within the chart. */
export function underTick(label, x, y, width) {
  const anchor = x + widthOf(label, 12) / 2 > width ? "end" : "middle";
  return text(label, anchor === "end" ? Math.min(width, x + 4) : x, y, { anchor, name: "chart-text--muted" });
}
