"""The list of the plans that come with the package."""

from itertools import groupby
from textwrap import wrap

from selfknow.reproduce import four_questions
from selfknow.reproduce.plan import packaged_plans, read_plan

_GROUPS = {
    "": "One model, all four questions",
    "according-to": "Weller et al., “According to …”: Prompting Language Models Improves Quoting",
    "how-much-they-know": "Prato et al., Do Large Language Models Know How Much They Know?",
    "small-models": "Small models on two cores",
    "understand-what-i-create": "Tan et al., Can I Understand What I Create?",
    "what-they-dont-know": "Yin et al., Do Large Language Models Know What They Don't Know?",
}
_WIDTH, _NAME_WIDTH = 100, 22


def plan_rows() -> list[dict[str, str]]:
    """Return a row for each packaged plan: its name, what it shows, its title and what it needs."""
    plans = [read_plan(path, name) for name, path in packaged_plans().items()]
    first = {"plan": four_questions.NAME, "shows": four_questions.SUMMARY}
    first |= {"title": four_questions.TITLE, "needs": four_questions.NEEDS}
    return [
        first,
        *({"plan": plan.name, "shows": plan.shows or "", "title": plan.title, "needs": plan.needs} for plan in plans),
    ]


def plan_list() -> str:
    """Return a text that lists the packaged plans by paper, in lines of at most 100 columns."""
    rows = sorted(plan_rows(), key=lambda row: _paper(row["plan"]))
    lines: list[str] = []
    for paper, group in groupby(rows, key=lambda row: _paper(row["plan"])):
        lines += ["", _GROUPS[paper], f"  selfknow reproduce {paper}{'/' if paper else ''}NAME --out FOLDER", ""]
        for row in group:
            title = f"{row['shows']}: {row['title']}" if row["shows"] else row["title"]
            texts = [*_wrapped(title), *_wrapped(f"needs {row['needs']}")]
            names = [row["plan"].rpartition("/")[2], *([""] * (len(texts) - 1))]
            lines += [f"  {name:{_NAME_WIDTH}}{text}" for name, text in zip(names, texts, strict=True)]
    return "\n".join(lines[1:])


def _paper(plan: str) -> str:
    return plan.rpartition("/")[0]


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH - _NAME_WIDTH - 2, break_long_words=False, break_on_hyphens=False)
