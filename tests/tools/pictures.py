"""What is wrong with a figure as it would be saved: what a look at it would find, and a program can."""

from itertools import combinations

from matplotlib.legend import Legend

SMALLEST = 6.0
"""Points of the smallest letters that are read on paper."""
TOUCH = 1.0
"""Pixels by which boxes of letters may overlap: they have empty edges."""


def texts_of(figure):
    """All texts of a figure that are drawn, with what they are."""
    found = {}
    for axes in figure.axes:
        if not axes.get_visible():
            continue
        for text in (axes.title, axes._left_title, axes._right_title, *axes.texts):
            found[text] = "text"
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            if not axis.get_visible():
                continue
            found[axis.label] = "label"
            found[axis.offsetText] = "offset"
            for tick in axis._update_ticks():
                found[tick.label1] = found[tick.label2] = "tick"
    for text in figure.texts:
        found[text] = "text"
    for title in (figure._suptitle, figure._supxlabel, figure._supylabel):
        if title is not None:
            found[title] = "text"
    for legend in legends_of(figure):
        for text in (*legend.get_texts(), legend.get_title()):
            found[text] = "legend"
    return {text: what for text, what in found.items() if text.get_visible() and text.get_text().strip()}


def legends_of(figure):
    return figure.findobj(Legend)


def defects(figure):
    """What is cut, overlaps, is too small to read or without a name, as sentences; none if nothing is."""
    figure.draw_without_rendering()
    page = figure.bbox
    texts = texts_of(figure)
    boxes = {text: text.get_window_extent() for text in texts}
    found = []
    for text, box in boxes.items():
        said = repr(text.get_text())
        if box.x0 < page.x0 - TOUCH or box.x1 > page.x1 + TOUCH or box.y0 < page.y0 - TOUCH or box.y1 > page.y1 + TOUCH:
            found.append(f"{said} is cut by the edge")
        if text.get_fontsize() < SMALLEST:
            found.append(f"{said} has letters of {text.get_fontsize():.1f} points")
    for (first, one), (second, other) in combinations(boxes.items(), 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        up = min(one.y1, other.y1) - max(one.y0, other.y0)
        slanted = any(text.get_rotation() % 90 for text in (first, second))
        lowered = any(text.get_text().startswith("\n") for text in (first, second))
        if across > TOUCH and up > TOUCH and not slanted and not lowered:
            found.append(f"{first.get_text()!r} and {second.get_text()!r} overlap")
    return found + _legend_defects(figure) + _axis_defects(figure)


def _legend_defects(figure):
    found = []
    page = figure.bbox
    for legend in legends_of(figure):
        box = legend.get_window_extent()
        if not (page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1 and page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1):
            found.append("a legend is cut by the edge")
        for axes in figure.axes:
            if axes.get_visible() and legend.axes is None and box.overlaps(axes.get_window_extent()):
                found.append("a legend lies on a panel")
            if legend.axes is axes:
                points = [axes.transData.transform(line.get_xydata()) for line in axes.lines if len(line.get_xydata())]
                if any(box.contains(*point) for some in points for point in some):
                    found.append("a legend hides data")
        told = [text.get_text() for text in legend.get_texts()]
        if len(set(told)) < len(told):
            found.append(f"a legend has twice the same: {told}")
    return found


def _axis_defects(figure):
    found = []
    for axes in figure.axes:
        if not axes.get_visible() or not axes.axison:
            continue
        if not axes.has_data():
            found.append(f"a panel is empty: {axes.get_title(loc='left') or axes.get_title()!r}")
        for name, axis, shared, other in (
            ("x", axes.xaxis, axes.get_shared_x_axes(), figure._supxlabel),
            ("y", axes.yaxis, axes.get_shared_y_axes(), figure._supylabel),
        ):
            spec = axes.get_subplotspec()
            beside = [other for other in figure.axes if spec and other.get_subplotspec() and other is not axes]
            line = "colspan" if name == "x" else "rowspan"
            beside = [other for other in beside if getattr(other.get_subplotspec(), line) == getattr(spec, line)]
            group = [*shared.get_siblings(axes), *beside]
            labelled = any(getattr(each, f"get_{name}label")() for each in group)
            if axis.get_visible() and len(axis.get_ticklocs()) and not labelled and other is None:
                found.append(f"a panel has no {name} label: {axes.get_title(loc='left') or axes.get_title()!r}")
            ticks = [tick.label1.get_text() for tick in axis._update_ticks() if tick.label1.get_visible()]
            counts = ("joints", "processors", "pieces", "n")
            if any(word in axis.label.get_text().split() for word in counts) and "/" not in axis.label.get_text():
                found += [f"a count is {tick}" for tick in ticks if "." in tick]
            if ticks and not any(tick.strip() for tick in ticks) and axes in group and not shared.joined(axes, axes):
                found.append(f"no tick of {name} is labelled")
            if len([tick for tick in ticks if tick.strip()]) == 1 and axis.get_scale() == "log":
                found.append(f"one tick alone on a logarithmic {name} axis")
    return found
