"""The bench measures the same work done two ways."""

from experiments import bench


def test_both_ways_compute_the_same(monkeypatch):
    monkeypatch.setattr(bench, "STEPS", 7)
    ours = bench.systolic_plan(4).run(bench.SYSTOLIC, trace=False)
    assert ours.value == bench.run_plain(4)
    assert ours.messages == 2 * 4 * 3 * 7
    assert bench.SYSTOLIC.price(bench.axpy) == bench.COMPUTE
    assert bench.SYSTOLIC.links.wire(1) == bench.WIRE


def test_figures_have_the_promised_names(monkeypatch, capsys):
    monkeypatch.setattr(bench, "STEPS", 3)
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    figures = bench.systolic(sizes=(2, 3))
    for size in (2, 3):
        assert figures[f"systolic.{size}.ratio"] > 0
        assert figures[f"systolic.{size}.traced_ratio"] > 0
    assert set(bench.mesh(sizes=(2,))) == {
        "mesh.2.messages",
        "mesh.2.seconds",
        "mesh.2.messages_per_s",
        "mesh.2.traced_slowdown",
    }
    assert capsys.readouterr().out == ""
