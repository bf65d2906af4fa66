// Marks with details on hover and keyboard focus: one stop for Tab, arrow keys between them.
import { fitted, make, text, widthOf, wrapped } from "./svg.js";

const PADDING = 9;
const LEADING = 16;
const GAP = 10;

/** A dot in the style of its kind: filled if scored here, strong if marked, hollow if reported. */
export function dot(point, x, y, radius = 4.5) {
  const kind = point.kind === "reported" ? "reported" : point.marked || point.best ? "marked" : "scored";
  return make("circle", {
    cx: x,
    cy: y,
    r: kind === "scored" ? radius - 0.7 : radius,
    class: `chart-dot chart-dot--${kind}`,
  });
}

/** A mark that links to a system's page. `hit` is the pointer target. */
export function linked(point, label, hit, ...children) {
  hit.setAttribute("class", "chart-hit");
  return make("a", { href: point.url, class: "chart-mark", "aria-label": label }, hit, ...children);
}

/** A mark without a link. */
export function plain(label, hit, ...children) {
  hit.setAttribute("class", "chart-hit");
  return make("g", { role: "img", class: "chart-mark", "aria-label": label }, hit, ...children);
}

function tipOf(title, lines, x, y, width) {
  const room = Math.min(300, width - 2 * PADDING - 8);
  const head = wrapped(title, room, 12.5, 600).map((line) => [line, { size: 12.5, weight: 600 }]);
  const shown = [...head, ...lines.map((line) => [fitted(line, room, 12), { size: 12 }])];
  const wide = Math.max(...shown.map(([line, style]) => widthOf(line, style.size, style.weight))) + 2 * PADDING;
  const high = shown.length * LEADING + PADDING + 3;
  const left = Math.max(2, Math.min(width - wide - 2, x - wide / 2));
  const top = y - high - GAP >= 0 ? y - high - GAP : y + GAP;
  return make(
    "g",
    { class: "chart-tip", transform: `translate(${Math.round(left)} ${Math.round(top)})`, "aria-hidden": "true" },
    make("rect", { width: wide, height: high, rx: 4 }),
    ...shown.map(([line, style], place) => text(line, PADDING, PADDING + 8 + place * LEADING, style)),
  );
}

/**
 * Make marks interactive. `marks` are { node, x, y, title, lines } in reading order; with `columns` they are in rows of
 * that many. Tab goes to the first mark, or later to the last one used.
 */
export function answer(svg, marks, width, columns = 1) {
  let tip = null;
  const hide = () => {
    tip?.remove();
    tip = null;
    svg.querySelector(".chart-mark--active")?.classList.remove("chart-mark--active");
  };
  const show = (mark) => {
    hide();
    mark.node.classList.add("chart-mark--active");
    tip = tipOf(mark.title, mark.lines, mark.x, mark.y, width);
    svg.append(tip);
  };
  const places = new Map(marks.map((mark, place) => [mark.node, place]));
  const markOf = (target) => {
    const node = target.closest?.(".chart-mark");
    return node && places.has(node) ? marks[places.get(node)] : null;
  };
  for (const [place, mark] of marks.entries()) mark.node.setAttribute("tabindex", place ? "-1" : "0");
  svg.addEventListener("pointerover", (event) => {
    const mark = markOf(event.target);
    if (mark) show(mark);
  });
  svg.addEventListener("pointerleave", () => {
    const focused = markOf(document.activeElement ?? svg);
    if (focused && svg.contains(focused.node)) show(focused);
    else hide();
  });
  svg.addEventListener("focusin", (event) => {
    const mark = markOf(event.target);
    if (!mark) return;
    svg.querySelector('.chart-mark[tabindex="0"]')?.setAttribute("tabindex", "-1");
    mark.node.setAttribute("tabindex", "0");
    show(mark);
  });
  svg.addEventListener("focusout", hide);
  svg.addEventListener("keydown", (event) => {
    const mark = markOf(event.target);
    if (!mark || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      hide();
      return;
    }
    const steps = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -columns,
      ArrowDown: columns,
      Home: -Infinity,
      End: Infinity,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const wanted = places.get(mark.node) + steps[event.key];
    const within = Number.isFinite(wanted) ? wanted : wanted < 0 ? 0 : marks.length - 1;
    marks[within]?.node.focus();
  });
}
