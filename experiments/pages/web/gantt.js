// What every processor did when: a row a processor, on the same clock as the network.

import { ENDED, after } from "./model.js";
import { fitted, inkOn, palette, pointed, tip } from "./canvas.js";

const NAMES = 96; // names of processors
const HEAD = 54; // two lines of phases, and the axis
const RIGHT_ROOM = 22;
const TALLEST = 24;
const MOST_ARROWS = 1500;

export class GanttView {
  constructor(canvas, model, app) {
    this.canvas = canvas;
    this.model = model;
    this.app = app;
    this.from = 0;
    this.to = Math.max(model.ticks, 1);
    this.scroll = 0; // the first row that is shown
    this.tall = model.processors <= 64;
    this.base = document.createElement("canvas"); // all but the clock's line, painted when the view changes
    this.stale = true;
    pointed(canvas, (dx, dy) => this._pan(dx, dy), (x, y) => this._click(x, y));
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.whole());
    canvas.addEventListener("pointermove", (event) => this._hover(event));
    canvas.addEventListener("pointerleave", (event) => tip(event, null));
  }

  /** The height that its box should have, in pixels. */
  height() {
    return HEAD + 14 + Math.max(110, Math.min(560, 20 * this.model.processors));
  }

  /** Show all of the run. */
  whole() {
    this.show(0, Math.max(this.model.ticks, 1));
  }

  show(from, to) {
    const most = Math.max(this.model.ticks, 1);
    const span = Math.min(Math.max(to - from, Math.min(4, most)), most);
    this.from = Math.min(Math.max(0, from), most - span);
    this.to = this.from + span;
    this.stale = true;
    this.app.repaint();
  }

  /** Have the clock in view, as when a page is turned. */
  follow(tick) {
    const span = this.to - this.from;
    if (tick > this.to) this.show(tick - 0.05 * span, tick + 0.95 * span);
    if (tick < this.from) this.show(tick - 0.95 * span, tick + 0.05 * span);
  }

  /** Have a row in view. */
  seek(row) {
    if (row >= this.scroll && row + 1 <= this.scroll + this.visible + 0.01) return;
    this.scroll = row - this.visible / 2;
    this.stale = true;
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** Make rows tall enough to read, or so that all fit. */
  rows(tall) {
    this.tall = tall;
    this.scroll = 0;
    this.stale = true;
    this.app.repaint();
  }

  x(tick) {
    return NAMES + ((tick - this.from) / (this.to - this.from)) * (this.width - NAMES - RIGHT_ROOM);
  }

  tickAt(x) {
    return this.from + ((x - NAMES) / (this.width - NAMES - RIGHT_ROOM)) * (this.to - this.from);
  }

  y(row) {
    return HEAD + (row - this.scroll) * this.rowHeight;
  }

  rowAt(y) {
    const row = Math.floor((y - HEAD) / this.rowHeight + this.scroll);
    return y >= HEAD && row >= 0 && row < this.model.processors ? row : -1;
  }

  paint(tick) {
    const { context, width, height, scale } = fitted(this.canvas);
    if (this.width !== width || this.fullHeight !== height) this.stale = true;
    this.width = width;
    this.fullHeight = height;
    const room = height - HEAD - 6;
    this.rowHeight = this.tall ? Math.min(TALLEST, Math.max(12, room / this.model.processors)) : room / this.model.processors;
    this.rowHeight = Math.min(TALLEST, this.rowHeight);
    this.visible = Math.min(this.model.processors, room / this.rowHeight);
    this.scroll = Math.min(Math.max(0, this.scroll), Math.max(0, this.model.processors - Math.floor(room / this.rowHeight)));
    this.colours = palette(this.model.kinds);
    if (this.stale || this.theme !== this.colours.ground) this._paintBase(scale);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.base, 0, 0, width, height);
    this._drawSelected(context);
    this._drawClock(context, tick);
  }

  _paintBase(scale) {
    this.stale = false;
    this.theme = this.colours.ground;
    this.base.width = Math.round(this.width * scale);
    this.base.height = Math.round(this.fullHeight * scale);
    const context = this.base.getContext("2d");
    this._raster(context, scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this._drawOver(context);
  }

  /** All of it as lines and boxes, for a drawing. */
  draw(context) {
    const line = new Uint32Array(Math.max(1, Math.round(this.width - NAMES - RIGHT_ROOM)));
    const colours = [...this.colours.kinds, this.colours.ended];
    const last = Math.min(this.model.processors, Math.ceil(this.scroll + this.visible));
    for (let row = Math.floor(this.scroll); row < last; row += 1) {
      this._line(row, line, colours.map((_, number) => number));
      for (let from = 0, pixel = 1; pixel <= line.length; pixel += 1) {
        if (pixel < line.length && line[pixel] === line[from]) continue;
        context.fillStyle = colours[line[from]];
        context.fillRect(NAMES + from, this.y(row), pixel - from, this.rowHeight >= 8 ? this.rowHeight - 1.5 : this.rowHeight);
        from = pixel;
      }
    }
    this._drawOver(context);
  }

  _drawOver(context) {
    this._drawEdges(context);
    this._drawNames(context);
    this._drawAxis(context);
    if (this.app.shows.arrows) this._drawArrows(context);
    if (this.app.shows.path) this._drawPath(context);
  }

  /** Every pixel shows what took most of its time. */
  _raster(context, scale) {
    const { model } = this;
    const across = Math.max(1, Math.round((this.width - NAMES - RIGHT_ROOM) * scale));
    const down = Math.max(1, Math.round((this.fullHeight - HEAD - 6) * scale));
    const image = context.createImageData(across, down);
    const pixels = new Uint32Array(image.data.buffer);
    const colours = [...this.colours.kinds, this.colours.ended].map(packed);
    const line = new Uint32Array(across);
    let painted = -1;
    for (let y = 0; y < down; y += 1) {
      const place = y / scale / this.rowHeight + this.scroll;
      const row = Math.floor(place);
      if (row >= model.processors) break;
      if (row !== painted) {
        this._line(row, line, colours);
        painted = row;
      }
      const gap = this.rowHeight >= 8 && (place - row) * this.rowHeight > this.rowHeight - 1.5;
      if (!gap) pixels.set(line, y * across);
    }
    context.putImageData(image, Math.round(NAMES * scale), Math.round(HEAD * scale));
    this.skipped = this.rowHeight * scale < 1 ? Math.round(1 / (this.rowHeight * scale)) : 1;
  }

  _line(row, line, colours) {
    const { model } = this;
    const { kind, start, end } = model;
    const ended = colours.length - 1;
    const high = model.partFirst[row + 1];
    const step = (this.to - this.from) / line.length;
    const spent = new Float64Array(colours.length);
    let part = after(end, this.from, model.partFirst[row], high);
    for (let pixel = 0; pixel < line.length; pixel += 1) {
      const low = this.from + pixel * step;
      const top = low + step;
      if (part >= high) {
        line[pixel] = colours[ended];
        continue;
      }
      if (end[part] >= top) {
        line[pixel] = colours[kind[part]];
        continue;
      }
      spent.fill(0);
      let last = low;
      while (part < high && end[part] < top) {
        spent[kind[part]] += end[part] - Math.max(start[part], low);
        last = end[part];
        part += 1;
      }
      if (part < high) spent[kind[part]] += top - last;
      else spent[ended] += top - last;
      let most = 0;
      for (let each = 1; each <= ended; each += 1) if (spent[each] > spent[most]) most = each;
      line[pixel] = colours[most];
    }
  }

  /** Where parts are wide: their borders, and the names of kernels. */
  _drawEdges(context) {
    const { model } = this;
    if (this.rowHeight < 9) return;
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    const last = Math.min(model.processors, Math.ceil(this.scroll + this.visible) + 1);
    for (let row = Math.floor(this.scroll); row < last; row += 1) {
      const high = model.partFirst[row + 1];
      const first = after(model.end, this.from, model.partFirst[row], high);
      const until = after(model.start, this.to, first, high);
      if ((until - first) * 6 > this.width) continue;
      for (let part = first; part < until; part += 1) this._drawPart(context, part, row);
    }
  }

  _drawPart(context, part, row) {
    const { model } = this;
    const [left, right] = [this.x(Math.max(model.start[part], this.from)), this.x(Math.min(model.end[part], this.to))];
    if (right <= left) return;
    const [top, tall] = [this.y(row), this.rowHeight - 2];
    context.strokeStyle = this.colours.panel;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(left, top + tall);
    context.stroke();
    const text = model.kernelOf(part) || (model.kinds[model.kind[part]] === "wait" ? "" : model.kinds[model.kind[part]]);
    if (!text || right - left < 5.6 * text.length + 6) return;
    context.fillStyle = inkOn(this.colours.kinds[model.kind[part]]);
    context.fillText(text, left + 3, top + tall / 2 + 0.5);
  }

  _drawNames(context) {
    const { model } = this;
    context.font = `${Math.min(11, Math.max(9, this.rowHeight - 2))}px system-ui, sans-serif`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = this.colours.ink;
    let free = -Infinity;
    for (let row = Math.floor(this.scroll); row < model.processors; row += 1) {
      const y = this.y(row) + this.rowHeight / 2;
      if (y > this.fullHeight - 4) break;
      if (y < HEAD || y < free) continue;
      const name = model.nodes[row].label;
      context.fillText(name.length > 14 ? `${name.slice(0, 13)}…` : name, NAMES - 6, y, NAMES - 10);
      free = y + Math.max(10.5, this.rowHeight) - 0.5;
    }
  }

  /** Times above, and where the last processor ended each phase. */
  _drawAxis(context) {
    const { model, colours } = this;
    context.strokeStyle = colours.line;
    context.fillStyle = colours.ink;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "bottom";
    const unit = model.us(1);
    const wanted = ((this.to - this.from) * unit * 100) / Math.max(this.width - NAMES, 100);
    const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= wanted);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let us = Math.ceil((this.from * unit) / step) * step; us <= this.to * unit + 1e-9; us += step) {
      const x = this.x(us / unit);
      context.beginPath();
      context.moveTo(x, HEAD - 5);
      context.lineTo(x, HEAD);
      context.stroke();
      context.fillText(us.toFixed(decimals), x, HEAD - 6);
    }
    context.textAlign = "left";
    context.fillText("time (us)", 4, HEAD - 6);
    this._drawPhases(context);
  }

  _drawPhases(context) {
    const { colours } = this;
    const free = [NAMES, NAMES]; // up to where each of two lines is taken
    context.textAlign = "right";
    context.font = "11px system-ui, sans-serif";
    for (const [tick, names] of this._phaseEnds()) {
      const x = this.x(tick);
      const text = names.join(", ");
      const line = free.findIndex((taken) => x - context.measureText(text).width - 4 >= taken);
      const top = 2 + 13 * Math.max(line, 0);
      context.setLineDash([4, 3]);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, this.fullHeight - 6);
      context.stroke();
      context.setLineDash([]);
      if (line < 0) continue;
      context.fillStyle = colours.ink;
      context.fillText(text, x - 3, top + 12);
      free[line] = x + 2;
    }
  }

  /** The ticks in view at which phases end, in order, each with the names of those. */
  _phaseEnds() {
    const found = new Map();
    for (const [name, tick] of this.model.phases) {
      if (tick >= this.from && tick <= this.to) found.set(tick, [...(found.get(tick) ?? []), name]);
    }
    return [...found].sort(([one], [other]) => one - other);
  }

  _drawArrows(context) {
    const { model, colours } = this;
    const [low, high] = [this.scroll - 1, this.scroll + this.visible + 1];
    const seen = [];
    for (let message = 0; message < model.sent.length; message += 1) {
      if (model.taken[message] < this.from || model.sent[message] > this.to) continue;
      const [from, , to] = model.channels[model.channelOf[message]];
      const [one, other] = [model.home(from), model.home(to)];
      if (one === other || (one < low && other < low) || (one > high && other > high)) continue;
      seen.push(message);
      if (seen.length > MOST_ARROWS) break;
    }
    this.tooManyArrows = seen.length > MOST_ARROWS;
    if (this.tooManyArrows) return;
    context.save();
    context.beginPath();
    context.rect(NAMES, HEAD, this.width - NAMES, this.fullHeight - HEAD);
    context.clip();
    context.strokeStyle = context.fillStyle = colours.message;
    context.lineWidth = 1;
    context.globalAlpha = seen.length > 300 ? 0.45 : 0.9;
    for (const message of seen) this._drawArrow(context, message);
    context.restore();
  }

  _drawArrow(context, message) {
    const { model } = this;
    const [from, , to] = model.channels[model.channelOf[message]];
    const [x0, y0] = [this.x(model.depart[message]), this.y(model.home(from)) + this.rowHeight / 2];
    const [x1, y1] = [this.x(model.arrive[message]), this.y(model.home(to)) + this.rowHeight / 2];
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    const angle = Math.atan2(y1 - y0, x1 - x0);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 6 * Math.cos(angle - 0.4), y1 - 6 * Math.sin(angle - 0.4));
    context.lineTo(x1 - 6 * Math.cos(angle + 0.4), y1 - 6 * Math.sin(angle + 0.4));
    context.fill();
  }

  _drawPath(context) {
    const { model, colours } = this;
    context.save();
    context.beginPath();
    context.rect(NAMES, HEAD, this.width - NAMES, this.fullHeight - HEAD);
    context.clip();
    for (const [colour, width] of [[colours.panel, 4], [colours.path, 1.8]]) {
      context.beginPath();
      let pen = false;
      for (let step = 0; step < model.pathEnd.length; step += 1) {
        if (model.pathEnd[step] < this.from || model.pathStart[step] > this.to) continue;
        for (const [tick, node] of [[model.pathStart[step], model.pathFrom[step]], [model.pathEnd[step], model.pathTo[step]]]) {
          if (node >= model.processors) continue;
          context[pen ? "lineTo" : "moveTo"](this.x(tick), this.y(node) + this.rowHeight / 2);
          pen = true;
        }
      }
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
    context.restore();
  }

  _drawSelected(context) {
    if (this.app.selected < 0) return;
    const y = this.y(this.app.selected);
    if (y < HEAD - this.rowHeight || y > this.fullHeight) return;
    context.strokeStyle = this.colours.accent;
    context.lineWidth = 2;
    context.strokeRect(2, Math.max(HEAD, y - 0.5), this.width - 8, Math.max(3, this.rowHeight));
  }

  _drawClock(context, tick) {
    if (tick < this.from || tick > this.to) return;
    const x = this.x(tick);
    context.strokeStyle = context.fillStyle = this.colours.accent;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, HEAD - 4);
    context.lineTo(x, this.fullHeight - 6);
    context.stroke();
    context.beginPath();
    context.moveTo(x - 6, HEAD - 12);
    context.lineTo(x + 6, HEAD - 12);
    context.lineTo(x, HEAD - 2);
    context.fill();
  }

  /** What is not shown one by one, in a sentence; "" if all is. */
  aggregated() {
    const told = [];
    const perPixel = (this.to - this.from) / Math.max(1, this.width - NAMES - RIGHT_ROOM);
    if (this.rowHeight < 9) told.push("rows are thin");
    if (this.skipped > 1) told.push(`only one of ${this.skipped} rows is drawn: taller rows show all`);
    if (perPixel > 1) told.push(`a pixel is ${perPixel.toPrecision(2)} ticks, and shows what took most of them`);
    if (this.tooManyArrows && this.app.shows.arrows) told.push(`arrows are drawn when fewer than ${MOST_ARROWS} are in view: zoom in`);
    return told.join("; ");
  }

  _hover(event) {
    const { model } = this;
    const row = this.rowAt(event.offsetY);
    const tick = this.tickAt(event.offsetX);
    if (row < 0 || event.offsetX < NAMES || tick < 0 || tick > model.ticks) {
      tip(event, null);
      return;
    }
    const part = model.partAt(row, tick);
    const lines = [model.nodes[row].label];
    lines.push(this.app.doing(row, part));
    if (part !== ENDED) {
      lines.push(`ticks ${model.start[part]} to ${model.end[part]} (${model.us(model.end[part] - model.start[part]).toPrecision(4)} us)`);
    }
    tip(event, lines);
  }

  _click(x, y) {
    const row = this.rowAt(y);
    if (row >= 0) this.app.select(row);
    if (x >= NAMES) this.app.goTo(Math.round(this.tickAt(x)));
  }

  _pan(dx, dy) {
    const step = (-dx / (this.width - NAMES - RIGHT_ROOM)) * (this.to - this.from);
    this.scroll -= dy / this.rowHeight;
    this.show(this.from + step, this.to + step);
  }

  _wheel(event) {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.canvas) return; // the page scrolls
    event.preventDefault();
    if (event.shiftKey) {
      this.scroll += event.deltaY / 30;
      this.stale = true;
      this.app.repaint();
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const step = (event.deltaX / this.width) * (this.to - this.from);
      this.show(this.from + step, this.to + step);
    } else this.zoom(Math.exp(event.deltaY / 400), this.tickAt(Math.max(event.offsetX, NAMES)));
  }
}

/** A colour #rrggbb as a pixel of an image. */
function packed(colour) {
  const part = (at) => parseInt(colour.slice(at, at + 2), 16);
  return (255 << 24) | (part(5) << 16) | (part(3) << 8) | part(1);
}
