// Systems by the day that they were published, and the best value until then.
import { legend, levelText, upright, valueScale } from "./frame.js";
import { around, dodged, placed } from "./labels.js";
import { answer, dot, linked } from "./marks.js";
import { date, facts } from "./numbers.js";
import { canvasOf, fitted, make, silent, text, widthOf } from "./svg.js";

const { scaleUtc, utcFormat } = globalThis.d3;
const NARROW = 560;
const DAY = 86_400_000;
const LABELS = 14;

/** Months, with the year where one begins, or days where it is about weeks. */
function tickText(domain) {
  const days = (domain[1] - domain[0]) / DAY;
  if (days < 75) return utcFormat("%-d %b");
  const [month, year] = [utcFormat("%b"), utcFormat("%Y")];
  return (moment) => (moment.getUTCMonth() ? month(moment) : year(moment));
}

/** A line that goes along and then up: the best value until then. */
function steps(records, x, y, end) {
  let path = "";
  for (const point of records) {
    const at = Math.round(x(point) * 100) / 100;
    const up = Math.round(y(point) * 100) / 100;
    path += path ? `H${at}V${up}` : `M${at},${up}`;
  }
  return `${path}H${Math.round(end * 100) / 100}`;
}

export function draw({ points, levels, records, column }, width) {
  const narrow = width < NARROW;
  const height = narrow ? 380 : Math.min(460, Math.max(340, width * 0.42));
  const beside = narrow ? 0 : Math.max(20, ...levels.map((level) => widthOf(levelText(level, column), 12) + 14));
  const key = legend(points, width);
  const left = 46;
  const right = width - (narrow ? 10 : beside);
  const top = key.height + 34;
  const bottom = height - 48;
  const moments = points.map((point) => Date.parse(point.published));
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const margin = Math.max((last - first) * 0.05, 12 * DAY);
  const across = scaleUtc().domain([new Date(first - margin), new Date(last + margin)]).range([left, right]);
  const { scale, near, far } = valueScale(points, levels, [bottom, top]);
  const svg = canvasOf(width, height, `${column.label} of ${points.length} systems over time. The arrow keys move from one to the next.`);

  const frame = upright({ scale, near, far, column, left, right, top, bottom, outside: !narrow });
  const ground = silent(key.node, frame.node);
  const ticks = across.ticks(narrow ? 4 : 8);
  const format = tickText(across.domain());
  for (const tick of ticks) {
    const x = across(tick);
    ground.append(make("line", { x1: x, x2: x, y1: bottom, y2: bottom + 5, class: "picture-axis" }));
    ground.append(text(format(tick), x, bottom + 19, { anchor: "middle", name: "picture-text--muted" }));
  }
  const years = [...new Set([first, last].map((moment) => new Date(moment).getUTCFullYear()))].join(" to ");
  ground.append(text(`Published, ${years}`, (left + right) / 2, bottom + 40, { anchor: "middle", weight: 600 }));
  svg.append(ground);

  const byEntry = new Map(points.map((point) => [point.entry, point]));
  const holders = new Set(Object.values(records).flat());
  const place = (point) => across(new Date(point.published));
  for (const [kind, entries] of Object.entries(records)) {
    const line = entries.map((entry) => byEntry.get(entry));
    if (line.length) ground.append(make("path", { d: steps(line, place, (point) => scale(point.value), right), class: `picture-best picture-best--${kind}` }));
  }

  const spots = dodged(points.map((point) => ({ x: place(point), y: scale(point.value) })), 4.6);
  const taken = [...frame.boxes];
  const marks = points.map((point, index) => {
    const x = Math.max(left + 5, Math.min(right - 5, spots[index]));
    const y = scale(point.value);
    const lines = [...facts(point, column), `published ${date(point.published)}`];
    if (holders.has(point.entry)) lines.push("the best until then");
    const node = linked(point, [point.name, ...lines].join(", "), make("circle", { cx: x, cy: y, r: 10 }), dot(point, x, y));
    svg.append(node);
    taken.push(around(x, y, 5));
    return { node, x, y, point, title: point.name, lines };
  });

  const bounds = { left: left + 2, right: right + (narrow ? 6 : 0), top: top - 8, bottom: bottom - 2 };
  const wanted = marks.filter((mark) => holders.has(mark.point.entry)).sort((a, b) => b.point.value - a.point.value);
  const labels = wanted.map((mark) => ({ text: fitted(mark.point.name, narrow ? 110 : 190, 11.5), x: mark.x, y: mark.y, point: mark.point }));
  const names = make("g", { "aria-hidden": "true", class: "picture-labels" });
  for (const label of placed(labels.slice(0, narrow ? LABELS / 2 : LABELS), taken, bounds)) {
    names.append(text(label.text, label.at.x, label.at.y, { size: 11.5, anchor: label.anchor, name: label.point.kind === "reported" ? "picture-text--muted" : "" }));
  }
  svg.append(names);
  answer(svg, marks, width);
  return svg;
}
