// The page: reads its data, and puts together what is there.

import { element, table } from "./dom.js";
import { chart } from "./chart.js";
import { makeSkeleton } from "./skeleton.js";
import { makePlayer } from "./player.js";

function cards(list) {
  return element("dl", { class: "cards" }, ...list.map(([name, value, note]) => element("div", { class: "card" },
    element("dt", {}, name), element("dd", {}, value, note ? element("small", {}, note) : ""))));
}

/** Light or dark as the system is, until the reader says otherwise. */
function themeButton() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    window.dispatchEvent(new Event("theme"));
  };
  set(system.matches);
  system.addEventListener("change", () => set(system.matches));
  return element("button", { type: "button", class: "theme", title: "Light or dark", "aria-label": "Light or dark",
    onclick: () => set(root.dataset.theme !== "dark") }, "◐");
}

async function build() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  page.replaceChildren(element("header", {}, themeButton(), element("h1", {}, data.title), element("p", { class: "verdict" }, data.verdict),
    ...data.about.map((text) => element("p", { class: "about" }, text)), cards(data.cards)));
  const app = { data, players: [] };
  if (data.charts.length) page.append(element("div", { class: "charts" }, ...data.charts.map(chart)));
  if (data.motion) {
    app.skeleton = makeSkeleton(data.motion);
    page.append(app.skeleton.made);
  }
  for (const story of data.stories) {
    const root = element("section", { class: "player" });
    if (story.title) page.append(element("h2", { class: "run" }, story.title));
    page.append(root);
    app.players.push(await makePlayer(story, root));
  }
  if (data.remarks) page.append(element("details", { open: !data.stories.length }, element("summary", {}, "In words"), element("pre", { class: "remarks" }, data.remarks)));
  for (const { title, heads, rows } of data.tables) page.append(element("section", {}, element("h2", {}, title), table(heads, rows)));
  page.append(element("footer", {}, ...data.footer.map(([name, value]) => element("p", {}, element("strong", {}, `${name} `), value))));
  const repaint = () => {
    for (const player of app.players) player.repaint();
    app.skeleton?.paint();
  };
  window.addEventListener("theme", repaint);
  const root = document.documentElement;
  let theme = "";
  const paint = () => {
    for (const player of app.players) player._paint();
    app.skeleton?.paint();
  };
  window.addEventListener("beforeprint", () => { // on white paper
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    paint();
  });
  window.addEventListener("afterprint", () => {
    root.dataset.theme = theme;
    paint();
  });
  app.skeleton?.go(0);
  window.meshsim = app;
  document.documentElement.dataset.ready = "yes";
}

build().catch((error) => {
  document.getElementById("page").append(element("p", { class: "failure" }, `This page could not be shown: ${error.message}. It needs a browser of 2023 or later.`));
  throw error;
});
