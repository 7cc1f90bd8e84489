"""The numbers that the papers published, table by table."""

from collections.abc import Mapping

from selfknow.builders.sources import DATASETS_SRC

PUBLISHED = DATASETS_SRC / "published"


def published_table(paper: str, table: str) -> list[dict[str, object]]:
    """Return the rows of a paper's table, with its columns in their order.

    Args:
        paper: The paper, such as ``how-much-they-know``.
        table: The table, such as ``table-1``.

    Returns:
        The rows, or none if the package lacks the table's numbers. Percentages are texts as in the paper (``91.94%``).
    """
    from selfknow.builders.tables import read_table

    if not (PUBLISHED / f"{paper}.tsv").is_file():
        return []
    cells = [row for row in read_table(f"published/{paper}.tsv") if row["table"] == table]
    columns = list(dict.fromkeys(row["column"] for row in cells))
    rows: dict[str, dict[str, object]] = {}
    for cell in cells:
        rows.setdefault(cell["row"], {"": cell["row"], **dict.fromkeys(columns)})[cell["column"]] = _shown(cell)
    return list(rows.values())


def _shown(cell: Mapping[str, str]) -> str | None:
    if not cell["value"]:
        return None
    return f"{cell['value']}%" if cell["unit"] == "percent" else cell["value"]
