"""What a notebook shows: networks, machines, pages in a cell."""

import re
import sys
from html import unescape
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from tools.browser import Opened, chromium

import meshsim as ms
from meshsim.experiments.pages.display import machine_html, network_html, tell_notebook
from meshsim.network import Network

SVG = "{http://www.w3.org/2000/svg}"


def drawn(network):
    """The line above a drawing, and the drawing."""
    line, _, svg = network_html(network).partition("<svg")
    return line, ElementTree.fromstring(f"<svg{svg}")


@pytest.mark.parametrize(
    ("name", "nodes", "links"),
    [
        ("square-mesh:3x4", 12, 17),
        ("hypercube:3", 8, 12),
        ("binary-tree:3", 7, 6),
        ("omega:4", 8, 12),
        ("bus:5", 5, 10),
    ],
)
def test_a_network_is_drawn(name, nodes, links):
    line, svg = drawn(ms.load_network(name))
    assert len(svg.findall(f"{SVG}g")) == nodes
    assert len(svg.findall(f"{SVG}polyline")) == links
    assert f"{links} links" in line


def test_what_is_dead_is_dashed_and_names_are_text():
    graph = ms.load_network("square-mesh:2x2").graph.copy()
    graph.graph["name"] = "<b>mine</b>"
    line, svg = drawn(Network(graph, dead=[(1, 1)]))
    assert "&lt;b&gt;mine&lt;/b&gt;: 3 processors, 4 links, 1 dead" in line
    assert sum("stroke-dasharray" in way.attrib for way in svg.findall(f"{SVG}polyline")) == 2
    assert sum("stroke-dasharray" in box.attrib for box in svg.iter(f"{SVG}rect")) == 1


def test_a_machine_is_a_table_of_its_costs():
    page = machine_html(ms.load_machine("t800"))
    rows = dict(re.findall(r"<tr><td>(.*?)</td><td>(\d+)</td>", page))
    links = ms.load_machine("t800").links
    assert (rows["mul"], rows["div"]) == ("10", "10")
    assert (rows["start of a message"], rows["word of a message"]) == (str(links.startup), str(links.per_word))
    assert "<caption>t800: a tick is 100 ns" in page


def test_a_notebook_is_told_of_both_by_name(monkeypatch):
    told = {}

    def for_type_by_name(module, name, function):
        told[module, name] = function

    formatter = SimpleNamespace(for_type_by_name=for_type_by_name)
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": formatter}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    tell_notebook()
    assert told == {("meshsim.network", "Network"): network_html, ("meshsim.machine", "Machine"): machine_html}
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    tell_notebook()  # IPython is there and no notebook is


@pytest.mark.usefixtures("in_full")
def test_a_run_shows_its_picture_and_its_page_in_a_cell(tmp_path):
    result = ms.solve("random:2:1", "feedforward-lu", "ideal")
    assert '<img style="max-width: 100%" src="data:image/png;base64,iVBOR' in result._repr_html_()
    cell = result.show(700)._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in cell
    assert 'height="700"' in cell
    result.report(tmp_path / "page.html")
    assert unescape(re.search(r'srcdoc="(.*?)"', cell, re.DOTALL)[1]) == (tmp_path / "page.html").read_text()


def test_a_page_in_a_cell_works(tmp_path):
    browser = chromium()
    try:
        cell = ms.solve("random:2:1", "feedforward-lu", "ideal").show()._repr_html_()
        (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><html data-ready='yes'><body>{cell}</body></html>")
        page = Opened(browser, tmp_path / "notebook.html")
        browser.switch_to.frame(0)
        for _ in range(100):
            if page.js("return document.documentElement.dataset.ready") == "yes":
                break
        assert page.js("return document.querySelectorAll('canvas').length") >= 2
        assert page.complaints() == []
    finally:
        browser.quit()
