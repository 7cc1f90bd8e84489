"""The questions of a report in their order, how to read each, and what is said of one that has no answer."""

from collections.abc import Mapping

TASKS: Mapping[str, str] = {
    "diary-recall": "How much does it know?",
    "self-aware": "What does it not know?",
    "self-knowledge": "Does it understand what it creates?",
    "according-to": "Does it quote?",
}
"""The tasks that a report knows, and what each asks of a model."""

READINGS: Mapping[str, str] = {
    "accuracy_by_size": "Exact match of whole answers; dashed: right entries, but a random number of them.",
    "setup_gap": "Accuracy with all entries in one document, less accuracy with a document each. Zero: no difference.",
    "over_and_under_recall": "Too few documents to the left, too many to the right, as shares of the graded answers.",
    "count_and_content": "Exact match is right count times right content: which of the two lets it down?",
    "recalled_documents": "A model that knows how much it knows lies on the diagonal; one that does not, anywhere.",
    "accuracy_by_documents": "A flat line: recalling more documents is no harder. The dashed line is chance.",
    "document_accuracy": "Of the recalled documents that are in the target, the share without an error.",
    "recalled_sentences": "The diagonal again, within documents: sentences recalled against sentences that there are.",
    "stop_curve": "The probability of ending, against the next title, after each entry of the true answer: it should "
    "stay at 0 and jump to 1 after the last one.",
    "probes": "Answers started out of order: A second entry alone, B first then third, C half of the first, D half of "
    "the first then the second, E last then first.",
    "pretrained_or_scratch": "The same architecture, from the published weights and from random ones.",
    "wrong_answers": "Every answer by what became of it; failed requests are no wrong answers, but they are shown.",
    "wrong_documents": "The bodies of wrong documents, looked up in the corpus. Dashed: what random bodies would give; "
    "below five sentences a random body is often somebody's.",
    "accuracy_by_name_frequency": "How many diarists share the rarest word of the name: are common names mixed up?",
    "quoted_answers": "The share of the text's n-grams that stand in the training text; the tick is random bodies that "
    "nobody wrote. An answer that is quoted no more than those says nothing about whether it is right.",
    "self_aware/self_aware_f1": "F1 of abstaining where there is no answer, and only there; the tick is always "
    "abstaining. Each scorer judges for itself what abstaining is.",
    "self_aware/self_aware_by_category": "The share of each kind of unanswerable questions that it abstains from.",
    "self_knowledge/self_knowledge_summary": "What it wrote has the property that was asked for; what it said about it "
    "is true; both times the same answer. Only together do they mean that it understands.",
    "self_knowledge/self_knowledge_tables": "Self-consistency by task: the answer again that the text was written for.",
    "self_knowledge/self_knowledge_writing_or_reading": "Every text by what went wrong: the writing, the reading, "
    "both, neither, or unknown where no program can decide.",
    "according_to/according_to_kinds": "The mean over the grounding and over the anti-grounding prompts, each question "
    "weighing the same, beside the null prompt.",
    "according_to/according_to_table": "Each prompt in the order of the paper's Table 1; the tick is the null prompt.",
    "according_to/according_to_changes": "What each prompt changes against the null prompt on the same questions. Left "
    "of zero it quotes less, or answers worse.",
    "according_to/according_to_by_size": "What a prompt changes in QUIP, the smallest model first: right of zero it "
    "quotes more.",
    "according_to/according_to_by_tuning": "How much more an instruction-tuned model's QUIP changes than that of the "
    "model that it was tuned from.",
    "according_to/according_to_popularity": "Whether more is quoted of what the corpus tells more often.",
    "metrics": "Every metric that scoring wrote, as it is.",
}
"""The questions of a report, in their order, and how to read each."""

_NOTHING = {
    "setup_gap": "no model was asked in both setups at one dataset size",
    "probes": "no run holds continuation probes (selfknow evaluate … --probes)",
    "stop_curve": "no run holds entry boundaries (selfknow evaluate … --stop)",
    "pretrained_or_scratch": "of no model is it known whether it started from pre-trained weights",
    "wrong_documents": "there is no wrong document",
    "according_to/according_to_by_size": "of no model is the number of parameters known",
    "according_to/according_to_by_tuning": "no run says which model its own was tuned from "
    "(selfknow evaluate … --instruction-tuned-from)",
    "according_to/according_to_popularity": "no run says how often its entities occur together "
    "(selfknow evaluate … --counts)",
}


def nothing_to_say(name: str, task: str | None) -> str:
    """Why a question has no row."""
    what = "diary answers" if task == "diary-recall" else f"replies of {task}" if task else "replies"
    return _NOTHING.get(name, f"no run holds scored {what}")
