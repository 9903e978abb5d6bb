"""How long a page takes to repaint in a real browser: python tests/tools/repaint.py (where tests are set up).

Medians and largest of 15 repaints in milliseconds, of meshes of 32 and 64 joints on T800s: the clock moved, the rows
zoomed and panned, with all arrows, and with all rows in view.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import meshsim as ms

sys.path.append(str(Path(__file__).resolve().parents[1]))

VIEWS = {
    "scrub": "player.tick = model.ticks * (k + 1) / 17;",
    "zoom": "rows(0.003 * k, 1 - 0.06 * k);",
    "pan": "rows(0.04 * k, 0.04 * k + 0.3);",
    "near": "rows(0.04 * k, 0.04 * k + 0.02);",
    "arrows": "player.shows.arrows = true; rows(0.04 * k, 0.04 * k + 0.02);",
    "all rows": "player.shows.arrows = false; player.gantt.tall = false; rows(0, 1 - 0.001 * k);",
}
SCRIPT = """
const player = meshsim.players[0], model = player.model;
const rows = (from, to) => Object.assign(player.gantt, { from: from * model.ticks, to: to * model.ticks, stale: true });
const spent = [];
for (let k = 0; k < 15; k += 1) {
  const begun = performance.now();
  %s
  player._paint();
  player.ganttCanvas.getContext("2d").getImageData(0, 0, 1, 1);  // which waits until all is drawn
  spent.push(performance.now() - begun);
}
spent.sort((one, other) => one - other);
return [spent[7], spent[14]];
"""


def main() -> None:
    from tools.browser import Opened, chromium

    browser = chromium()
    with TemporaryDirectory() as folder:
        for n in (32, 64):
            path = Path(folder, f"{n}.html")
            ms.run(f"chain:{n}:1", "wong-mesh", "t800").report(path)
            page = Opened(browser, path)
            for view, change in VIEWS.items():
                median, most = page.js(SCRIPT % change)
                print(f"n = {n}, {view:9} {median:6.1f} {most:6.1f} ms")
    browser.quit()


if __name__ == "__main__":
    main()
