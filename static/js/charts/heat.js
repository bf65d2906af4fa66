// Systems by question category: one cell each, darker for higher values.
import { answer, plain } from "./marks.js";
import { coarse, fixed, heading, short } from "./numbers.js";
import { canvasOf, fitted, make, silent, text, widthOf } from "./svg.js";

const { scaleQuantize, range } = globalThis.d3;
const NARROW = 680;
const STEPS = 7;

export function draw({ columns, rows, column }, width) {
  const narrow = width < NARROW;
  const values = rows.flatMap((row) => row.values).filter((value) => value !== null);
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const shade = scaleQuantize()
    .domain([lowest, highest > lowest ? highest : lowest + 1e-9])
    .range(range(STEPS));
  const heads = columns.map((one) => `${fitted(one.label, 140)} (${one.n_questions})`);
  const longest = Math.max(...rows.map((row) => widthOf(row.name, 13)), widthOf("Mean", 13));
  const left = narrow ? 0 : Math.min(longest, width * 0.3) + 12;
  const turn = narrow ? 62 : 42;
  const [cosine, sine] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const widths = heads.map((label) => widthOf(label, 12));
  // The last column headings slant to the right: the cells leave room for them.
  let cell = (width - left) / columns.length;
  for (const [place, wide] of widths.entries()) {
    cell = Math.min(cell, (width - left - wide * cosine - 4) / (place + 0.5 + 0.25));
  }
  cell = Math.min(cell, 74);
  const high = narrow ? 25 : 27;
  const step = narrow ? high + 21 : high;
  const ends = [fixed(lowest, coarse(column)), fixed(highest, coarse(column))];
  const wide = widthOf(ends[0], 12);
  // The name of the column stands beside the ramp, or below it where there is no room.
  const beside = wide + 28 + STEPS * 18 + widthOf(ends[1], 12);
  const below = beside + widthOf(heading(column), 12, 600) > width;
  const top = (below ? 54 : 34) + Math.max(...widths) * sine + 14;
  const meanGap = 9;
  const height = top + rows.length * step + meanGap + step + 6;
  const svg = canvasOf(
    width,
    height,
    `Heat map of ${heading(column)}: ${rows.length} systems by ${columns.length} categories. Use the arrow keys to move between cells.`,
  );

  const ground = silent();
  const ramp = make("g", { transform: "translate(0 2)" });
  ramp.append(text(ends[0], 0, 12, { name: "chart-text--muted" }));
  for (let place = 0; place < STEPS; place += 1) {
    ramp.append(
      make("rect", {
        x: wide + 8 + place * 18,
        y: 1,
        width: 18,
        height: 14,
        class: `chart-heat chart-heat--${place}`,
      }),
    );
  }
  ramp.append(text(ends[1], wide + 16 + STEPS * 18, 12, { name: "chart-text--muted" }));
  ramp.append(text(heading(column), below ? 0 : beside, below ? 32 : 12, { weight: 600 }));
  ground.append(ramp);
  for (const [place, label] of heads.entries()) {
    const x = left + (place + 0.5) * cell + 3;
    ground.append(
      text(label, x, top - 8, { rotate: -turn, name: columns[place].is_rest ? "chart-text--muted" : "" }),
    );
  }
  svg.append(ground);

  const size = Math.min(12.5, cell * 0.36);
  const marks = [];
  const line = (name, shown, y, data) => {
    const label = narrow
      ? text(fitted(name, width, 13), 0, y - 6, { size: 13 })
      : text(fitted(name, left - 12, 13), left - 10, y + high / 2 + 4.5, { size: 13, anchor: "end" });
    svg.append(silent(label));
    for (const [place, value] of shown.entries()) {
      const x = left + place * cell;
      const category = columns[place];
      const said =
        value === null
          ? "withheld: too close to none or all of the questions"
          : `${column.label}${column.unit}: ${fixed(value, column)}`;
      const step = value === null ? "none" : shade(value);
      const node = plain(
        `${name}, ${category.label}, ${said}`,
        make("rect", { x, y, width: cell, height: high }),
        make("rect", {
          x: x + 0.5,
          y: y + 0.5,
          width: cell - 1,
          height: high - 1,
          class: `chart-heat chart-heat--${step}`,
        }),
        text(value === null ? "·" : short(value, column), x + cell / 2, y + high / 2 + size * 0.36, {
          size,
          anchor: "middle",
          name: `chart-text--figure chart-on-heat--${step}`,
        }),
      );
      svg.append(node);
      marks.push({
        node,
        x: x + cell / 2,
        y,
        title: `${name}, ${category.label}`,
        lines: [said, `${category.n_questions} questions`, ...data],
      });
    }
  };
  for (const [place, row] of rows.entries()) {
    line(row.name, row.values, top + place * step + (narrow ? 20 : 0), [
      `over all questions ${fixed(row.value, column)}`,
    ]);
  }
  const last = top + rows.length * step + meanGap;
  if (rows.length > 1) {
    svg.append(
      silent(
        make("line", {
          x1: 0,
          x2: left + cell * columns.length,
          y1: last - meanGap / 2,
          y2: last - meanGap / 2,
          class: "chart-axis",
        }),
      ),
    );
    line(
      "Mean",
      columns.map((one) => one.mean),
      last + (narrow ? 20 : 0),
      [],
    );
  }
  answer(svg, marks, width, columns.length);
  return svg;
}
