// Files that the reader may take away: the trace as a table and for other viewers, the pictures as drawings.

const FIELDS = ["processor", "kind", "start", "end", "what", "peer", "words", "depart", "arrive", "program"];

/** Every compute, message and wait, a row each: as `meshsim run --trace FILE.csv` writes them, by processor and time. */
export function asCsv(model) {
  const rows = [];
  const away = (program) => (program >= 0 && model.programs[program][2] ? model.programs[program][0] : "");
  for (let node = 0; node < model.processors; node += 1) {
    const mine = [];
    for (let part = model.partFirst[node]; part < model.partFirst[node + 1]; part += 1) {
      const kind = model.kinds[model.kind[part]];
      if (kind === "send" || kind === "receive") continue;
      mine.push([model.nodes[node].label, kind, model.start[part], model.end[part], model.kernelOf(part), "", "", "", "",
        away(model.programOf(part))]);
    }
    for (const [channels, received] of [[model.outOf[node], false], [model.into[node], true]]) {
      for (const channel of channels) mine.push(...messagesOf(model, channel, node, received, away));
    }
    mine.sort((one, other) => one[2] - other[2] || one[3] - other[3]);
    rows.push(...mine);
  }
  return [FIELDS, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

function messagesOf(model, channel, node, received, away) {
  const [from, outPort, to, inPort] = model.channels[channel];
  const rows = [];
  for (let message = model.messageFirst[channel]; message < model.messageFirst[channel + 1]; message += 1) {
    const [start, end] = received
      ? [model.asked[message], model.taken[message]] : [model.sent[message], model.left[message]];
    rows.push([model.nodes[node].label, received ? "receive" : "send", start, end, received ? inPort : outPort,
      model.programs[received ? from : to][0], model.words[message], model.depart[message], model.arrive[message],
      away(received ? to : from)]);
  }
  return rows;
}

function quoted(cell) {
  const text = String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The run in the form that chrome://tracing and Perfetto open; times in microseconds. */
export function asChrome(model) {
  const events = [];
  for (let node = 0; node < model.processors; node += 1) {
    events.push({ ph: "M", name: "thread_name", pid: 1, tid: node + 1, args: { name: model.nodes[node].label } });
    for (let part = model.partFirst[node]; part < model.partFirst[node + 1]; part += 1) {
      const kind = model.kinds[model.kind[part]];
      events.push({ ph: "X", name: model.kernelOf(part) || kind, cat: kind, pid: 1, tid: node + 1,
        ts: model.us(model.start[part]), dur: model.us(model.end[part] - model.start[part]) });
    }
  }
  for (let message = 0; message < model.sent.length; message += 1) {
    const [from, , to] = model.channels[model.channelOf[message]];
    const common = { name: "message", cat: "message", pid: 1, id: message + 1 };
    events.push({ ...common, ph: "s", tid: model.home(from) + 1, ts: model.us(model.sent[message]) });
    events.push({ ...common, ph: "f", bp: "e", tid: model.home(to) + 1, ts: model.us(model.taken[message]) });
  }
  return JSON.stringify({ traceEvents: events, displayTimeUnit: "ns" });
}

/** A canvas painter's picture as SVG: the painter draws on something that writes down what it is told. */
export function asSvg(width, height, ground, paint) {
  const pen = new SvgPen(width, height);
  paint(pen);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
    + `<rect width="100%" height="100%" fill="${ground}"/>${pen.parts.join("")}</svg>\n`;
}

/** As much of a canvas's context as the pictures use. */
class SvgPen {
  constructor(width, height) {
    this.parts = [];
    this.points = "";
    this.dash = "";
    this.globalAlpha = 1;
    Object.assign(this, { width, height, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "11px sans-serif",
      textAlign: "left", textBaseline: "alphabetic" });
  }

  beginPath() { this.points = ""; }

  moveTo(x, y) { this.points += `M${round(x)} ${round(y)}`; }

  lineTo(x, y) { this.points += `L${round(x)} ${round(y)}`; }

  rect(x, y, w, h) { this.points += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`; }

  arc(x, y, r) {
    this.points += `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0z`;
  }

  fill() { this.parts.push(`<path d="${this.points}" fill="${this.fillStyle}" fill-opacity="${this.globalAlpha}"/>`); }

  stroke() {
    this.parts.push(`<path d="${this.points}" fill="none" stroke="${this.strokeStyle}" stroke-width="${round(this.lineWidth)}"`
      + ` stroke-opacity="${this.globalAlpha}"${this.dash ? ` stroke-dasharray="${this.dash}"` : ""}/>`);
  }

  fillRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.fill(); }

  strokeRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.stroke(); }

  clearRect() { this.parts.length = 0; }

  setLineDash(dash) { this.dash = dash.join(" "); }

  measureText(text) { return { width: 6 * text.length }; }

  save() { this.kept = [this.globalAlpha, ""]; }

  restore() {
    this.globalAlpha = this.kept[0];
    this.parts.push(this.kept[1]);
  }

  /** From here to `restore` only what is within the points is seen. */
  clip() {
    const name = `clip${this.parts.length}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.points}"/></clipPath><g clip-path="url(#${name})">`);
    this.kept[1] = "</g>";
  }

  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const shift = { middle: "central", bottom: "text-after-edge" }[this.textBaseline] ?? "auto";
    const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    this.parts.push(`<text x="${round(x)}" y="${round(y)}" fill="${this.fillStyle}" font-size="${parseFloat(this.font)}"`
      + ` font-family="sans-serif" text-anchor="${anchor}" dominant-baseline="${shift}">${safe}</text>`);
  }
}

function round(number) {
  return Math.round(100 * number) / 100;
}
