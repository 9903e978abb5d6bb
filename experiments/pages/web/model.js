// A run as the page asks for it: who does what at a time, which messages are under way, which values are in whose hands.

import { summed } from "./unpack.js";

export const COMPUTE = 0;
export const WAIT = 3;
export const ENDED = -1;

/** The first place in [low, high) whose number is greater than a limit; numbers do not fall. */
export function after(numbers, limit, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

function firsts(counts) {
  const found = new Int32Array(counts.length + 1);
  for (let place = 0; place < counts.length; place += 1) found[place + 1] = found[place] + counts[place];
  return found;
}

export class Model {
  constructor(story, columns) {
    Object.assign(this, story);
    this.processors = columns["part.count"].length;
    this._readParts(columns);
    this._readMessages(columns);
    this._readPath(columns);
    this._readValues(columns);
    this._joinPorts();
    this.events = this._events();
  }

  _readParts(columns) {
    this.partFirst = firsts(columns["part.count"]);
    const ticks = columns["part.ticks"];
    const total = ticks.length;
    this.kind = columns["part.kind"];
    this.start = new Float64Array(total);
    this.end = new Float64Array(total);
    this.compute = new Int32Array(total).fill(-1);
    let computes = 0;
    for (let node = 0; node < this.processors; node += 1) {
      let now = 0;
      for (let part = this.partFirst[node]; part < this.partFirst[node + 1]; part += 1) {
        this.start[part] = now;
        now += ticks[part];
        this.end[part] = now;
        if (this.kind[part] === COMPUTE) this.compute[part] = computes++;
      }
    }
    this.computeKernel = columns["compute.kernel"];
    this.partProgram = columns["part.program"] ?? null; // where programs have other names than processors
  }

  _readMessages(columns) {
    const count = columns["message.count"];
    this.messageFirst = firsts(count);
    const total = columns["message.words"].length;
    this.words = columns["message.words"];
    this.channelOf = new Int32Array(total);
    for (let channel = 0; channel < count.length; channel += 1) {
      this.channelOf.fill(channel, this.messageFirst[channel], this.messageFirst[channel + 1]);
    }
    const plus = (numbers, steps) => Float64Array.from(numbers, (number, place) => number + steps[place]);
    this.sent = columns["message.sent"];
    this.depart = plus(this.sent, columns["message.depart"]);
    this.ready = Float64Array.from(columns["message.ready"], (step, place) => this.depart[place] - step);
    this.arrive = plus(this.depart, columns["message.arrive"]);
    this.left = plus(this.sent, columns["message.left"]);
    this.asked = plus(this.arrive, columns["message.asked"]);
    this.taken = Float64Array.from(columns["message.taken"], (step, place) =>
      step + Math.max(this.asked[place], this.arrive[place]));
    this.sentRank = columns["message.sent.rank"];
    this.takenRank = columns["message.taken.rank"];
    this._readLegs(columns);
  }

  /** When a message was on each link of a route, for channels that have one of several. */
  _readLegs(columns) {
    this.legFirst = new Int32Array(this.channels.length).fill(-1);
    if (!columns["leg.messages"]) return;
    this.legBegan = columns["leg.began"];
    this.legEnded = Float64Array.from(columns["leg.ended"], (step, place) => step + this.legBegan[place]);
    let first = 0;
    columns["leg.messages"].forEach((messages, channel) => {
      if (!messages) return;
      this.legFirst[channel] = first;
      first += messages * this.channels[channel][4].length;
    });
  }

  _readPath(columns) {
    this.pathKind = columns["path.kind"];
    this.pathEnd = summed(columns["path.ticks"]);
    this.pathStart = Float64Array.from(this.pathEnd, (end, place) => end - columns["path.ticks"][place]);
    this.pathFrom = columns["path.from"];
    this.pathTo = columns["path.to"];
  }

  _readValues(columns) {
    if (!this.watched) return;
    this.computeValue = columns["compute.value"];
    this.messageValue = columns["message.value"];
    this.computeLine = columns["compute.line"];
    this.sentLine = columns["message.sent.line"];
    this.takenLine = columns["message.taken.line"];
    this.valueShape = columns["value.shape"];
    this.numbers = columns["value.numbers"];
    this.parsed = this.shapes.map(parsedShape);
    this.valueFirst = new Int32Array(this.valueShape.length + 1);
    this.valueShape.forEach((shape, place) => {
      this.valueFirst[place + 1] = this.valueFirst[place] + sizeOf(this.parsed[shape]);
    });
  }

  /** The channels into and out of each processor. */
  _joinPorts() {
    this.into = this.nodes.map(() => []);
    this.outOf = this.nodes.map(() => []);
    this.residents = this.nodes.map(() => []);
    this.programs.forEach(([, home], program) => this.residents[home].push(program));
    this.channels.forEach(([from, , to], channel) => {
      this.outOf[this.home(from)].push(channel);
      this.into[this.home(to)].push(channel);
    });
  }

  /** Every tick at which something begins or ends. */
  _events() {
    const every = new Float64Array(this.end.length + 2 * this.depart.length + 1);
    every.set(this.end, 1);
    every.set(this.depart, this.end.length + 1);
    every.set(this.arrive, this.end.length + this.depart.length + 1);
    every.sort();
    let kept = 1;
    for (let place = 1; place < every.length; place += 1) {
      if (every[place] !== every[kept - 1]) every[kept++] = every[place];
    }
    return every.slice(0, kept);
  }

  home(program) {
    return this.programs[program][1];
  }

  /** A program's name, and its processor's if that does not tell. */
  nameOf(program) {
    const [name, home, away] = this.programs[program];
    return away ? `${name} on ${this.nodes[home].label}` : name;
  }

  us(ticks) {
    return (ticks * this.tick_ns) / 1000;
  }

  /** The part that a processor is in at a tick, or ENDED. What takes no time is never found. */
  partAt(node, tick) {
    const part = after(this.end, tick, this.partFirst[node], this.partFirst[node + 1]);
    return part < this.partFirst[node + 1] ? part : ENDED;
  }

  /** What a processor does at a tick: a number of `kinds`, or ENDED. */
  stateAt(node, tick) {
    const part = this.partAt(node, tick);
    return part === ENDED ? ENDED : this.kind[part];
  }

  kernelOf(part) {
    return this.compute[part] < 0 ? "" : this.kernels[this.computeKernel[this.compute[part]]][0];
  }

  /** The program that a part of a processor's time is of; -1 if of none, or of the only one there can be. */
  programOf(part) {
    return this.partProgram ? this.partProgram[part] : -1;
  }

  /** What ends a wait; "" if that is not known. The rules are those of experiments/studies/waits.py. */
  whyWaits(node, part) {
    const [start, end] = [this.start[part], this.end[part]];
    const found = this.shared[node] ? this._letsGoOn(node, end) : this._endsWait(node, start, end);
    if (found) return this._because(...found, start, end);
    return this.shared[node] ? "until a message comes that passes it, or a program of it can go on" : "";
  }

  /** Of a program's operations the one that departed or ended when its wait was over; else the one that ended last. */
  _endsWait(node, start, end) {
    let found = null;
    let best = -1;
    for (const [received, begun, ended] of [[true, this.asked, this.taken], [false, this.sent, this.left]]) {
      for (const channel of (received ? this.into : this.outOf)[node]) {
        const message = after(ended, start, this.messageFirst[channel], this.messageFirst[channel + 1]);
        if (message === this.messageFirst[channel + 1] || begun[message] > start) continue;
        const departs = (received || this.wired) && this.depart[message] === end;
        const rank = ended[message] + (departs || ended[message] === end ? 2 * this.ticks : 0);
        if (rank <= best) continue;
        best = rank;
        found = [channel, message, received];
      }
    }
    return found;
  }

  /** The message that lets a program of a shared processor go on. */
  _letsGoOn(node, end) {
    for (const [received, points] of [[true, [this.arrive, this.depart]], [false, [this.left, this.depart]]]) {
      for (const times of points) {
        for (const channel of (received ? this.into : this.outOf)[node]) {
          const message = after(times, end - 0.5, this.messageFirst[channel], this.messageFirst[channel + 1]);
          if (message < this.messageFirst[channel + 1] && times[message] === end) return [channel, message, received];
        }
      }
    }
    return null;
  }

  _because(channel, message, received, start, end) {
    const [from, outPort, to, inPort] = this.channels[channel];
    const what = received ? `${this.nameOf(from)} sends to port ${inPort}` : `it sends through port ${outPort}`;
    if (this.ready[message] <= start && this.depart[message] === end) return `until the wire is free for what ${what}`;
    return received ? `until ${what}` : `until ${this.nameOf(to)} takes what ${what}`;
  }

  /** Call back for each message on a wire, with the link that it is on and how far, and for those that wait there. */
  underWay(tick, linger, onWire, buffered) {
    for (let channel = 0; channel < this.channels.length; channel += 1) {
      const low = this.messageFirst[channel];
      const high = this.messageFirst[channel + 1];
      if (low === high) continue;
      for (let message = after(this.depart, tick, low, high) - 1; message >= low; message -= 1) {
        const seen = Math.max(this.arrive[message] - this.depart[message], linger);
        if (tick >= this.depart[message] + seen) break; // those before it have arrived as well
        const [link, share] = this._place(channel, message, tick, seen);
        if (link !== 0) onWire(message, channel, link, share);
      }
      const arrived = after(this.arrive, tick, low, high);
      const taken = after(this.taken, tick, low, high);
      if (taken < arrived) buffered(channel, arrived - taken, taken);
    }
  }

  /** On which link of its route a message is, and which share of it is behind. */
  _place(channel, message, tick, seen) {
    const route = this.channels[channel][4];
    if (!route.length) return [0, 0];
    const first = this.legFirst[channel];
    if (first < 0 || this.arrive[message] - this.depart[message] < seen) {
      const share = Math.min(0.999, (tick - this.depart[message]) / Math.max(seen, 1e-9)) * route.length;
      return [route[Math.floor(share)], share % 1];
    }
    const base = first + (message - this.messageFirst[channel]) * route.length;
    for (let leg = route.length - 1; leg >= 0; leg -= 1) {
      if (this.legBegan[base + leg] <= tick) {
        const lasts = Math.max(this.legEnded[base + leg] - this.legBegan[base + leg], 1e-9);
        return [route[leg], Math.min(1, (tick - this.legBegan[base + leg]) / lasts)];
      }
    }
    return [route[0], 0];
  }

  /** The last message that a processor took, or that departed from it, by a tick; -1 if none. */
  lastMessage(node, tick, received) {
    const [times, ranks] = received ? [this.taken, this.takenRank] : [this.depart, this.sentRank];
    let found = -1;
    for (const channel of received ? this.into[node] : this.outOf[node]) {
      const low = this.messageFirst[channel];
      const message = after(times, tick, low, this.messageFirst[channel + 1]) - 1;
      if (message < low) continue;
      const later = found < 0 || times[message] - times[found] || ranks[message] - ranks[found];
      if (later === true || later > 0) found = message;
    }
    return found;
  }

  /** The last part that ended by a tick in which a processor computed; -1 if none. */
  lastCompute(node, tick) {
    const low = this.partFirst[node];
    for (let part = after(this.end, tick, low, this.partFirst[node + 1]) - 1; part >= low; part -= 1) {
      if (this.kind[part] === COMPUTE) return part;
    }
    return -1;
  }

  /** What a processor holds at a tick: the last values received, computed and sent, with their program lines. */
  handsAt(node, tick) {
    const hands = {};
    for (const [name, received] of [["received", true], ["sent", false]]) {
      const message = this.lastMessage(node, tick, received);
      if (message < 0) continue;
      const [from, outPort, to, inPort] = this.channels[this.channelOf[message]];
      hands[name] = {
        message,
        tick: received ? this.taken[message] : this.depart[message],
        peer: this.nameOf(received ? from : to),
        program: received ? to : from,
        port: received ? inPort : outPort,
        words: this.words[message],
        value: this.watched ? this.format(this.messageValue[message]) : "",
        line: this.watched ? this.lines[(received ? this.takenLine : this.sentLine)[message]] : null,
      };
    }
    const part = this.lastCompute(node, tick);
    if (part >= 0) hands.computed = this.computedIn(part);
    return hands;
  }

  computedIn(part) {
    const compute = this.compute[part];
    const [kernel, about] = this.kernels[this.computeKernel[compute]];
    return {
      part,
      tick: this.end[part],
      kernel,
      about,
      program: this.programOf(part),
      value: this.watched ? this.format(this.computeValue[compute]) : "",
      line: this.watched ? this.lines[this.computeLine[compute]] : null,
    };
  }

  /** A value for people: six digits. */
  format(value) {
    const place = { at: this.valueFirst[value] };
    return shown(this.parsed[this.valueShape[value]], this.numbers, place, "");
  }

  /** Ticks that each link, from 1 on, was busy, and the words over it, both ways together. */
  linkLoads() {
    const busy = new Float64Array(this.links.length + 1);
    const words = new Float64Array(this.links.length + 1);
    for (let message = 0; message < this.words.length; message += 1) {
      const channel = this.channelOf[message];
      const route = this.channels[channel][4];
      const first = this.legFirst[channel];
      const base = first < 0 ? -1 : first + (message - this.messageFirst[channel]) * route.length;
      route.forEach((link, leg) => {
        const lasts = base < 0
          ? this.arrive[message] - this.depart[message] : this.legEnded[base + leg] - this.legBegan[base + leg];
        busy[Math.abs(link)] += lasts;
        words[Math.abs(link)] += this.words[message];
      });
    }
    return { busy, words };
  }

  /** Ticks that a processor spent on each kind. */
  spent(node) {
    const ticks = new Float64Array(this.kinds.length);
    for (let part = this.partFirst[node]; part < this.partFirst[node + 1]; part += 1) {
      ticks[this.kind[part]] += this.end[part] - this.start[part];
    }
    return ticks;
  }
}

/** A shape such as "", "3", "2x3" or "(3,2x3)" as nested sizes: null for a number. */
export function parsedShape(text) {
  let at = 0;
  function one() {
    if (text[at] === "(") {
      at += 1;
      const items = [];
      while (text[at] !== ")") {
        items.push(one());
        if (text[at] === ",") {
          at += 1;
          if (text[at] === ")") items.push(null);
        }
      }
      at += 1;
      return items;
    }
    const sizes = /^[\dx]*/.exec(text.slice(at))[0];
    at += sizes.length;
    return sizes === "" ? null : sizes.split("x").reverse()
      .reduce((inner, size) => Array.from({ length: Number(size) }, () => inner), null);
  }
  return one();
}

function sizeOf(shape) {
  return shape === null ? 1 : shape.reduce((sum, inner) => sum + sizeOf(inner), 0);
}

function shown(shape, numbers, place, indent) {
  if (shape === null) return digits(numbers[place.at++]);
  const inner = shape.map((each) => shown(each, numbers, place, `${indent} `));
  const flat = shape.every((each) => each === null);
  return `(${inner.join(flat ? ", " : `,\n${indent} `)})`;
}

export function digits(number) {
  if (Number.isNaN(number)) return "no number";
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return number.toExponential(5);
  return String(Number(number.toPrecision(6)));
}
