// Curves and points as SVG: few numbers, so that every one can be pointed at, and prints sharply.

import { element, table } from "./dom.js";
import { digits } from "./model.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [640, 400];
const [LEFT, RIGHT, TOP, BOTTOM] = [66, 16, 14, 46];
const MOST_MARKS = 30; // of a curve

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** An axis: from a number to a place, and which numbers stand at it. */
export function scale(numbers, low, high, logarithmic, whole = false) {
  let [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (logarithmic) {
    [least, most] = [least / 1.25, most * 1.25];
    const place = (number) => low + ((Math.log10(number) - Math.log10(least)) / Math.log10(most / least)) * (high - low);
    const marks = [];
    for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
      for (const factor of most / least > 3000 ? [1] : [1, 2, 5]) {
        const mark = factor * power;
        if (mark >= least && mark <= most) marks.push(mark);
      }
    }
    return { place, marks };
  }
  if (least > 0 && least < 0.6 * most && !whole) least = 0;
  if (least === most) [least, most] = [least - 1, most + 1];
  const wanted = (most - least) / 6;
  const power = 10 ** Math.floor(Math.log10(wanted));
  let step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= wanted);
  if (whole) step = Math.max(1, Math.round(step));
  if (!whole) [least, most] = [Math.floor(least / step) * step, Math.ceil(most / step) * step];
  const marks = [];
  for (let mark = Math.ceil(least / step) * step; mark <= most + 1e-9 * step; mark += step) marks.push(mark);
  return { place: (number) => low + ((number - least) / (most - least)) * (high - low), marks };
}

const ring = (sides, turn, sizes = [1.15]) => Array.from({ length: sides }, (_, k) => {
  const angle = turn + (2 * Math.PI * k) / sides;
  const size = sizes[k % sizes.length];
  return [size * Math.sin(angle), -size * Math.cos(angle)];
});
const PLUS = [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4],
  [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]];
const turned = PLUS.map(([x, y]) => [0.75 * (x - y), 0.75 * (x + y)]);
/** Markers as matplotlib names them; one that is not here is a disc, and "$A$" is the letter A. */
const MARKERS = {
  s: [[-1, -1], [1, -1], [1, 1], [-1, 1]], "^": ring(3, 0), v: ring(3, Math.PI), "<": ring(3, -Math.PI / 2), ">": ring(3, Math.PI / 2),
  D: ring(4, 0, [1.3]), d: [[0, -1.4], [0.8, 0], [0, 1.4], [-0.8, 0]], P: PLUS, "+": PLUS, X: turned, x: turned,
  "*": ring(10, 0, [1.4, 0.6]), h: ring(6, 0), p: ring(5, 0), "1": ring(6, Math.PI, [1.4, 0.3]), "2": ring(6, 0, [1.4, 0.3]),
  "|": [[-0.35, -1.3], [0.35, -1.3], [0.35, 1.3], [-0.35, 1.3]],
};

function shape(marker, x, y, size) {
  if (marker?.startsWith("$")) {
    return drawn("text", { x, y: y + 4, "text-anchor": "middle", class: "mark" }, marker.replaceAll("$", ""));
  }
  const points = MARKERS[marker];
  if (!points) return drawn("circle", { cx: x, cy: y, r: size });
  return drawn("polygon", { points: points.map(([dx, dy]) => `${(x + size * dx).toFixed(2)},${(y + size * dy).toFixed(2)}`).join(" ") });
}

/** A chart of several curves; each `{name, colour, marker, dash, shift, points: [[x, y, words]], marks, thin, loose}`. */
export function chart({ title, x: across, y: up, curves, line, remark }) {
  const points = curves.flatMap((curve) => curve.points);
  if (!points.length) return element("p", {}, `${title}: nothing to draw`);
  const xs = scale(points.map(([x]) => x), LEFT, WIDTH - RIGHT, across.log, across.whole);
  const level = line ? [line.at] : [];
  const ys = scale([...points.map(([, y]) => y), ...level], HEIGHT - BOTTOM, TOP, up.log, up.whole);
  const picture = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" });
  drawAxes(picture, xs, ys, across.label, up.label);
  const groups = curves.map((curve) => drawCurve(picture, curve, xs, ys));
  if (line) {
    const y = ys.place(line.at);
    picture.append(drawn("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "limit" }),
      drawn("text", { x: WIDTH - RIGHT - 4, y: y - 5, "text-anchor": "end" }, line.name));
  }
  return element("figure", { class: "chart" }, element("h3", {}, title), picture, legend(curves, groups),
    remark ? element("p", { class: "remark" }, remark) : "",
    element("details", {}, element("summary", {}, "the numbers"), table(["", across.label, up.label],
      curves.flatMap((curve) => curve.points.map(([x, y]) => [curve.name, Number(digits(x)), Number(digits(y))])))));
}

function drawAxes(picture, xs, ys, across, up) {
  const plain = (number) => (Math.abs(number) >= 1e5 ? number.toExponential(0) : String(Number(number.toPrecision(4))));
  for (const mark of xs.marks) {
    const x = xs.place(mark);
    picture.append(drawn("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }),
      drawn("text", { x, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, plain(mark)));
  }
  for (const mark of ys.marks) {
    const y = ys.place(mark);
    picture.append(drawn("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "grid" }),
      drawn("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, plain(mark)));
  }
  picture.append(drawn("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, across),
    drawn("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)` }, up));
}

function drawCurve(picture, curve, xs, ys) {
  const group = drawn("g", { stroke: curve.colour, fill: curve.colour });
  const places = curve.points.map(([x, y]) => [xs.place(x), ys.place(y)]);
  const corners = curve.stairs ? places.flatMap(([x, y], k) => (k ? [[x, places[k - 1][1]], [x, y]] : [[x, y]])) : places;
  const [first, every] = curve.marks ?? [0, Math.ceil(places.length / MOST_MARKS)];
  if (!curve.loose) {
    group.append(drawn("polyline", { points: corners.map((place) => place.join(",")).join(" "), fill: "none",
      "stroke-width": curve.thin ? 1.2 : 2, "stroke-dasharray": (curve.dash ?? []).join(" "), "stroke-dashoffset": -(curve.shift ?? 0) }));
  }
  if (!curve.thin) {
    places.forEach(([x, y], number) => {
      if (!curve.loose && number % every !== first) return;
      const mark = shape(curve.marker, x, y, 4.2);
      const [at, value, words] = curve.points[number];
      mark.append(drawn("title", {}, words ?? `${curve.name}: ${digits(value)} at ${digits(at)}`));
      group.append(mark);
    });
  }
  picture.append(group);
  return group;
}

/** Names of curves; a click hides and shows one. */
function legend(curves, groups) {
  return element("div", { class: "legend" }, ...curves.map((curve, number) => {
    const sample = drawn("svg", { width: 34, height: 12, viewBox: "0 0 34 12" });
    const small = drawn("g", { stroke: curve.colour, fill: curve.colour });
    if (!curve.loose) small.append(drawn("line", { x1: 0, x2: 34, y1: 6, y2: 6, "stroke-width": curve.thin ? 1.2 : 2, "stroke-dasharray": (curve.dash ?? []).join(" ") }));
    if (!curve.thin) small.append(shape(curve.marker, 17, 6, 4));
    sample.append(small);
    const button = element("button", { type: "button", class: "link", "aria-pressed": "true" }, sample, ` ${curve.name}`);
    button.addEventListener("click", () => {
      const hidden = groups[number].style.display === "none";
      groups[number].style.display = hidden ? "" : "none";
      button.setAttribute("aria-pressed", String(hidden));
    });
    return button;
  }));
}
