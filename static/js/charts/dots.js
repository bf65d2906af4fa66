// The systems in order of their values, with 95 % intervals and the reference lines. Other things with values are in the
// order of the data, and have no link; `what` names them.
import { legend, levelClass, levelText, parted, tickFormat, valueScale } from "./frame.js";
import { answer, dot, linked, plain } from "./marks.js";
import { facts, fixed, heading } from "./numbers.js";
import { canvasOf, fitted, make, silent, text, widthOf } from "./svg.js";

const NARROW = 560;

/** The names of the levels above their lines, each in the lowest row with room, and the height of their lines. */
function heads({ near, far, scale, column, left, right }) {
  const node = make("g");
  const rows = [];
  const reach = new Map();
  const stand = [...near].sort((a, b) => a.value - b.value);
  const labels = [
    ...stand.map((level) => ({ level, label: levelText(level, column), x: scale(level.value) })),
    ...far.map(({ level, below }) => ({
      level,
      label: `${levelText(level, column)} ${below ? "←" : "→"}`,
      x: below ? left : right,
    })),
  ];
  for (const { level, label, x } of labels) {
    const wide = widthOf(label, 12);
    const start = Math.max(left - 40, 0, Math.min(right - wide, x - wide / 2));
    let row = rows.findIndex((taken) => taken.every(([from, to]) => start > to + 10 || start + wide < from - 10));
    if (row < 0) row = rows.push([]) - 1;
    rows[row].push([start, start + wide]);
    reach.set(level, row * 16);
    node.append(text(label, start, -row * 16 - 6, { name: `chart-text--${level.pin}` }));
  }
  return { node, reach, height: rows.length * 16 + 4 };
}

export function draw({ points, levels = [], column, what = "systems" }, width) {
  const narrow = width < NARROW;
  const names = points.map((point) => point.name);
  const longest = Math.max(...names.map((name) => widthOf(name, 13)));
  const left = narrow ? 10 : Math.min(longest, width * 0.34) + 16;
  const ranges = points.map((point) =>
    point.best_rank === null
      ? (point.rank ?? "")
      : point.best_rank === point.worst_rank
        ? point.best_rank
        : `${point.best_rank}–${point.worst_rank}`,
  );
  const ranked = !narrow && ranges.some((range) => range !== "");
  const right = width - (narrow ? 50 : ranked ? 124 : 58);
  const step = narrow ? 38 : 23;
  const { near, far } = parted(points, levels, column);
  const scale = valueScale(points, near, column, [left + 4, right]);
  const key = legend(points, width, { left: narrow ? 0 : left });
  const head = heads({ near, far, scale, column, left, right });
  const top = key.height + head.height + 18;
  const bottom = top + points.length * step;
  const height = bottom + 46;
  const svg = canvasOf(
    width,
    height,
    `Dot plot of ${points.length} ${what} by ${heading(column)}. Use the arrow keys to move between them.`,
  );

  const ground = silent(key.node);
  const format = tickFormat(scale, narrow ? 4 : 7, column);
  for (const tick of scale.ticks(narrow ? 4 : 7)) {
    const x = scale(tick);
    ground.append(make("line", { x1: x, x2: x, y1: top - 4, y2: bottom, class: "chart-grid" }));
    ground.append(text(format(tick), x, bottom + 17, { anchor: "middle", name: "chart-text--muted" }));
  }
  ground.append(make("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "chart-axis" }));
  ground.append(text(heading(column), (left + right) / 2, bottom + 37, { anchor: "middle", weight: 600 }));
  if (ranked) {
    ground.append(text("95 % ranks", width, top - 8, { anchor: "end", size: 11, name: "chart-text--muted" }));
  }
  for (const level of near) {
    const x = scale(level.value);
    if (level.low !== null && level.high !== null) {
      ground.append(
        make("rect", {
          x: scale(level.low),
          width: scale(level.high) - scale(level.low),
          y: top - 4,
          height: bottom - top + 4,
          class: "chart-band",
        }),
      );
    }
    ground.append(
      make("line", { x1: x, x2: x, y1: top - 10 - head.reach.get(level), y2: bottom, class: levelClass(level) }),
    );
  }
  head.node.setAttribute("transform", `translate(0 ${top - 8})`);
  ground.append(head.node);
  svg.append(ground);

  const marks = points.map((point, place) => {
    const y = top + place * step + (narrow ? 26 : step / 2);
    const x = scale(point.value);
    const value = fixed(point.value, column);
    const quiet = point.kind === "reported" ? "chart-text--muted" : "";
    const hit = make("rect", { x: 0, y: top + place * step, width, height: step });
    const lines = facts(point, column);
    const mark = point.url ? (...parts) => linked(point, ...parts) : plain;
    const node = mark(
      [point.name, ...lines].join(", "),
      hit,
      narrow
        ? text(fitted(point.name, width - 4, 13), 0, y - 11, { size: 13, name: `chart-text--haloed ${quiet}` })
        : text(fitted(point.name, left - 16, 13), left - 10, y + 4, { size: 13, anchor: "end", name: quiet }),
    );
    if (point.low !== null && point.high !== null) {
      node.append(
        make("line", {
          x1: scale(point.low),
          x2: scale(point.high),
          y1: y,
          y2: y,
          class: point.marked || point.best ? "chart-interval chart-interval--marked" : "chart-interval",
        }),
      );
    }
    node.append(dot(point, x, y));
    node.append(
      text(value, narrow ? width : right + 46, y + 4, {
        size: 12.5,
        anchor: "end",
        weight: point.best ? 600 : null,
        name: `chart-text--figure ${quiet}`,
      }),
    );
    if (ranked)
      node.append(
        text(String(ranges[place]), width, y + 4, { anchor: "end", name: "chart-text--figure chart-text--muted" }),
      );
    svg.append(node);
    return { node, x, y: y - 4, title: point.name, lines };
  });
  answer(svg, marks, width);
  return svg;
}
