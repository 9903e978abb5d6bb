// A robot that moves: its joints and links in three dimensions, turned by dragging.

import { fitted, palette, pointed } from "./canvas.js";
import { element } from "./dom.js";

/** `{times, frames: [[[x, y, z], ..]], bones: [[i, j], ..], names}`, lengths in metres and times in seconds. */
export function makeSkeleton(motion) {
  const canvas = element("canvas", { class: "skeleton", role: "img", tabindex: "0", "aria-label": "The robot as it moves; drag, or the arrow keys, turn it" });
  const slider = element("input", { type: "range", min: 0, max: motion.times.length - 1, step: 1, value: 0, class: "scrub", "aria-label": "Time of the motion" });
  const clock = element("output", { class: "clock" });
  const play = element("button", { type: "button", class: "play" }, "▶ Play");
  const box = bounds(motion.frames);
  const view = { ...seenFrom(box), frame: 0, playing: false };

  function place([x, y, z]) {
    const [cx, cy, cz] = box.middle;
    const [dx, dy, dz] = [x - cx, y - cy, z - cz];
    const across = dx * Math.cos(view.turn) - dy * Math.sin(view.turn);
    const deep = dx * Math.sin(view.turn) + dy * Math.cos(view.turn);
    const up = dz * Math.cos(view.tilt) - deep * Math.sin(view.tilt);
    return [across, up];
  }

  function paint() {
    const { context, width, height } = fitted(canvas);
    const colours = palette([]);
    const size = Math.min(width, height) / (2.3 * box.radius);
    const at = (point) => {
      const [x, y] = place(point);
      return [width / 2 + size * x, height / 2 - size * y];
    };
    context.clearRect(0, 0, width, height);
    drawGround(context, at, colours);
    drawTrail(context, at, colours);
    const frame = motion.frames[Math.floor(view.frame)];
    context.lineCap = "round";
    for (const [from, to] of motion.bones) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 5;
      line(context, at(frame[from]), at(frame[to]));
    }
    frame.forEach((point) => {
      context.beginPath();
      context.arc(...at(point), 4.5, 0, 7);
      context.fillStyle = colours.accent;
      context.fill();
    });
    slider.value = view.frame;
    clock.textContent = `${motion.times[Math.floor(view.frame)].toFixed(3)} s of ${motion.times.at(-1).toFixed(3)} s`;
  }

  function drawGround(context, at, colours) {
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    const [cx, cy] = box.middle;
    const step = box.radius / 2;
    for (let k = -2; k <= 2; k += 1) {
      line(context, at([cx + k * step, cy - 2 * step, box.floor]), at([cx + k * step, cy + 2 * step, box.floor]));
      line(context, at([cx - 2 * step, cy + k * step, box.floor]), at([cx + 2 * step, cy + k * step, box.floor]));
    }
  }

  /** The way of the last point so far. */
  function drawTrail(context, at, colours) {
    context.strokeStyle = colours.message;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let k = 0; k <= view.frame; k += 1) {
      context[k ? "lineTo" : "moveTo"](...at(motion.frames[k].at(-1)));
    }
    context.stroke();
  }

  function go(frame) {
    view.frame = Math.min(Math.max(0, frame), motion.frames.length - 1);
    paint();
  }

  let last = 0;
  function step(now) {
    if (!view.playing) return;
    const seconds = motion.times.at(-1) - motion.times[0];
    const lasts = Math.min(Math.max(seconds, 3), 15); // as it happens, if that is neither too quick nor too slow to see
    go(view.frame + ((now - last) / 1000 / lasts) * (motion.frames.length - 1));
    last = now;
    if (view.frame >= motion.frames.length - 1) toggle();
    else requestAnimationFrame(step);
  }

  function toggle() {
    if (!view.playing && view.frame >= motion.frames.length - 1) view.frame = 0;
    view.playing = !view.playing;
    play.textContent = view.playing ? "⏸ Pause" : "▶ Play";
    last = performance.now();
    if (view.playing) requestAnimationFrame(step);
  }

  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => go(Number(slider.value)));
  function turn(dx, dy) {
    view.turn += dx / 120;
    view.tilt = Math.min(1.571, Math.max(-1.571, view.tilt + dy / 120));
    paint();
  }
  pointed(canvas, turn, () => {});
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    turn(...way);
  });
  new ResizeObserver(paint).observe(canvas);
  const made = element("section", { class: "motion" }, element("h2", {}, "The motion"),
    element("p", { class: "remark" }, "Joints and links, in metres; the line is the way of the last point. Drag to turn the robot, or click it and use the arrow keys."),
    element("div", { class: "controls" }, play, slider, clock), canvas);
  return { made, go, paint };
}

function line(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function bounds(frames) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const frame of frames) {
    for (const point of frame) {
      point.forEach((number, axis) => {
        low[axis] = Math.min(low[axis], number);
        high[axis] = Math.max(high[axis], number);
      });
    }
  }
  const middle = low.map((number, axis) => (number + high[axis]) / 2);
  const radius = Math.max(1e-6, Math.hypot(...low.map((number, axis) => high[axis] - number)) / 2);
  return { middle, radius, floor: low[2], sizes: low.map((number, axis) => high[axis] - number) };
}

/** What moves in a plane is seen from before it; all else from the side and a little from above. */
function seenFrom({ sizes }) {
  const least = Math.min(...sizes);
  if (least > 0.05 * Math.max(...sizes)) return { turn: -0.9, tilt: 0.35 };
  const axis = sizes.indexOf(least);
  return [{ turn: Math.PI / 2, tilt: 0 }, { turn: 0, tilt: 0 }, { turn: 0, tilt: -Math.PI / 2 }][axis];
}
