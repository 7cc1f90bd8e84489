"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import selfknow.portraits

MODULES = [module.name for module in pkgutil.iter_modules(selfknow.portraits.__path__, "selfknow.portraits.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_there_are_examples() -> None:
    doctests = doctest.DocTestFinder().find(importlib.import_module("selfknow.portraits.portrait"))
    assert sum(len(test.examples) for test in doctests) > 5
