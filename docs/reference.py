"""For the reference of the site: parameters that a docstring explains together stay together."""

from itertools import groupby
from typing import Any

from griffe import DocstringParameter, DocstringSectionKind, Extension, Function, Module

TOLD = (DocstringSectionKind.parameters, DocstringSectionKind.other_parameters)


class Together(Extension):
    """Joins `network, dead`, which griffe takes apart: each has the whole explanation, and the type of the first."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Visit every function of a package that was read."""
        _visit(pkg)


def _visit(thing: Any) -> None:
    for member in thing.members.values():
        if member.is_alias:
            continue
        if isinstance(member, Function):
            _join(member)
        elif member.is_module or member.is_class:
            _visit(member)


def _join(function: Function) -> None:
    for section in function.docstring.parsed if function.docstring else ():
        if section.kind in TOLD:
            groups = [list(group) for _, group in groupby(section.value, key=lambda each: each.description)]
            section.value[:] = [group[0] if len(group) == 1 else _one(function, group) for group in groups]


def _one(function: Function, group: list[DocstringParameter]) -> DocstringParameter:
    """One entry for several; their type and their default are told where these are the same for all."""
    first = group[0]
    signed = {str(function.parameters[each.name].annotation) for each in group if each.name in function.parameters}
    same = len(signed) == 1 or str(first.annotation) not in signed
    default = first.value if len({each.value for each in group}) == 1 else None
    name = ", ".join(each.name for each in group)
    return DocstringParameter(
        name, annotation=first.annotation if same else None, description=first.description, value=default
    )
