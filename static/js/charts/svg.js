// SVG elements, and the width of a text before it is drawn.
const NAMESPACE = "http://www.w3.org/2000/svg";
const FACES = '"Plex Sans", ui-sans-serif, system-ui, sans-serif';

/** An element with attributes (null ones are omitted) and children (strings become text). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) {
      element.setAttribute(name, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
    }
  }
  element.append(...children);
  return element;
}

let canvas = null;

/** The width of a text in pixels. */
export function widthOf(text, size = 12, weight = 400) {
  canvas ??= document.createElement("canvas").getContext("2d");
  canvas.font = `${weight} ${size}px ${FACES}`;
  return canvas.measureText(text).width;
}

/** A text truncated with an ellipsis to at most `width` pixels. */
export function fitted(text, width, size = 12, weight = 400) {
  if (widthOf(text, size, weight) <= width) return text;
  const letters = [...text];
  let least = 0;
  let most = letters.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (widthOf(`${letters.slice(0, middle).join("").trimEnd()}…`, size, weight) <= width) least = middle;
    else most = middle - 1;
  }
  return `${letters.slice(0, least).join("").trimEnd()}…`;
}

/** A text in at most `most` lines of at most `width` pixels, broken between words if possible. */
export function wrapped(text, width, size = 12, weight = 400, most = 4) {
  const lines = [];
  let rest = [...text];
  while (rest.length && lines.length < most - 1) {
    let end = rest.length;
    while (end > 1 && widthOf(rest.slice(0, end).join(""), size, weight) > width) end -= 1;
    const gap = rest.slice(0, end + 1).findLastIndex((letter) => letter === " " || letter === "-") + 1;
    const cut = end === rest.length || gap < end / 2 ? end : Math.min(gap, end);
    lines.push(rest.slice(0, cut).join("").trim());
    rest = rest.slice(cut);
  }
  if (rest.length) lines.push(fitted(rest.join("").trim(), width, size, weight));
  return lines.filter(Boolean);
}

/** A line of text. `y` is its baseline. */
export function text(content, x, y, { size = 12, weight = null, anchor = null, name = "", rotate = null } = {}) {
  return make(
    "text",
    {
      x,
      y,
      "font-size": size,
      "font-weight": weight,
      "text-anchor": anchor,
      class: `chart-text ${name}`.trim(),
      transform: rotate === null ? null : `rotate(${rotate} ${x} ${y})`,
    },
    content,
  );
}

/** Elements hidden from screen readers: axes, lines, and labels that repeat the text of a mark. */
export const silent = (...children) => make("g", { "aria-hidden": "true" }, ...children);

/** An empty chart of a size in pixels; it scales to the available width. */
export function canvasOf(width, height, label) {
  return make("svg", {
    viewBox: `0 0 ${Math.round(width)} ${Math.round(height)}`,
    width: Math.round(width),
    height: Math.round(height),
    class: "chart-svg",
    role: "group",
    "aria-label": label,
  });
}
