// Formatting of numbers and dates in the charts. The data are never rounded, only their display.
const { format, utcFormat } = globalThis.d3;

const day = utcFormat("%-d %B %Y");

/** Whether the page shows shares as per cent, as it says in its markup. */
const inPercent = () => document.querySelector("[data-percent]") !== null;
const share = (sign, value, decimals) =>
  inPercent() ? format(`${sign}.${Math.max(decimals - 2, 0)}f`)(100 * value) : format(`${sign}.${decimals}f`)(value);

/** A number that is no share, such as r². */
export const ratio = (value, decimals) => format(`.${decimals}f`)(value);
export const fixed = (value, decimals) => share("", value, decimals);
export const signed = (value, decimals) => share("+", value, decimals);
/** Two decimals without the zero before the point, as papers print shares: `.43`; in per cent `43`. */
export const short = (value) => (inPercent() ? fixed(value, 2) : fixed(value, 2).replace(/^(−?)0(?=\.)/, "$1"));
/** The text of an axis' tick. */
export const tick = (scale, count) => {
  if (!inPercent()) return scale.tickFormat(count);
  const inUnit = scale.copy().domain(scale.domain().map((end) => 100 * end));
  const text = inUnit.tickFormat(count);
  return (value) => text(Math.round(1e6 * value) / 1e4);
};
export const tokens = (size) => format(",")(size);
/** A context size in powers of two: 4,096 is `4k`. */
export const binary = (size) =>
  size >= 2 ** 20 ? `${Math.round(size / 2 ** 20)}M` : size >= 1024 ? `${Math.round(size / 1024)}k` : String(size);
export const date = (moment) => day(new Date(moment));

/** The details of a system's value, in lines of text. */
export function facts(point, column) {
  const lines = [`${column.label}: ${fixed(point.value, column.decimals)}`];
  if (point.low !== null && point.high !== null) {
    lines.push(`95 % CI ${fixed(point.low, column.decimals)} to ${fixed(point.high, column.decimals)}`);
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
