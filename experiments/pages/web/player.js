// The clock of a run and all that follows it: the two pictures, what is in a processor's hands, the buttons and keys.

import { ENDED, Model, WAIT, after } from "./model.js";
import { unpack } from "./unpack.js";
import { KIND_WORDS, palette } from "./canvas.js";
import { NetworkView } from "./network.js";
import { GanttView } from "./gantt.js";
import { download, element, table } from "./dom.js";
import { asChrome, asCsv, asSvg } from "./exports.js";

const SLIDES = ["Home", "End", "ArrowUp", "ArrowDown"]; // keys that a slider takes itself
const LASTS = 24; // seconds that a run takes at speed 1
const MOST_TOLD = 6;
const MESSAGES = ["send", "receive"]; // parts that are told of as messages
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const PLAYERS = []; // of this page

export async function makePlayer(story, root) {
  const model = new Model(story, await unpack(story.columns, story.packed));
  return new Player(model, root);
}

export class Player {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    this.tick = 0;
    this.playing = false;
    this.speed = 1;
    this.heat = "state";
    this.selected = busiest(model);
    this.shows = { path: false, arrows: model.processors <= 40 };
    this.used = new Set(model.kind);
    this._make();
    this.network = new NetworkView(this.networkCanvas, model, this);
    this.gantt = new GanttView(this.ganttCanvas, model, this);
    this.ganttCanvas.style.height = `${this.gantt.height()}px`;
    PLAYERS.push(this);
    this._keys();
    new ResizeObserver(() => this.repaint()).observe(root);
    this.repaint();
  }

  // What it is made of

  _make() {
    const canvas = (label) => element("canvas", { role: "img", "aria-label": label, tabindex: "0" });
    this.networkCanvas = canvas("The network: a square is a processor, coloured by what it does now; dots are messages");
    this.ganttCanvas = canvas("Time from left to right, a row a processor: what it did when");
    this.networkCanvas.className = "network";
    this.ganttCanvas.className = "gantt";
    this.now = element("div", { "aria-live": "polite" });
    this.held = element("div");
    this.hands = element("section", { class: "hands" }, this.now, this.held);
    this.told = element("div", { class: "told", "aria-live": "polite" });
    this.legend = element("div", { class: "legend" });
    this.aggregated = element("p", { class: "remark" });
    this.root.append(
      this._controls(),
      element("div", { class: "stage" },
        element("figure", {}, this.networkCanvas, this.legend, this.told),
        this.hands),
      element("h2", {}, "What every processor did when"),
      element("p", { class: "remark" }, "A row is a processor, coloured as in the network above; time goes from left to right, in microseconds (us). Click to set the clock and choose a "
        + "processor; drag to move; ctrl and wheel, or the buttons, to zoom; double-click to see all."),
      this._ganttButtons(),
      element("figure", {}, this.ganttCanvas, this.aggregated),
      this._waits(),
      this._downloads(),
    );
  }

  _controls() {
    const button = (text, label, action) => element("button", { type: "button", title: label, "aria-label": label, onclick: action }, text);
    this.playButton = button("▶ Play", "Play or pause (space)", () => this.toggle());
    this.playButton.classList.add("play");
    this.slider = element("input", { type: "range", min: 0, max: this.model.ticks, step: 1, value: 0, class: "scrub",
      "aria-label": "The clock, in ticks", oninput: () => this.goTo(Number(this.slider.value)) });
    this.clock = element("output", { class: "clock" });
    const speeds = element("select", { "aria-label": "Speed", onchange: () => { this.speed = Number(speeds.value); } },
      ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed} ×`)));
    return element("div", { class: "controls", role: "toolbar", "aria-label": "The clock" },
      button("|◀", "To the beginning (Home)", () => this.goTo(0)),
      button("◀ Step", "To the event before (left arrow)", () => this.step(-1)),
      this.playButton,
      button("Step ▶", "To the next event (right arrow)", () => this.step(1)),
      button("▶|", "To the end (End)", () => this.goTo(this.model.ticks)),
      this.slider, this.clock, element("label", {}, "speed ", speeds), this._looks());
  }

  _looks() {
    const heat = element("select", { "aria-label": "Colours", onchange: () => { this.heat = heat.value; this.repaint(); } },
      element("option", { value: "state" }, "what they do now"), element("option", { value: "busy" }, "how busy they and links are"),
      element("option", { value: "words" }, "words over links"));
    this.heatSelect = heat;
    return element("span", {}, element("label", {}, "colours ", heat), this._switch("path", "critical path (c)"));
  }

  _switch(name, label) {
    const box = element("input", { type: "checkbox", "data-shows": name, onchange: () => this.show(name, box.checked) });
    box.checked = this.shows[name];
    return element("label", { class: "switch" }, box, ` ${label}`);
  }

  _ganttButtons() {
    const button = (text, action) => element("button", { type: "button", onclick: action }, text);
    return element("div", { class: "controls small" },
      button("zoom in (+)", () => this.gantt.zoom(0.5, this._about())), button("zoom out (−)", () => this.gantt.zoom(2, this._about())),
      button("all", () => this.gantt.whole()),
      button("taller rows", () => this.gantt.rows(true)), button("all rows", () => this.gantt.rows(false)),
      this._switch("arrows", "messages (a)"));
  }

  /** Where to zoom: at the clock, if it is in view. */
  _about() {
    const { from, to } = this.gantt;
    return this.tick >= from && this.tick <= to ? this.tick : (from + to) / 2;
  }

  _waits() {
    const { model } = this;
    if (!model.waits.length) return element("p", {}, "No processor waits.");
    const rows = model.waits.map(([node, start, end, , cause]) => {
      const go = element("button", { type: "button", class: "link", onclick: () => this.look(node, start, end) }, model.nodes[node].label);
      return [go, start, end - start, us(model, end - start), cause];
    });
    return element("section", {}, element("h2", {}, "The longest waits"),
      table(["processor", "from tick", "ticks", "us", "why"], rows));
  }

  _downloads() {
    const { model } = this;
    const button = (text, action) => element("button", { type: "button", onclick: action }, text);
    const svg = (name, view) => download(name, view(), "image/svg+xml");
    return element("p", { class: "controls small downloads" }, "Take away: ",
      button("trace (CSV)", () => download("trace.csv", asCsv(model), "text/csv")),
      button("trace for Perfetto (JSON)", () => download("trace.json", asChrome(model), "application/json")),
      button("network (SVG)", () => svg("network.svg", () => this.networkSvg())),
      button("rows (SVG)", () => svg("gantt.svg", () => this.ganttSvg())));
  }

  networkSvg() {
    const [width, height] = [this.networkCanvas.clientWidth, this.networkCanvas.clientHeight];
    const text = asSvg(width, height, palette([]).panel, (pen) => this.network.draw(pen, width, height, this.tick));
    this.repaint();
    return text;
  }

  ganttSvg() {
    return asSvg(this.gantt.width, this.gantt.fullHeight, palette([]).panel, (pen) => this.gantt.draw(pen));
  }

  // What the reader does

  toggle() {
    if (!this.playing && this.tick >= this.model.ticks) this.tick = 0;
    this.playing = !this.playing;
    this.playButton.textContent = this.playing ? "⏸ Pause" : "▶ Play";
    for (const told of [this.told, this.now]) told.setAttribute("aria-live", this.playing ? "off" : "polite");
    if (this.playing) {
      this.last = performance.now();
      requestAnimationFrame((now) => this._frame(now));
    }
  }

  _frame(now) {
    if (!this.playing) return;
    this.tick += ((now - this.last) / 1000) * this.speed * (this.model.ticks / LASTS);
    this.last = now;
    if (this.tick >= this.model.ticks) {
      this.tick = this.model.ticks;
      this.toggle();
    }
    this.gantt.follow(this.tick);
    this._paint();
    if (this.playing) requestAnimationFrame((then) => this._frame(then));
  }

  goTo(tick) {
    this.tick = Math.min(Math.max(0, tick), this.model.ticks);
    this.gantt.follow(this.tick);
    this.repaint();
  }

  step(way) {
    const { events } = this.model;
    if (this.playing) this.toggle();
    const next = after(events, this.tick, 0, events.length);
    const before = after(events, this.tick - 1e-9, 0, events.length) - 1;
    this.goTo(way > 0 ? events[Math.min(next, events.length - 1)] : events[Math.max(before, 0)]);
  }

  select(node) {
    this.selected = node;
    this.gantt.seek(node);
    this.repaint();
  }

  show(name, yes) {
    this.shows[name] = yes;
    for (const box of this.root.querySelectorAll(`[data-shows="${name}"]`)) box.checked = yes;
    this.gantt.stale = true;
    this.repaint();
  }

  /** Go to a stretch of a processor's time. */
  look(node, start, end) {
    this.selected = node;
    this.tick = start;
    const margin = Math.max(0.6 * (end - start), 4);
    this.gantt.seek(node);
    this.gantt.show(start - margin, end + margin);
    this.ganttCanvas.scrollIntoView({ block: "center", behavior: "smooth" });
  }

  _keys() {
    const keys = {
      " ": () => this.toggle(), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      Home: () => this.goTo(0), End: () => this.goTo(this.model.ticks),
      ArrowDown: () => this.select((this.selected + 1) % this.model.processors),
      ArrowUp: () => this.select((this.selected + this.model.processors - 1) % this.model.processors),
      "+": (view) => view.zoom(0.5, this._about()), "=": (view) => view.zoom(0.5, this._about()),
      "-": (view) => view.zoom(2, this._about()), 0: (view) => view.whole(),
      c: () => this.show("path", !this.shows.path), a: () => this.show("arrows", !this.shows.arrows),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, textarea, a, summary, input[type=text]")) return;
      if (event.key === " " && event.target.matches("button, input")) return;
      if (event.target.matches("input[type=range]") && (event.target !== this.slider || SLIDES.includes(event.key))) return;
      const action = keys[event.key];
      if (!action || playerFor(event.target) !== this) return;
      event.preventDefault();
      action(event.target === this.networkCanvas ? this.network : this.gantt);
    });
  }

  // What it shows

  /** Paint once, soon. */
  repaint() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this._paint();
    });
  }

  _paint() {
    const begun = performance.now();
    this.network.paint(this.tick);
    this.gantt.paint(this.tick);
    this.slider.value = this.tick;
    const { model } = this;
    this.clock.textContent = `tick ${Math.floor(this.tick)} of ${model.ticks} · ${us(model, this.tick)} of ${us(model, model.ticks)} us`;
    this._fillLegend();
    this._fillTold();
    this._fillHands();
    this.aggregated.textContent = this.gantt.aggregated();
    this.painted = performance.now() - begun;
  }

  /** How many processors do what now. */
  counts() {
    const found = new Map();
    for (let node = 0; node < this.model.processors; node += 1) {
      const state = this.model.stateAt(node, this.tick);
      const name = state === ENDED ? "ended" : this.model.kinds[state];
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    return found;
  }

  _fillLegend() {
    const { model } = this;
    const chip = (kind, text) => element("span", { class: "chip" }, element("i", { class: `swatch ${kind}` }), text);
    if (this.heat !== "state") {
      const what = this.heat === "busy" ? "links: how long they are busy" : "links: words over them";
      this.legend.replaceChildren(chip("heat", `from least to most. Processors: arithmetic as a share of the run, the most ${
        Math.round(100 * this.network.busiest)} %; ${what}`));
      return;
    }
    const counts = this.counts();
    const chips = model.kinds.filter((kind, number) => this.used.has(number))
      .map((kind) => chip(`kind-${kind}`, `${KIND_WORDS[kind]} (${counts.get(kind) ?? 0})`));
    chips.push(chip("ended", `${model.residents.slice(0, model.processors).every((each) => each.length) ? "ended" : "ended or unused"} (${
      counts.get("ended") ?? 0})`));
    if (model.words.length) {
      chips.push(chip("dot", "a message on its way"), chip("ring", "arrived, not yet taken"));
      if (this.network.linger) chips.push(element("span", { class: "chip" }, "Messages take no time on this machine; each is shown for a moment."));
    }
    if (model.nodes.some((node) => node.again)) chips.push(element("span", { class: "chip" }, "A circle is the processor of its name once more."));
    this.legend.replaceChildren(...chips);
  }

  /** What happens at this tick, in words. */
  _fillTold() {
    const { model } = this;
    const tick = Math.floor(this.tick);
    if (tick === this.toldAt) return;
    this.toldAt = tick;
    const { lines, more } = this.happening(tick);
    const shown = lines.length ? lines : ["nothing begins or ends"];
    this.told.replaceChildren(element("strong", {}, `At tick ${tick} (${us(model, tick)} us)`),
      element("ul", {}, ...shown.map((line) => element("li", {}, line)), ...(more ? [element("li", {}, `and ${more} more`)] : [])));
  }

  happening(tick) {
    const { model } = this;
    const lines = [];
    let more = 0;
    const tell = (text) => { if (lines.length < MOST_TOLD) lines.push(text()); else more += 1; };
    const others = []; // what is told behind computes and messages
    const silent = []; // what is told if there is nothing else
    for (let node = 0; node < model.processors; node += 1) {
      const [low, high] = [model.partFirst[node], model.partFirst[node + 1]];
      for (let part = after(model.start, tick - 1e-9, low, high); part < high && model.start[part] === tick; part += 1) {
        if (model.compute[part] >= 0) tell(() => this._toldOfCompute(node, part));
        else (MESSAGES.includes(model.kinds[model.kind[part]]) ? silent : others).push([node, part]);
      }
      if (high > low && model.end[high - 1] === tick) others.push([node, ENDED]);
    }
    for (const [times, toldOf] of [[model.depart, this._toldOfSend], [model.arrive, this._toldOfArrival]]) {
      for (let channel = 0; channel < model.channels.length; channel += 1) {
        const [low, high] = [model.messageFirst[channel], model.messageFirst[channel + 1]];
        for (let message = after(times, tick - 1e-9, low, high); message < high && times[message] === tick; message += 1) {
          if (times === model.depart || model.depart[message] < tick) tell(() => toldOf.call(this, channel, message));
        }
      }
    }
    for (const [node, part] of lines.length || others.length ? others : silent) tell(() => `${model.nodes[node].label} ${this.doing(node, part)}`);
    return { lines, more };
  }

  /** What a processor does in a part, in words; of a wait also what for. */
  doing(node, part) {
    const { model } = this;
    if (part === ENDED) return model.residents[node].length ? "has ended" : "has no program";
    const words = `${KIND_WORDS[model.kinds[model.kind[part]]]} ${model.kernelOf(part)}`.trim();
    return model.kind[part] === WAIT ? `${words} ${model.whyWaits(node, part)}`.trim() : words;
  }

  _toldOfCompute(node, part) {
    const { kernel, line, value } = this.model.computedIn(part);
    const source = line && line[5] ? ` (${line[5]})` : "";
    const result = value && value.length < 40 ? `, which gives ${value}` : "";
    return `${this.model.nodes[node].label} computes ${kernel}${source}${result}`;
  }

  _toldOfSend(channel, message) {
    const { model } = this;
    const [from, outPort, to] = model.channels[channel];
    return `${model.nameOf(from)} sends ${this._carried(message)} to ${model.nameOf(to)} through ${outPort}`;
  }

  _toldOfArrival(channel, message) {
    const { model } = this;
    const [from, , to] = model.channels[channel];
    return `${this._carried(message)} from ${model.nameOf(from)} has come to ${model.nameOf(to)}`;
  }

  /** What a message carries: its value if that is short. */
  _carried(message) {
    const value = this.model.watched ? this.model.format(this.model.messageValue[message]) : "";
    return value && value.length < 40 ? value : inWords(this.model.words[message]);
  }

  _fillHands() {
    const { model } = this;
    const node = this.selected;
    const part = model.partAt(node, this.tick);
    const until = part === ENDED ? "" : `, ticks ${model.start[part]} to ${model.end[part]}`;
    const hands = model.handsAt(node, this.tick);
    const residents = model.own ? "" : `It runs ${model.residents[node].map((program) => model.programs[program][0]).join(", ") || "no program"}.`;
    const boxes = [["received", (it) => `from ${it.peer} through ${it.port}`], ["computed", (it) => `by ${it.kernel}${it.about ? ` (${it.about.replace(/\.$/, "")})` : ""}`],
      ["sent", (it) => `to ${it.peer} through ${it.port}`]].map(([name, how]) => this._hand(name, hands[name], how));
    const spent = model.spent(node)[0];
    this.now.replaceChildren(element("h2", {}, `In the hands of ${model.nodes[node].label}`),
      element("p", { class: "now" }, element("strong", {}, this.doing(node, part)), until));
    this.held.replaceChildren(element("p", { class: "remark" }, `It computes for ${model.ticks ? Math.round((100 * spent) / model.ticks) : 0} % of the run. ${residents}`),
      ...boxes, model.watched ? "" : element("p", {}, "Values were not kept in this run."),
      model.single ? element("p", { class: "remark" }, "Of so many values the page keeps seven digits each.") : "");
  }

  _hand(name, it, how) {
    if (!it) return element("div", { class: "hand", "data-hand": name }, element("h3", {}, `last ${name}`), element("p", {}, "nothing yet"));
    const line = it.line;
    const value = this.model.watched ? it.value : name === "computed" ? "" : inWords(it.words);
    const program = !this.model.own && it.program >= 0 ? `, program ${this.model.programs[it.program][0]}` : "";
    return element("div", { class: "hand", "data-hand": name },
      element("h3", {}, `last ${name}`), value ? element("pre", {}, value) : "",
      element("p", { class: "remark" }, `${how(it)}, at tick ${it.tick}${program}`),
      line ? element("p", { class: "line" }, element("code", {}, line[3]),
        element("span", { class: "remark" }, `${line[5] ? `${line[5]}. ` : ""}${line[4] ? `${line[4]}. ` : ""}${line[0]}, line ${line[1]}`)) : "");
  }

  /** What a tooltip says of a processor. */
  toldOfNode(node) {
    const { model } = this;
    const lines = [model.nodes[node].label];
    if (node >= model.processors) return [...lines, model.nodes[node].switch ? "a switch element: messages pass it" : "does not work"];
    const part = model.partAt(node, this.tick);
    lines.push(this.doing(node, part));
    if (!model.own) lines.push(`programs: ${model.residents[node].map((program) => model.programs[program][0]).join(" ") || "none"}`);
    const spent = model.spent(node);
    lines.push(model.kinds.map((kind, number) => [kind, spent[number]]).filter(([, ticks]) => ticks)
      .map(([kind, ticks]) => `${kind} ${Math.round((100 * ticks) / Math.max(model.ticks, 1))} %`).join(", "));
    return lines;
  }
}

function inWords(count) {
  return `${count} word${count === 1 ? "" : "s"}`;
}

export function us(model, ticks) {
  return model.us(ticks).toFixed(model.decimals);
}

/** Which of the page's players a key is for: the one in which it was pressed, else the one that is seen most of, if any. */
function playerFor(target) {
  if (target.matches(".scrolls, .remarks, .skeleton")) return null; // these scroll and turn
  const seen = ({ root }) => {
    const { top, bottom } = root.getBoundingClientRect();
    return Math.min(bottom, window.innerHeight) - Math.max(top, 0);
  };
  const most = PLAYERS.reduce((one, other) => (seen(other) > seen(one) ? other : one));
  return PLAYERS.find(({ root }) => root.contains(target)) ?? (seen(most) > 0 ? most : null);
}

function busiest(model) {
  let most = 0;
  let found = 0;
  for (let node = 0; node < model.processors; node += 1) {
    const computes = model.spent(node)[0];
    if (computes > most) [most, found] = [computes, node];
  }
  return found;
}
