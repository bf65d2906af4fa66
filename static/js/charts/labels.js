// Labels beside their marks that never overlap.
import { widthOf } from "./svg.js";

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** A square around a point, to keep labels off it. */
export const around = (x, y, radius) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });

/** Boxes along a straight line, to keep labels off it. */
export function along(x1, y1, x2, y2, radius = 3) {
  const steps = Math.max(1, Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 6));
  return Array.from({ length: steps + 1 }, (_, step) =>
    around(x1 + ((x2 - x1) * step) / steps, y1 + ((y2 - y1) * step) / steps, radius),
  );
}

/**
 * Positions for labels: { text, x, y } in order of importance → those that found a position, with their baseline and
 * their anchor. `taken` grows by the boxes of the labels placed.
 */
export function placed(labels, taken, bounds, { size = 11.5, weight = 400, distance = 7 } = {}) {
  const found = [];
  for (const label of labels) {
    const width = widthOf(label.text, size, weight);
    const half = size * 0.36;
    const away = label.distance ?? distance;
    const candidates = [
      ["start", label.x + away, label.y + half],
      ["end", label.x - away, label.y + half],
      ["middle", label.x, label.y - away],
      ["middle", label.x, label.y + away + size * 0.75],
      ["start", label.x + away * 0.7, label.y - away * 0.6],
      ["start", label.x + away * 0.7, label.y + away * 0.6 + size * 0.75],
      ["end", label.x - away * 0.7, label.y - away * 0.6],
      ["end", label.x - away * 0.7, label.y + away * 0.6 + size * 0.75],
    ];
    for (const [anchor, x, y] of candidates) {
      const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
      const box = { left: left - 2, right: left + width + 2, top: y - size * 0.8, bottom: y + size * 0.25 };
      const inside =
        box.left >= bounds.left && box.right <= bounds.right && box.top >= bounds.top && box.bottom <= bounds.bottom;
      if (inside && !taken.some((other) => overlaps(box, other))) {
        taken.push(box);
        found.push({ ...label, anchor, at: { x, y } });
        break;
      }
    }
  }
  return found;
}

/** How far sideways each point must move so that none covers another: the nearest free position, left or right. */
export function dodged(points, radius) {
  const put = [];
  return points.map(({ x, y }) => {
    for (let step = 0; ; step += 1) {
      for (const side of step ? [1, -1] : [0]) {
        const moved = x + side * step * radius;
        if (!put.some((other) => Math.hypot(other.x - moved, other.y - y) < 2 * radius)) {
          put.push({ x: moved, y });
          return moved;
        }
      }
    }
  });
}
