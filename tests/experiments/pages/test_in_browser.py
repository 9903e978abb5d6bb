"""Pages opened from disk in a real browser: what they show is what the trace says."""

import time
from dataclasses import replace

import numpy as np
import pytest
from tools.browser import Opened, chromium

import meshsim as ms
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.columns import KINDS
from meshsim.experiments.studies.waits import longest_waits
from meshsim.experiments.studies.watching import Watch

PLAYER = "const player = meshsim.players[0]; const model = player.model;"
NASTY = "<script>window.hacked = 1</script><b>&amp;"


@pytest.fixture(scope="module")
def browser():
    driver = chromium()
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Results with their pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    found = {
        "solve": ms.solve("random:4:1", "feedforward-lu", "ideal"),
        "run": ms.run("puma600", "wong-mesh", "t800"),
        "overlap": ms.run("chain:3:1", "hwang", "t800-overlap"),
        "placed": ms.run("puma600", "wong-mesh", "t800", network="square-mesh:3x3", placement="blocks"),
        "loop": ms.run("3rrr", "denoc", "t800", layout="star"),
    }
    for name, result in found.items():
        result.report(folder / f"{name}.html", "meshsim test")
    return {name: (result, folder / f"{name}.html") for name, result in found.items()}


RUNS = ("solve", "run", "overlap", "placed", "loop")


def ticks_of(run, count=7):
    """Some ticks of a run, the first and the last among them."""
    return np.unique(np.linspace(0, run.ticks, count).astype(int)).tolist()


@pytest.mark.parametrize("name", RUNS)
def test_opens_without_a_complaint_and_asks_no_network(browser, pages, name):
    page = Opened(browser, pages[name][1])
    assert page.js("return document.documentElement.dataset.ready") == "yes"
    page.painted(f"{PLAYER} player.goTo(model.ticks / 2)")
    assert page.complaints() == []
    assert page.requests() == []


@pytest.mark.parametrize("name", RUNS)
def test_processors_do_what_the_trace_says(browser, pages, name):
    result, path = pages[name]
    page = Opened(browser, path)
    parts = result.run.trace.columns.parts
    for tick in ticks_of(result.run):
        page.painted(f"{PLAYER} player.goTo(arguments[0])", tick)
        now = (parts.start <= tick) & (tick < parts.end)
        busy = {KINDS[kind]: int((parts.kind[now] == kind).sum()) for kind in np.unique(parts.kind[now])}
        assert {kind: count for kind, count in page.js(f"{PLAYER} return Object.fromEntries(player.counts())").items()
                if kind != "ended"} == busy  # fmt: skip
        shown = page.js("return document.querySelector('.legend').textContent")
        assert f"computes ({busy.get('compute', 0)})" in shown
        states = page.js(
            f"{PLAYER} return Array.from({{length: model.processors}}, (_, k) => model.stateAt(k, arguments[0]))", tick
        )
        kinds = dict(zip(parts.processor[now].tolist(), parts.kind[now].tolist(), strict=True))
        assert states == [kinds.get(node, -1) for node in range(result.run.processors)]


@pytest.mark.parametrize("name", RUNS)
def test_hands_hold_what_a_watch_says(browser, pages, name):
    """The last value that each processor computed, received and sent by a tick, and when."""
    result, path = pages[name]
    page, watch = Opened(browser, path), Watch(result.run)
    read = (
        f"{PLAYER} const hands = model.handsAt(arguments[0], arguments[1]);"
        "return ['received', 'computed', 'sent'].map((name) => { const it = hands[name]; if (!it) return null;"
        "const value = name === 'computed' ? model.computeValue[model.compute[it.part]]"
        " : model.messageValue[it.message];"
        "return [it.tick, Array.from(model.numbers.slice(model.valueFirst[value], model.valueFirst[value + 1]))]; })"
    )
    for tick in ticks_of(result.run, 5):
        for node in range(0, result.run.processors, max(1, result.run.processors // 6)):
            hands = watch.hands(node, watch.count(tick))
            wanted = [event and [event.tick, flat(watch.value(event)).tolist()] for event in hands]
            assert page.js(read, node, tick) == wanted, (node, tick)


def flat(value):
    """All numbers of a value, one after the other."""
    return np.concatenate([flat(item) for item in value]) if isinstance(value, tuple) else np.ravel(value)


@pytest.mark.parametrize("name", RUNS)
def test_the_table_that_can_be_taken_away_has_the_rows_of_the_trace(browser, pages, name, tmp_path):
    result, path = pages[name]
    result.save_trace(tmp_path / "run.csv")
    page = Opened(browser, path)
    page.js(
        "HTMLAnchorElement.prototype.click = () => {};"  # nothing is downloaded
        "URL.createObjectURL = (blob) => { blob.text().then((text) => { window.taken = text; }); return ''; };"
        "[...document.querySelectorAll('button')].find((each) => each.textContent === 'trace (CSV)').click()"
    )
    while not (taken := page.js("return window.taken")):
        time.sleep(0.02)
    assert sorted(taken.splitlines()) == sorted((tmp_path / "run.csv").read_text().splitlines())


@pytest.mark.parametrize("name", RUNS)
def test_critical_path_is_as_long_as_the_run(browser, pages, name):
    result, path = pages[name]
    page = Opened(browser, path)
    assert page.js(f"{PLAYER} return model.pathEnd[model.pathEnd.length - 1]") == result.run.ticks
    added = "if (model.path_kinds[kind] === 'compute') sum += model.pathEnd[step] - model.pathStart[step];"
    spent = page.js(f"{PLAYER} let sum = 0; model.pathKind.forEach((kind, step) => {{ {added} }}); return sum")
    assert spent == result.run.critical_path.compute
    page.painted(f"{PLAYER} player.show('path', true)")
    assert page.js("return document.querySelector('[data-shows=path]').checked")


def test_play_steps_and_keys_move_the_clock(browser, pages):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = Opened(browser, pages["run"][1])
    page.js("document.querySelector('.play').click()")
    for _ in range(200):
        if page.js(f"{PLAYER} return player.tick > 0 && player.clock.textContent") not in (False, "", None):
            break
    assert page.js(f"{PLAYER} return player.tick") > 0
    page.js("document.querySelector('.play').click()")
    page.painted(f"{PLAYER} player.goTo(0)")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.ARROW_RIGHT)
    events = page.js(f"{PLAYER} return Array.from(model.events.slice(0, 3))")
    assert page.js(f"{PLAYER} return player.tick") == events[1]
    body.send_keys(Keys.ARROW_LEFT)
    assert page.js(f"{PLAYER} return player.tick") == 0
    body.send_keys(Keys.END)
    assert page.js(f"{PLAYER} return player.tick") == pages["run"][0].run.ticks


def test_a_click_on_the_rows_moves_the_network_s_clock(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    page = Opened(browser, pages["solve"][1])
    gantt = browser.find_element(By.CSS_SELECTOR, "canvas.gantt")
    page.js("arguments[0].scrollIntoView({block: 'center'})", gantt)
    across, down = page.js(f"{PLAYER} return [player.gantt.x(20), player.gantt.y(3) + player.gantt.rowHeight / 2]")
    wide, high = page.js("return [arguments[0].clientWidth, arguments[0].clientHeight]", gantt)
    place = across - wide / 2, down - high / 2
    ActionChains(browser).move_to_element_with_offset(gantt, *map(round, place)).click().perform()
    assert abs(page.js(f"{PLAYER} return player.tick") - 20) <= 1
    assert page.js(f"{PLAYER} return player.selected") == 3
    page.painted("")
    assert page.js("return document.querySelector('.clock').textContent").startswith("tick 20 of 56")
    assert "(1,4)" in page.js("return document.querySelector('.hands h2').textContent")


def test_hands_of_a_run_that_kept_no_values_say_so(browser, tmp_path):
    ms.explain("wong-mesh", "hwang", "chain:2:1", "t800").report(tmp_path / "page.html")
    page = Opened(browser, tmp_path / "page.html")
    page.painted(f"{PLAYER} player.goTo(model.ticks)")
    assert "Values were not kept in this run." in page.js("return document.querySelector('.hands').textContent")
    shown = page.js(
        "const hand = document.querySelector('.hands'); return ['received', 'computed', 'sent'].map("
        "(name) => hand.querySelector(`[data-hand=${name}] pre`)?.textContent ?? '')"
    )
    assert [text.rpartition(" ")[2] for text in shown] == ["word", "", "word"]


def test_the_network_is_zoomed_by_keys_when_it_has_the_focus(browser, pages):
    from selenium.webdriver.common.by import By

    page = Opened(browser, pages["run"][1])
    network = browser.find_element(By.CSS_SELECTOR, "canvas.network")
    page.js("arguments[0].focus()", network)
    page.painted(f"{PLAYER} player.select(3)")
    place = page.js(f"{PLAYER} return player.network.at(model.nodes[3])")
    network.send_keys("++")
    page.painted("")
    assert page.js(f"{PLAYER} return player.network.scaled") == 4
    assert page.js(f"{PLAYER} return player.network.at(model.nodes[3])") == pytest.approx(
        place, abs=1
    )  # sizes of elements are whole pixels
    assert page.js(f"{PLAYER} return player.gantt.from") == 0
    network.send_keys("0")
    assert page.js(f"{PLAYER} return player.network.scaled") == 1


def test_names_that_look_like_markup_show_as_text(browser, tmp_path):
    robot = replace(load_robot("chain:2:1"), name=NASTY)
    scheme = replace(load_scheme("wong-mesh"), name=NASTY, summary=NASTY)
    machine = replace(ms.load_machine("t800"), name="<script>window.hacked = 1<b>")
    result = ms.run(robot, scheme, machine)
    result.report(tmp_path / "page.html", NASTY)
    page = Opened(browser, tmp_path / "page.html")
    assert page.js("return window.hacked ?? null") is None
    assert NASTY in page.js("return document.querySelector('h1').textContent")
    assert NASTY in page.js("return document.querySelector('footer').textContent")
    assert page.js("return document.querySelectorAll('main b, main script').length") == 0
    assert page.complaints() == []


def test_motions_comparisons_and_the_best_have_pages(browser, tmp_path):
    made = {
        "motion": ms.simulate("chain:2:1", "wong-mesh", "t800", step=0.05, duration=0.2, out=tmp_path / "motion"),
        "compare": ms.compare(["wong-mesh", "hwang"], ["ideal"], n=[2, 3, 4], out=tmp_path / "compare", jobs=1),
        "best": ms.best("chain:2:1", "t800", deadline=1e-3, schemes=["wong-mesh", "one-wong"], jobs=1),
    }
    for name, result in made.items():
        result.report(tmp_path / f"{name}.html")
        page = Opened(browser, tmp_path / f"{name}.html")
        assert page.complaints() == [], name
        assert page.requests() == [], name
        assert len(page.js("return document.querySelectorAll('svg.chart')")) > 0, name
    page = Opened(browser, tmp_path / "motion.html")
    assert page.js("return meshsim.data.motion.times.length") == 5
    assert page.js("return document.querySelectorAll('canvas.skeleton').length") == 1
    page = Opened(browser, tmp_path / "compare.html")
    names = page.js(
        "return Array.from(document.querySelectorAll('figure.chart .legend button'), (b) => b.textContent.trim())"
    )
    assert "wong-mesh, published" in names
    page = Opened(browser, tmp_path / "best.html")
    assert "Pareto set" in page.js("return document.querySelector('figure.chart .legend').textContent")
    assert "deadline" in page.js("return document.querySelector('svg.chart').textContent")


def test_keys_are_for_one_player_and_sliders_keep_theirs(browser, tmp_path):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    ms.explain("wong-mesh", "one-wong", "chain:2:1", "t800").report(tmp_path / "two.html")
    page = Opened(browser, tmp_path / "two.html")
    ticks = "return meshsim.players.map((player) => player.tick)"
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    first, second = page.js(ticks)
    assert first > 0
    assert second == 0
    page.js("meshsim.players[1].ganttCanvas.focus()")
    browser.switch_to.active_element.send_keys(Keys.END)
    assert page.js(ticks) == [first, page.js("return meshsim.players[1].model.ticks")]

    motion = ms.simulate("chain:2:1", "wong-mesh", "t800", step=0.05, duration=0.2, out=tmp_path / "motion")
    motion.report(tmp_path / "motion.html")
    page = Opened(browser, tmp_path / "motion.html")
    slider = browser.find_element(By.CSS_SELECTOR, ".motion .scrub")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("value") == "1"
    assert page.js(ticks) == [0]
    page.js("window.before = document.querySelector('.skeleton').toDataURL()")
    browser.find_element(By.CSS_SELECTOR, ".skeleton").send_keys(Keys.ARROW_RIGHT)
    assert page.js("return document.querySelector('.skeleton').toDataURL() !== window.before")
    assert page.js(ticks) == [0]


@pytest.mark.parametrize("name", RUNS)
def test_every_event_is_told_of_and_every_wait_explained(browser, pages, name):
    page = Opened(browser, pages[name][1])
    silent = f"{PLAYER} return Array.from(model.events).filter((tick) => !player.happening(tick).lines.length)"
    assert page.js(silent) == []
    causes = [(wait.processor, wait.start, wait.cause) for wait in longest_waits(pages[name][0].run, 200)]
    why = "model.whyWaits(node, model.partAt(node, start))"
    whys = page.js(f"{PLAYER} return arguments[0].map(([node, start, cause]) => [{why}, cause])", causes)
    passes = "until a message comes that passes it, or a program of it can go on"
    agree = [cause.startswith(why) if why != passes else "which passes it" in cause for why, cause in whys if why]
    assert len(agree) == len(whys)
    assert all(agree)
    if whys:
        page.painted(f"{PLAYER} const [node, start] = model.waits[0]; player.select(node); player.goTo(start)")
        assert page.js("return document.querySelector('.now strong').textContent") == f"waits {whys[0][0]}"


def test_drawings_keep_within_their_rows(browser, pages):
    page = Opened(browser, pages["run"][1])
    page.painted(f"{PLAYER} player.show('path', true); player.gantt.show(4000, 6000)")
    parts = page.js(
        f"{PLAYER} const svg = new DOMParser().parseFromString(player.ganttSvg(), 'image/svg+xml');"
        "const paths = Array.from(svg.querySelectorAll('path[fill=none]'));"
        "return [svg.querySelectorAll('parsererror').length, svg.querySelectorAll('g[clip-path]').length,"
        "paths.filter((path) => !path.closest('g') && / -?\\d{4}/.test(path.getAttribute('d'))).length]"
    )
    assert parts == [0, 2, 0]


def test_rows_follow_the_clock_and_the_chosen_processor(browser, pages):
    page = Opened(browser, pages["run"][1])
    seen = f"{PLAYER} return player.gantt.from <= player.tick && player.tick <= player.gantt.to"
    page.painted(f"{PLAYER} player.gantt.show(0, 200)")
    for move in ("player.goTo(9000)", "player.step(-1)", "player.goTo(model.ticks)", "player.goTo(0)"):
        page.painted(f"{PLAYER} {move}")
        assert page.js(seen), move
    page.painted(f"{PLAYER} player.ganttCanvas.style.height = '200px'; player.gantt.rows(true)")
    for row in (27, 0, 13):
        page.painted(f"{PLAYER} player.select({row})")
        above, below, high = page.js(
            f"{PLAYER} const {{gantt}} = player; return [gantt.y({row}), gantt.y({row} + 1), gantt.fullHeight]"
        )
        assert 50 < above < below < high


def test_paper_is_white(browser, pages):
    page = Opened(browser, pages["solve"][1])
    page.js("document.documentElement.dataset.theme = 'dark'")
    theme = "return document.documentElement.dataset.theme"
    page.js("window.during = ''; window.addEventListener('beforeprint', () => {"
            " window.during = document.documentElement.dataset.theme; })")  # fmt: skip
    browser.execute_cdp_cmd("Page.printToPDF", {})
    assert page.js("return window.during") == "light"
    assert page.js(theme) == "dark"
