// A chart as a standalone file: every style as an attribute, the font embedded, no external links.
import { make } from "./svg.js";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-opacity",
  "font-weight",
  "paint-order",
];
const DROPPED = ["class", "role", "tabindex", "aria-label", "aria-hidden", "href"];
const WIDTH = 760;
const PIXELS = 3;
const LARGEST = 16_000;
const FAMILY = "'Plex Sans', 'IBM Plex Sans', 'Helvetica Neue', Arial, sans-serif";

let typeface = null;

/** The site's font as data, loaded once. Without it the chart still names the font. */
function face() {
  typeface ??= (async () => {
    const address = document.querySelector('link[rel="preload"][as="font"][href*="sans"]')?.href;
    const response = address ? await fetch(address) : null;
    if (!response?.ok) return "";
    const bytes = new Uint8Array(await response.arrayBuffer());
    let letters = "";
    for (let start = 0; start < bytes.length; start += 8192)
      letters += String.fromCharCode(...bytes.subarray(start, start + 8192));
    const source = `url(data:font/woff2;base64,${btoa(letters)}) format("woff2")`;
    return `<style>@font-face{font-family:"Plex Sans";font-weight:100 700;src:${source}}</style>`;
  })().catch(() => "");
  return typeface;
}

/** Copies of a drawn tree with the computed style of each element, in the light theme, as for paper. */
function resolved(element) {
  const copy = make(element.tagName === "a" ? "g" : element.tagName);
  for (const { name, value } of element.attributes) if (!DROPPED.includes(name)) copy.setAttribute(name, value);
  if (!["g", "a", "svg"].includes(element.tagName)) {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" && value !== "normal") copy.setAttribute(name, value);
      else if (name === "fill" || name === "stroke") copy.setAttribute(name, "none");
    }
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
    else if (!child.classList.contains("chart-hit") && !child.classList.contains("chart-tip"))
      copy.append(resolved(child));
  }
  return copy;
}

/** The text of an SVG file of a chart, drawn again at page width, whatever the screen. */
export async function asSvg(draw, data, { title, description }) {
  const style = await face();
  const drawn = draw(data, WIDTH);
  const stage = document.createElement("div");
  stage.className = "chart__offscreen";
  stage.append(drawn);
  const root = document.documentElement;
  const theme = root.dataset.theme;
  document.body.append(stage);
  root.dataset.theme = "light";
  let copy = null;
  try {
    copy = resolved(drawn);
  } finally {
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    stage.remove();
  }
  const [width, height] = [Number(drawn.getAttribute("width")), Number(drawn.getAttribute("height"))];
  const margin = 12;
  copy.setAttribute("viewBox", `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`);
  copy.setAttribute("width", width + 2 * margin);
  copy.setAttribute("height", height + 2 * margin);
  copy.setAttribute("font-family", FAMILY);
  copy.prepend(
    make("title", {}, title),
    make("desc", {}, description),
    make("rect", { x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin, fill: "#ffffff" }),
  );
  // Inserted as text: the page's security policy would refuse a style element, even outside the page.
  const written = new XMLSerializer().serializeToString(copy).replace("</desc>", () => `</desc>${style}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written}\n`;
}

/** The same as a PNG file, at three times the resolution if the browser can. */
export async function asPng(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const times = Math.min(PIXELS, LARGEST / image.naturalHeight);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * times);
    canvas.height = Math.round(image.naturalHeight * times);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("could not render the chart"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Download a file. */
export function handOut(content, name, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
