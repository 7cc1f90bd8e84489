"""Links from a dataset's card to the Hub's SQL console; they name the repo, so they are added when it is published."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from huggingface_hub import constants

from selfknow.builders.folder.manifest import ConfigEntry

HEADING = "## Ask it in SQL"
_SECTION = re.compile(rf"\n*^{HEADING}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def add_sql_console_links(card: str, repo: str, configs: Mapping[str, ConfigEntry]) -> str:
    r"""Append links to the SQL console to a card, one for every split; they replace earlier links.

    The console runs DuckDB in the reader's browser; each split of the shown config is a table named after it.

    Args:
        card: The text of ``README.md``.
        repo: ``org/name``.
        configs: The manifest's configs.

    Example:
        >>> add_sql_console_links("# Mine\n", "org/mine", {}).splitlines()[2]
        '## Ask it in SQL'
    """
    lines = [
        f"- `{name}`: " + ", ".join(f"[{split}]({_address(repo, name, split)})" for split in config.splits)
        for name, config in configs.items()
    ]
    intro = "In the browser, with nothing installed: each link opens the Hub's SQL console on a split."
    body = "\n".join(lines)
    return f"{_SECTION.sub('', card).rstrip()}\n\n{HEADING}\n\n{intro}\n\n{body}\n"


def _address(repo: str, config: str, split: str) -> str:
    return f"{constants.ENDPOINT}/datasets/{repo}/viewer/{quote(config)}/{quote(split)}?sql_console=true"
