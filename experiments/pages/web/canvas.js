// What the two pictures share: a canvas of the right size, colours of the theme, and a tooltip.

export const KIND_WORDS = {
  compute: "computes", send: "sends", receive: "receives", wait: "waits", switch: "changes programs",
  copy: "copies a message", forward: "forwards a message",
};

/** Make a canvas as large as its box, in the pixels of the screen; its context counts in those of the page. */
export function fitted(canvas) {
  const box = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale));
  const height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width: box.width, height: box.height, scale };
}

/** The colours of the page's theme, read from its style sheet. */
export function palette(kinds) {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    kinds: kinds.map((kind) => read(`kind-${kind}`)),
    ended: read("ended"), ground: read("ground"), panel: read("panel"), ink: read("ink"), faint: read("faint"),
    line: read("line"), path: read("path"), accent: read("accent"), message: read("message"),
    low: read("heat-low"), high: read("heat-high"),
  };
}

/** A colour between two of the form #rrggbb. */
export function between(low, high, share) {
  const part = (text, place) => parseInt(text.slice(1 + 2 * place, 3 + 2 * place), 16);
  const mixed = [0, 1, 2].map((place) => Math.round(part(low, place) + share * (part(high, place) - part(low, place))));
  return `rgb(${mixed.join(", ")})`;
}

/** Black or white, whichever can be read on a colour. */
export function inkOn(colour) {
  const found = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g).map(Number);
  return 0.299 * found[0] + 0.587 * found[1] + 0.114 * found[2] > 140 ? "#111111" : "#ffffff";
}

/** Show lines of text beside the pointer, or nothing. */
export function tip(event, lines) {
  const box = document.getElementById("tip");
  if (!lines || !lines.length) {
    box.hidden = true;
    return;
  }
  box.textContent = lines.join("\n");
  box.hidden = false;
  const right = event.clientX + 14 + box.offsetWidth > window.innerWidth;
  box.style.left = `${Math.max(4, right ? event.clientX - 14 - box.offsetWidth : event.clientX + 14)}px`;
  box.style.top = `${Math.min(event.clientY + 14, window.innerHeight - box.offsetHeight - 4)}px`;
}

/** Tell a click from a drag: `moved` gets steps of a drag, `clicked` a click; both where the pointer is. */
export function pointed(canvas, moved, clicked) {
  let from = null;
  let dragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    from = [event.clientX, event.clientY];
    dragged = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return;
    const step = [event.clientX - from[0], event.clientY - from[1]];
    if (!dragged && Math.hypot(...step) < 4) return;
    dragged = true;
    from = [event.clientX, event.clientY];
    moved(...step);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from && !dragged) clicked(event.offsetX, event.offsetY);
    from = null;
  });
  canvas.addEventListener("pointercancel", () => { from = null; });
}
