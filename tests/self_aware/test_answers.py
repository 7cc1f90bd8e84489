"""The answers that a program can find: each expression of the column ``check`` gives the answer beside it."""

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

import countryinfo
import periodictable
import pycountry
import pytest
import sympy

from selfknow.builders.self_aware.question_text import normalized
from selfknow.builders.tables import items_of, read_table

ROWS = read_table("self_aware/answerable.tsv")
CHECKED = [row for row in ROWS if row["check"]]
_NUMBER = re.compile(r"\$?(\d+(?:,\d{3})*(?:\.\d+)?|\d+/\d+)(?:th)?(?: [a-z' .]+)?")
_ELEMENTS: Mapping[str, periodictable.core.Element] = {element.symbol: element for element in periodictable.elements}


def _country(name: str) -> countryinfo.CountryInfo:
    return countryinfo.CountryInfo(name)


def _borders(name: str) -> list[str]:
    return [str(pycountry.countries.get(alpha_3=code).name) for code in _country(name).borders()]


def _clock(hours: sympy.Rational) -> str:
    minutes = int(hours * 60)
    return f"{minutes // 60}:{minutes % 60:02d}"


def _day(start: str, num_days: int) -> str:
    rows = date.fromisoformat(start) + timedelta(days=int(num_days))
    return f"{rows.day} {calendar.month_name[rows.month]} {rows.year}"


PACKAGES: Mapping[str, Mapping[str, Callable[..., object]]] = {
    "arithmetic": {"clock": _clock},  # and all of sympy
    "calendar": {
        "isleap": lambda year: calendar.isleap(int(year)),
        "days": lambda first, last: (date.fromisoformat(last) - date.fromisoformat(first)).days,
        "weekday": lambda day: calendar.day_name[date.fromisoformat(day).weekday()],
        "day": _day,
        "clock": _clock,
    },
    "countryinfo": {
        "capital": lambda name: _country(name).capital(),
        "borders": _borders,
        "currency": lambda name: pycountry.currencies.get(alpha_3=_country(name).currencies()[0]).name,
        "subregion": lambda name: _country(name).subregion(),
    },
    "periodictable": {
        "number": lambda symbol: _ELEMENTS[symbol].number,
        "element": lambda number: periodictable.elements[int(number)].name,
        "density": lambda symbol: _ELEMENTS[symbol].density,
        "atoms": lambda formula, symbol: periodictable.formula(formula).atoms[_ELEMENTS[symbol]],
    },
}


def value(check: str, package: str) -> object:
    """Return what an expression comes to, numbers without rounding."""
    rows = sympy.sympify(check, locals=dict(PACKAGES[package]))
    return sympy.sympify(rows) if isinstance(rows, bool) else rows


def agrees(value: object, answers: list[str]) -> bool:
    """Return true if a value is one of the answers: a yes or no, a text, or a number with or without its unit."""
    if value in (sympy.true, sympy.false):
        return answers == ["yes" if value else "no"]
    if isinstance(value, list):
        [value] = value
    if isinstance(value, str | sympy.Symbol):
        return normalized(str(value)) in map(normalized, answers)
    numbers = [match[1].replace(",", "") for answer in answers if (match := _NUMBER.fullmatch(answer))]
    return sympy.nsimplify(value, rational=True) in map(sympy.Rational, numbers)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_answer_that_is_said_to_be_checked_is_what_a_program_finds(package: str) -> None:
    rows = [row for row in CHECKED if row["checked_by"] == package]
    assert rows
    assert [row for row in rows if not agrees(value(row["check"], package), items_of(row["answers"]))] == []


def test_every_other_answer_was_read() -> None:
    assert {row["checked_by"] for row in ROWS if not row["check"]} == {"read twice"}
    assert {row["checked_by"] for row in CHECKED} == set(PACKAGES)


@pytest.mark.parametrize(
    ("package", "check", "answers"),
    [
        ("arithmetic", "6 * 7", ["43", "forty-two"]),
        ("arithmetic", "1/6", ["6"]),
        ("arithmetic", "2 + 2 == 4", ["no"]),
        ("arithmetic", "isprime(9)", ["yes"]),
        ("countryinfo", "capital('Peru')", ["Cusco"]),
        ("calendar", "weekday('2026-01-01')", ["Friday"]),
    ],
)
def test_a_wrong_answer_does_not_agree(package: str, check: str, answers: list[str]) -> None:
    assert not agrees(value(check, package), answers)
