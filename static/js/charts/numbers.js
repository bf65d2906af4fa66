// Formatting of numbers and dates in the charts. The data are never rounded, only their display.
const { format, utcFormat } = globalThis.d3;

const day = utcFormat("%-d %B %Y");

const text = (sign, value, { digits, percent }) =>
  percent
    ? format(`${sign}.${Math.max(digits - 2, 0)}f`)(100 * value)
    : format(`${sign},.${digits}f`)(value);

/** A number that belongs to no column, such as r². */
export const ratio = (value, digits) => format(`.${digits}f`)(value);
/** A number of a column; likewise a difference with its sign. */
export const fixed = (value, column) => text("", value, column);
export const signed = (value, column) => text("+", value, column);
/** The column with a digit less, for figures in small places. */
export const coarse = (column) => ({ ...column, digits: Math.max(column.digits - 1, 0) });
/** A number in a small place: a share without the zero before the point, as papers print it: `.43`; in per cent `43`. */
export const short = (value, column) =>
  column.is_share && !column.percent
    ? fixed(value, coarse(column)).replace(/^(−?)0(?=\.)/, "$1")
    : fixed(value, coarse(column));
/** The name of a column with its unit, and the direction if lower numbers are better. */
export const heading = ({ label, unit = "", sign = 1 }) => `${label}${unit}${sign < 0 ? ", ↓ lower is better" : ""}`;
/** The text of an axis' tick. */
export const tick = (scale, count, column) => {
  if (!column.percent) return scale.tickFormat(count);
  const inUnit = scale.copy().domain(scale.domain().map((end) => 100 * end));
  const inPercent = inUnit.tickFormat(count);
  return (value) => inPercent(Math.round(1e6 * value) / 1e4);
};
export const tokens = (size) => format(",")(size);
/** A context size in powers of two: 4,096 is `4k`. */
export const binary = (size) =>
  size >= 2 ** 20 ? `${Math.round(size / 2 ** 20)}M` : size >= 1024 ? `${Math.round(size / 1024)}k` : String(size);
export const date = (moment) => day(new Date(moment));

/** The details of a system's value, in lines of text. */
export function facts(point, column) {
  const lines = [`${column.label}${column.unit ?? ""}: ${fixed(point.value, column)}`];
  if (point.low !== null && point.high !== null) {
    const scale = 10 ** column.digits;
    const low = Math.floor(point.low * scale + 1e-6) / scale; // the ends are rounded outwards, as on other pages
    const high = Math.ceil(point.high * scale - 1e-6) / scale;
    lines.push(`95 % CI ${fixed(low, column)} to ${fixed(high, column)}`);
  }
  if (point.kind === "reported") lines.push("reported, not scored here");
  else if (point.rank !== null) {
    const range =
      point.best_rank === null || point.best_rank === point.worst_rank
        ? ""
        : ` (95 %: ${point.best_rank} to ${point.worst_rank})`;
    lines.push(`rank ${point.rank}${range}`);
  }
  if (point.marked && !point.best) lines.push("statistically tied with the best");
  return lines;
}
