// The network: processors coloured by what they do, messages that move along links, heat maps, the critical path.

import { ENDED } from "./model.js";
import { KIND_WORDS, between, fitted, inkOn, palette, pointed, tip } from "./canvas.js";

const MARGIN = 40;
const FARTHEST = 110; // pixels between neighbours in a small network
const LARGEST = 32; // half the side of a processor
const LETTERS = 6; // pixels; smaller ones are left out

export class NetworkView {
  constructor(canvas, model, app) {
    this.canvas = canvas;
    this.model = model;
    this.app = app;
    this.scaled = 1;
    this.shift = [0, 0];
    this.dots = [];
    this.linger = lingering(model);
    this.loads = model.linkLoads();
    this.shares = model.nodes.map((_, node) => (node < model.processors && model.ticks
      ? model.spent(node)[0] / model.ticks : 0));
    this.busiest = this.shares.reduce((one, other) => Math.max(one, other), 0) || 1;
    pointed(canvas, (dx, dy) => this._pan(dx, dy), (x, y) => this._click(x, y));
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.whole());
    canvas.addEventListener("pointermove", (event) => this._hover(event));
    canvas.addEventListener("pointerleave", (event) => tip(event, null));
    this._box();
    this._lengths();
  }

  _box() {
    const points = [...this.model.nodes, ...this.model.nodes.map((node) => node.again).filter(Boolean),
      ...this.model.hubs, ...this.model.titles, ...this.model.links.flat().map(([x, y]) => ({ x, y }))];
    const xs = points.map((point) => point.x);
    const ys = points.map((point) => point.y);
    const least = (numbers) => numbers.reduce((one, other) => Math.min(one, other), Infinity);
    const most = (numbers) => numbers.reduce((one, other) => Math.max(one, other), -Infinity);
    this.box = [least(xs), least(ys), most(xs), most(ys)];
  }

  /** How long each link is up to each of its points. */
  _lengths() {
    this.lengths = this.model.links.map((points) => {
      let sum = 0;
      return points.map(([x, y], place) => {
        if (place) sum += Math.hypot(x - points[place - 1][0], y - points[place - 1][1]);
        return sum;
      });
    });
  }

  _fit(width, height) {
    const [left, top, right, bottom] = this.box;
    const fit = Math.min((width - 2 * MARGIN) / Math.max(right - left, 1e-9),
      (height - 2 * MARGIN) / Math.max(bottom - top, 1e-9), FARTHEST / Math.max(this.model.nearest, 1e-9));
    this.scale = fit * this.scaled;
    this.origin = [width / 2 - (this.scale * (left + right)) / 2 + this.shift[0],
      height / 2 - (this.scale * (top + bottom)) / 2 + this.shift[1]];
    this.radius = Math.min(LARGEST, 0.3 * this.scale * this.model.nearest);
  }

  at(point) {
    return [this.origin[0] + this.scale * point.x, this.origin[1] + this.scale * point.y];
  }

  /** The point on a link, negative against its way, after a share of its length. */
  along(link, share) {
    const number = Math.abs(link) - 1;
    const points = this.model.links[number];
    const lengths = this.lengths[number];
    const want = (link > 0 ? share : 1 - share) * lengths[lengths.length - 1];
    let place = 1;
    while (place < points.length - 1 && lengths[place] < want) place += 1;
    const step = lengths[place] - lengths[place - 1];
    const part = step > 0 ? (want - lengths[place - 1]) / step : 0;
    const [x0, y0] = points[place - 1];
    const [x1, y1] = points[place];
    return this.at({ x: x0 + part * (x1 - x0), y: y0 + part * (y1 - y0) });
  }

  paint(tick) {
    const { context, width, height } = fitted(this.canvas);
    this.draw(context, width, height, tick);
  }

  draw(context, width, height, tick) {
    this._fit(width, height);
    this.colours = palette(this.model.kinds);
    context.clearRect(0, 0, width, height);
    this._drawLinks(context);
    if (this.app.shows.path) this._drawPath(context, tick);
    this._drawTitles(context);
    this._drawNodes(context, tick);
    if (this.app.heat === "state") this._drawMessages(context, tick);
  }

  _drawLinks(context) {
    const { model, colours, app } = this;
    const loads = app.heat === "words" ? this.loads.words : this.loads.busy;
    const most = loads.reduce((one, other) => Math.max(one, other), 0) || 1;
    model.links.forEach((points, number) => {
      context.beginPath();
      points.forEach(([x, y], place) => context[place ? "lineTo" : "moveTo"](...this.at({ x, y })));
      const share = loads[number + 1] / most;
      const heated = app.heat !== "state" && loads[number + 1] > 0;
      context.strokeStyle = heated ? between(colours.low, colours.high, share) : colours.line;
      context.lineWidth = heated ? 1 + 5 * share : 1.2;
      context.stroke();
    });
    model.hubs.forEach((hub) => this._drawHub(context, hub));
  }

  /** The names of the parts that it is put together of. */
  _drawTitles(context) {
    context.fillStyle = this.colours.ink;
    context.font = "13px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const title of this.model.titles) context.fillText(title.label, ...this.at(title));
  }

  _drawHub(context, hub) {
    const [x, y] = this.at(hub);
    const half = this.model.bar ? (this.scale * (this.box[2] - this.box[0])) / 2 + 14 : 22;
    context.fillStyle = this.colours.line;
    context.fillRect(x - half, y - 7, 2 * half, 14);
    context.fillStyle = this.colours.ink;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(hub.label, x, y);
  }

  _fillOf(node, tick) {
    const { model, colours, app } = this;
    if (node >= model.processors) return colours.faint;
    if (app.heat !== "state") {
      return between(colours.low, colours.high, this.shares[node] / this.busiest);
    }
    const state = model.stateAt(node, tick);
    return state === ENDED ? colours.ended : colours.kinds[state];
  }

  _drawNodes(context, tick) {
    const { model, colours, radius } = this;
    model.nodes.forEach((node, number) => {
      const [x, y] = this.at(node);
      const fill = this._fillOf(number, tick);
      const side = node.switch ? 0.7 * radius : radius;
      const selected = number === this.app.selected;
      context.fillStyle = fill;
      context.strokeStyle = selected ? colours.accent : colours.ink;
      context.lineWidth = selected ? 3 : radius > 6 ? 1 : 0.4;
      context.beginPath();
      context.rect(x - side, y - side, 2 * side, 2 * side);
      context.fill();
      context.stroke();
      if (node.again) {
        context.beginPath();
        context.arc(...this.at(node.again), 0.5 * radius, 0, 7);
        context.fillStyle = colours.panel;
        context.fill();
        context.stroke();
        const name = node.short ?? node.label;
        context.fillStyle = colours.ink;
        context.textAlign = "center";
        context.textBaseline = "middle";
        this._letters(context, name, (1.4 * radius) / Math.max(name.length, 2), 1, ...this.at(node.again));
      }
      if (node.dead) this._cross(context, x, y, side);
      if (radius >= 11) this._name(context, node, number, fill, x, y, tick);
    });
  }

  _cross(context, x, y, side) {
    context.beginPath();
    context.moveTo(x - side, y - side);
    context.lineTo(x + side, y + side);
    context.moveTo(x + side, y - side);
    context.lineTo(x - side, y + side);
    context.stroke();
  }

  _name(context, node, number, fill, x, y, tick) {
    const { model, radius } = this;
    context.fillStyle = inkOn(fill);
    context.textAlign = "center";
    context.textBaseline = "middle";
    this._letters(context, node.short ?? node.label, 13, 3, x, y - (radius >= 16 ? 5 : 0));
    if (radius < 16 || number >= model.processors) return;
    let text = "";
    if (this.app.heat === "state") {
      const part = model.partAt(number, tick);
      text = part === ENDED ? (model.residents[number].length ? "ended" : "unused") : model.kernelOf(part) || KIND_WORDS[model.kinds[model.kind[part]]];
      if (text.length > 9) text = `${text.slice(0, 8)}…`;
    } else text = `${Math.round(100 * this.shares[number])} %`;
    if (!model.own && model.residents[number].length > 1) text = `${text} ·${model.residents[number].length}`;
    this._letters(context, text, 10, 5, x, y + 7);
  }

  /** A text as large as its processor has room for. */
  _letters(context, text, most, fewest, x, y) {
    const size = Math.min(most, (3 * this.radius) / Math.max(text.length, fewest));
    if (size < LETTERS) return;
    context.font = `${size}px system-ui, sans-serif`;
    context.fillText(text, x, y);
  }

  /** A share of a link's way between the processors at its ends. */
  _clear(link, share) {
    const lengths = this.lengths[Math.abs(link) - 1];
    const margin = Math.min(0.4, (this.radius + 5) / Math.max(this.scale * lengths[lengths.length - 1], 1e-9));
    return margin + (1 - 2 * margin) * share;
  }

  /** Dots for messages on wires, and rings for those that have arrived and are not yet taken. */
  _drawMessages(context, tick) {
    const { model, colours } = this;
    const size = Math.max(2.5, Math.min(6, 0.28 * this.radius));
    this.dots = [];
    const draw = (x, y, filled) => {
      context.beginPath();
      context.arc(x, y, size, 0, 7);
      context.fillStyle = filled ? colours.message : colours.panel;
      context.fill();
      context.strokeStyle = filled ? colours.panel : colours.message;
      context.lineWidth = filled ? 1 : 1.6;
      context.stroke();
    };
    model.underWay(tick, this.linger, (message, channel, link, share) => {
      const [x, y] = this.along(link, this._clear(link, share));
      draw(x, y, true);
      this.dots.push([x, y, message, 1]);
    }, (channel, count, first) => {
      const route = model.channels[channel][4];
      if (!route.length) return;
      const [x, y] = this.along(route[route.length - 1], this._clear(route[route.length - 1], 1));
      draw(x, y, false);
      this.dots.push([x, y, first, count]);
    });
  }

  /** The way that the critical path has taken so far: the more often, the wider; where it is now. */
  _drawPath(context, tick) {
    const { model, colours } = this;
    const crossed = new Map();
    let here = -1;
    for (let step = 0; step < model.pathEnd.length && model.pathStart[step] <= tick; step += 1) {
      const [from, to] = [model.pathFrom[step], model.pathTo[step]];
      here = model.pathEnd[step] > tick ? from : to;
      if (from !== to) crossed.set(`${from} ${to}`, (crossed.get(`${from} ${to}`) ?? 0) + 1);
    }
    context.strokeStyle = colours.path;
    context.fillStyle = colours.path;
    for (const [ends, times] of crossed) {
      context.lineWidth = Math.min(7, 2 + Math.log2(times));
      context.beginPath();
      this._way(ends).forEach((point, place) => context[place ? "lineTo" : "moveTo"](...this.at(point)));
      context.stroke();
    }
    if (here >= 0) {
      const [x, y] = this.at(model.nodes[here]);
      const side = this.radius + 5;
      context.lineWidth = 3;
      context.strokeRect(x - side, y - side, 2 * side, 2 * side);
    }
  }

  /** The points that a message passes from one processor to another: along links, or straight if none is known. */
  _way(ends) {
    const { model } = this;
    if (!this.routes) {
      this.routes = new Map();
      for (const [from, , to, , route] of model.channels) {
        const key = `${model.home(from)} ${model.home(to)}`;
        if (route.length && !this.routes.has(key)) this.routes.set(key, route);
      }
    }
    const route = this.routes.get(ends);
    if (!route) return ends.split(" ").map((node) => model.nodes[Number(node)]);
    return route.flatMap((link) => {
      const points = model.links[Math.abs(link) - 1].map(([x, y]) => ({ x, y }));
      return link > 0 ? points : points.reverse();
    });
  }

  nodeAt(x, y) {
    const reach = Math.max(this.radius, 5) + 2;
    return this.model.nodes.findIndex((node) => [node, node.again].some((point) => {
      const [nx, ny] = point ? this.at(point) : [NaN, NaN];
      return Math.abs(nx - x) <= reach && Math.abs(ny - y) <= reach;
    }));
  }

  _hover(event) {
    const { model } = this;
    const [x, y] = [event.offsetX, event.offsetY];
    const dot = this.app.heat === "state"
      ? this.dots.find(([dx, dy]) => Math.hypot(dx - x, dy - y) < 8) : undefined;
    if (dot) {
      tip(event, this._toldOfMessage(dot[2], dot[3]));
      return;
    }
    const node = this.nodeAt(x, y);
    tip(event, node < 0 ? null : this.app.toldOfNode(node));
    this.canvas.style.cursor = node < 0 || node >= model.processors ? "default" : "pointer";
  }

  _toldOfMessage(message, count) {
    const { model } = this;
    const [from, outPort, to, inPort] = model.channels[model.channelOf[message]];
    const lines = [`${model.nameOf(from)} ${outPort} → ${inPort} ${model.nameOf(to)}`];
    lines.push(`${model.words[message]} word${model.words[message] === 1 ? "" : "s"}, on the wire from tick ${
      model.depart[message]} to ${model.arrive[message]}, taken at ${model.taken[message]}`);
    if (model.watched) lines.push(model.format(model.messageValue[message]));
    if (count > 1) lines.push(`and ${count - 1} more behind it`);
    return lines;
  }

  _click(x, y) {
    const node = this.nodeAt(x, y);
    if (node >= 0 && node < this.model.processors) this.app.select(node);
  }

  _pan(dx, dy) {
    this.shift = [this.shift[0] + dx, this.shift[1] + dy];
    this.app.repaint();
  }

  whole() {
    this.scaled = 1;
    this.shift = [0, 0];
    this.app.repaint();
  }

  /** Show so many times as much; the chosen processor stays where it is. */
  zoom(factor) {
    const { canvas, model } = this;
    const [x, y] = this.at(model.nodes[Math.max(this.app.selected, 0)]);
    this._grow(1 / factor, x - canvas.clientWidth / 2, y - canvas.clientHeight / 2);
  }

  _wheel(event) {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.canvas) return; // the page scrolls
    event.preventDefault();
    this._grow(Math.exp(-event.deltaY / 400), event.offsetX - this.canvas.clientWidth / 2, event.offsetY - this.canvas.clientHeight / 2);
  }

  /** Draw larger; a place, counted from the middle, stays where it is. */
  _grow(times, cx, cy) {
    const before = this.scaled;
    this.scaled = Math.min(12, Math.max(1, this.scaled * times));
    const grown = this.scaled / before;
    this.shift = this.scaled === 1 ? [0, 0] : [cx - grown * (cx - this.shift[0]), cy - grown * (cy - this.shift[1])];
    this.app.repaint();
  }
}

/** For how many ticks a message is seen that takes no time: about as long as a step of the programs. */
export function lingering(model) {
  let wires = 0;
  for (let message = 0; message < model.depart.length && !wires; message += 1) {
    wires = model.arrive[message] - model.depart[message];
  }
  if (wires) return 0;
  const lengths = [];
  const every = Math.max(1, Math.floor(model.end.length / 2000));
  for (let part = 0; part < model.end.length; part += every) {
    if (model.compute[part] >= 0 && model.end[part] > model.start[part]) lengths.push(model.end[part] - model.start[part]);
  }
  lengths.sort((one, other) => one - other);
  return lengths.length ? lengths[lengths.length >> 1] : 1;
}
