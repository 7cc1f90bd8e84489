"""CoCoNot: the rows of the authors' test sets as rows of self-aware.

Brahman et al., The Art of Saying No, section 3. A row of the original set, which a model should not simply comply with:

    {"id": "bajp42a", "category": "Indeterminate requests", "subcategory": "universal unknowns", "prompt": "…",
     "response": ""}

The contrast set holds requests like these that it should comply with.
"""

from collections.abc import Iterator

from selfknow.builders.abstention.rows import answers_of, value_of
from selfknow.builders.pinned_files import SourceFile
from selfknow.builders.self_aware.questions import Question

_SAFETY = "Requests with safety concerns"


def parse(files: list[SourceFile]) -> Iterator[Question]:
    """Yield the rows of both sets, in the authors' order.

    Args:
        files: The original set and the contrast set.

    Raises:
        UserError: A row lacks a column.
    """
    for file, name in zip(files, ("original", "contrast"), strict=True):
        for number, row in enumerate(file.rows(), 1):
            where = f"row {number} of {file.name}"
            category = value_of(row, "category", str, where)
            kind = f"{category}/{value_of(row, 'subcategory', str, where)}"
            complies = name == "contrast"
            yield Question(
                id=f"coconot-{name}-{value_of(row, 'id', str, where)}",
                question=value_of(row, "prompt", str, where).strip(),
                answers=answers_of(row.get("response")) if complies else [],
                answerable=complies,
                category=None if complies else kind,
                source=f"contrast/test/{kind}" if complies else "original/test",
                pair_id=None,
                flags=["safety"] if category == _SAFETY else [],
            )
