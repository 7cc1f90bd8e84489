"""The list of the plans that come with the package."""

from selfknow.reproduce import four_questions
from selfknow.reproduce.plan import packaged_plans, read_plan


def plan_rows() -> list[dict[str, str]]:
    """Return a row for each packaged plan: its name, what it shows, its title and what it needs."""
    plans = [read_plan(path, name) for name, path in packaged_plans().items()]
    own = {"plan": four_questions.NAME, "shows": four_questions.SHOWS}
    own |= {"title": four_questions.TITLE, "needs": four_questions.NEEDS}
    return [
        own,
        *({"plan": plan.name, "shows": plan.shows or "", "title": plan.title, "needs": plan.needs} for plan in plans),
    ]
