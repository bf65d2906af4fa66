// Systems by publication date, and the best value so far.
import { farKeys, legend, levelText, named, parted, underTick, upright, valueScale } from "./frame.js";
import { along, around, dodged, placed } from "./labels.js";
import { answer, dot, linked } from "./marks.js";
import { date, facts, heading } from "./numbers.js";
import { canvasOf, fitted, make, silent, text, widthOf } from "./svg.js";

const { scaleUtc, utcFormat } = globalThis.d3;
const NARROW = 560;
const DAY = 86_400_000;
const LABELS = 14;
const CROWD = 250;

/** Months, with the year where one begins, or days if the range is weeks. */
function tickText(domain) {
  const days = (domain[1] - domain[0]) / DAY;
  if (days < 75) return utcFormat("%-d %b");
  const [month, year] = [utcFormat("%b"), utcFormat("%Y")];
  return (moment) => (moment.getUTCMonth() ? month(moment) : year(moment));
}

/** The corners of a step line: the best value so far. */
function steps(records, x, y, end) {
  const corners = [];
  for (const point of records) {
    if (corners.length) corners.push([x(point), corners.at(-1)[1]]);
    corners.push([x(point), y(point)]);
  }
  return [...corners, [end, corners.at(-1)[1]]];
}

export function draw({ points, levels, records, column }, width) {
  const narrow = width < NARROW;
  const { near, far } = parted(points, levels, column);
  const key = legend(points, width, { intervals: false, more: farKeys(far, column) });
  const height = (narrow ? 340 : Math.min(430, Math.max(320, width * 0.4))) + key.height;
  const beside = narrow ? 0 : Math.max(20, ...near.map((level) => widthOf(levelText(level, column), 12) + 14));
  const left = 46;
  const right = width - (narrow ? 10 : beside);
  const top = key.height + 34;
  const bottom = height - 48;
  const moments = points.map((point) => Date.parse(point.published));
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const margin = Math.max((last - first) * 0.05, 12 * DAY);
  const across = scaleUtc()
    .domain([new Date(first - margin), new Date(last + margin)])
    .range([left, right]);
  const scale = valueScale(points, near, column, [bottom, top]);
  const svg = canvasOf(
    width,
    height,
    `${heading(column)}: ${points.length} systems over time. Use the arrow keys to move between systems.`,
  );

  const frame = upright({ scale, near, column, left, right, top, bottom, outside: !narrow });
  const ground = silent(key.node, frame.node);
  const ticks = across.ticks(narrow ? 4 : 8);
  const format = tickText(across.domain());
  for (const tick of ticks) {
    const x = across(tick);
    ground.append(make("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5, class: "chart-axis" }));
    ground.append(underTick(format(tick), x, bottom + 19, width));
  }
  const years = [...new Set([first, last].map((moment) => new Date(moment).getUTCFullYear()))].join(" to ");
  ground.append(text(`Published, ${years}`, (left + right) / 2, bottom + 40, { anchor: "middle", weight: 600 }));
  svg.append(ground);

  const byEntry = new Map(points.map((point) => [point.entry, point]));
  const holders = new Set(Object.values(records).flat());
  const place = (point) => across(new Date(point.published));
  const taken = [...frame.boxes];
  const ends = [];
  for (const [kind, entries] of Object.entries(records)) {
    if (!entries.length) continue;
    const line = entries.map((entry) => byEntry.get(entry));
    const corners = steps(line, place, (point) => scale(point.value), right);
    const path = corners.map(([x, y]) => `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`).join("L");
    ground.append(make("path", { d: `M${path}`, class: `chart-best chart-best--${kind}` }));
    for (let index = 1; index < corners.length; index += 1)
      taken.push(...along(...corners[index - 1], ...corners[index]));
    const name = kind === "reported" ? "best reported" : "best so far";
    for (const share of [0, 0.15, 0.3, 0.45]) {
      ends.push({
        of: kind,
        kind,
        text: name,
        x: right - (right - corners.at(-2)[0]) * share - widthOf(name, 11.5) / 2 - 4,
        y: corners.at(-1)[1],
      });
    }
  }

  const radius = points.length > CROWD ? 3 : 4.5;
  const spots = dodged(
    points.map((point) => ({ x: place(point), y: scale(point.value) })),
    radius + 0.1,
  );
  const marks = points.map((point, index) => {
    const x = Math.max(left + 5, Math.min(right - 5, spots[index]));
    const y = scale(point.value);
    const lines = [...facts(point, column), `published ${date(point.published)}`];
    if (holders.has(point.entry)) lines.push("best to date");
    const node = linked(
      point,
      [point.name, ...lines].join(", "),
      make("circle", { cx: x, cy: y, r: 10 }),
      dot(point, x, y, radius),
    );
    svg.append(node);
    taken.push(around(x, y, 5));
    return { node, x, y, point, title: point.name, lines };
  });

  const bounds = { left: left + 2, right: right + (narrow ? 6 : 0), top: top - 8, bottom: bottom - 2 };
  const wanted = marks.filter((mark) => holders.has(mark.point.entry)).sort((a, b) => column.sign * (b.point.value - a.point.value));
  const labels = wanted.map((mark) => ({
    text: fitted(mark.point.name, narrow ? 110 : 190, 11.5),
    x: mark.x,
    y: mark.y,
    point: mark.point,
  }));
  const names = make("g", { "aria-hidden": "true", class: "chart-labels" });
  const said = [...named(frame.spots, taken, bounds).values(), ...named(ends, taken, bounds, { size: 11.5 }).values()];
  names.append(...said);
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
