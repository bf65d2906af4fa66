// Values by context size, on a logarithmic axis, with the fitted line.
import { farKeys, legend, levelText, named, parted, underTick, upright, valueScale } from "./frame.js";
import { along, around, dodged, placed } from "./labels.js";
import { answer, dot, linked } from "./marks.js";
import { binary, facts, heading, ratio, signed, tokens } from "./numbers.js";
import { canvasOf, fitted, make, silent, text, widthOf } from "./svg.js";

const { scaleLog } = globalThis.d3;
const NARROW = 560;
const LABELS = 14;
const CROWD = 250;
const NAMES = { scored: "scored here", reported: "reported" };

/** The label of a fit in the chart. */
export function fitText(fit, both, column) {
  const whose = both ? `${NAMES[fit.kind]}: ` : "";
  const share = fit.r_squared === null ? "no slope" : `r² = ${ratio(fit.r_squared, 2)}`;
  return `${whose}${share}, ${signed(fit.slope, column)} per doubling`;
}

function ticksOf([low, high], room) {
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / room));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, step) => 2 ** (first + step * every));
}

export function draw(data, width, aside = width < NARROW) {
  const { points, levels, fits, column } = data;
  const narrow = width < NARROW;
  const { near, far } = parted(points, levels, column);
  const beside = narrow ? 0 : Math.max(20, ...near.map((level) => widthOf(levelText(level, column), 12) + 14));
  // The labels of the lines go `aside`, into the legend, if there is no room beside them.
  const both = fits.length > 1;
  const said = aside ? fits.map((fit) => [`chart-fit chart-fit--${fit.kind}`, fitText(fit, both, column)]) : [];
  const key = legend(points, width, { more: [...said, ...farKeys(far, column)] });
  const height = (narrow ? 350 : Math.min(490, Math.max(350, width * 0.47))) + key.height;
  const left = 46;
  const right = width - (narrow ? 10 : beside);
  const top = key.height + 34;
  const bottom = height - 48;
  const sizes = points.map((point) => point.context);
  const spread = [Math.min(...sizes) / 1.35, Math.max(...sizes) * 1.35];
  const across = scaleLog().base(2).domain(spread).range([left, right]);
  const scale = valueScale(points, near, column, [bottom, top]);
  const svg = canvasOf(
    width,
    height,
    `Scatter plot of ${points.length} systems: ${heading(column)}, by context size. Use the arrow keys to move between systems.`,
  );

  const frame = upright({ scale, near, column, left, right, top, bottom, outside: !narrow });
  const ground = silent(key.node, frame.node);
  for (const tick of ticksOf(spread, narrow ? 6 : 12)) {
    const x = across(tick);
    ground.append(make("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5, class: "chart-axis" }));
    ground.append(underTick(binary(tick), x, bottom + 19, width));
  }
  ground.append(
    text("Context size in tokens (log scale)", (left + right) / 2, bottom + 40, { anchor: "middle", weight: 600 }),
  );
  svg.append(ground);

  const taken = [...frame.boxes];
  const fitLabels = [];
  for (const fit of fits) {
    const ends = [across(fit.start[0]), scale(fit.start[1]), across(fit.end[0]), scale(fit.end[1])];
    const [x1, y1, x2, y2] = ends;
    ground.append(make("line", { x1, y1, x2, y2, class: `chart-fit chart-fit--${fit.kind}` }));
    taken.push(...along(...ends));
    for (const distance of [9, 18, 28, 40]) {
      for (const share of [0.8, 0.6, 0.98, 0.4, 0.2, 0.02]) {
        const spot = { x: x1 + (x2 - x1) * share, y: y1 + (y2 - y1) * share, distance };
        fitLabels.push({ of: fit, kind: fit.kind, text: fitText(fit, both, column), ...spot });
      }
    }
  }

  const order = [...points].sort((a, b) => a.context - b.context || a.value - b.value);
  const radius = points.length > CROWD ? 3 : 4.5;
  const spots = dodged(
    order.map((point) => ({ x: across(point.context), y: scale(point.value) })),
    radius + 0.1,
  );
  const marks = order.map((point, place) => {
    const x = Math.max(left + 5, Math.min(right - 5, spots[place]));
    const y = scale(point.value);
    const lines = [...facts(point, column), `context ${tokens(point.context)} tokens`];
    const node = linked(point, [point.name, ...lines].join(", "), make("circle", { cx: x, cy: y, r: 10 }));
    if (point.low !== null && point.high !== null) {
      node.append(
        make("line", {
          x1: x,
          x2: x,
          y1: scale(point.low),
          y2: scale(point.high),
          class: "chart-interval chart-interval--thin",
        }),
      );
    }
    node.append(dot(point, x, y, radius));
    svg.append(node);
    taken.push(around(x, y, 5));
    return { node, x, y, point, title: point.name, lines };
  });

  const bounds = { left: left + 2, right: right + (narrow ? 6 : 0), top: top - 8, bottom: bottom - 2 };
  const names = make("g", { "aria-hidden": "true", class: "chart-labels" });
  const sayings = aside ? new Map() : named(fitLabels, taken, bounds, { weight: 600 });
  if (!aside && sayings.size < fits.length) return draw(data, width, true);
  names.append(...sayings.values(), ...named(frame.spots, taken, bounds).values());
  const best = new Map();
  for (const mark of marks) {
    const held = best.get(mark.point.context);
    if (!held || column.sign * (mark.point.value - held.point.value) > 0) best.set(mark.point.context, mark);
  }
  const importance = (mark) =>
    (mark.point.best ? 8 : 0) +
    (best.get(mark.point.context) === mark ? 4 : 0) +
    (mark.point.kind === "reported" ? 2 : 0) +
    (mark.point.marked ? 1 : 0);
  const wanted = [...marks].sort(
    (a, b) => importance(b) - importance(a) || column.sign * (b.point.value - a.point.value),
  );
  const labels = wanted.map((mark) => ({
    text: fitted(mark.point.name, narrow ? 110 : 190, 11.5),
    x: mark.x,
    y: mark.y,
    point: mark.point,
  }));
  for (const label of placed(labels.slice(0, narrow ? LABELS / 2 : LABELS), taken, bounds)) {
    names.append(
      text(label.text, label.at.x, label.at.y, {
        size: 11.5,
        anchor: label.anchor,
        name: label.point.kind === "reported" ? "chart-text--muted" : "",
      }),
    );
  }
  svg.append(names);
  answer(svg, marks, width);
  return svg;
}
