"""Other readers of abstaining beside the patterns: their gains in recall, and their costs in the other aims.

    python -m benchmarks.abstention_frontier --chat-replies FILE

The command fits two learnt readers, which decide only if no pattern matches: a logistic model over n-grams, and one
over the packaged encoder's vectors. Both see only words that many authors use; all other words are masked. They are
fitted to the part ``chosen``, with plain chat answers, templates and echoes as negatives. They are measured on other
replies. The results go to ``frontier.tsv``, for the instrument's page. This takes some minutes on two cores.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks import abstention_aims as aims
from selfknow.builders.self_aware.encoders import PACKAGED, load_encoder
from selfknow.builders.sources import DATASETS_SRC
from selfknow.evaluate.replies import without_thinking
from selfknow.evaluate.tasks.self_aware.read_replies import CHOSEN, ReadReply, read_replies
from selfknow.evaluate.tasks.self_aware.reading import ANSWERS, UNREADABLE, own_sentences, read_reply

TABLE = "self_aware/replies/frontier.tsv"
COLUMNS = ("reader", "measure", "abstaining", "n")
PATTERNS = "patterns"
FEWEST_AUTHORS, FEWEST_REPLIES = 7, 25  # words that fewer authors use, or fewer replies have, are masked
MASK = "_"
NGRAMS_ABOVE, HEAD_ABOVE = (0.7, 0.8, 0.95), (0.5, 0.7)
Likely = Callable[[Sequence[str]], Sequence[float]]
"""A function from masked texts to their probabilities of abstaining."""


def by_patterns(reply: str, prompt: str) -> bool:
    """Return true if the default scorer takes a reply for abstaining."""
    return read_reply(reply, prompt).abstained == 1


def words_of(reply: str, prompt: str) -> list[str]:
    """Return the words of a reply's first two sentences and its last, with the full stops."""
    sentences = own_sentences(without_thinking(reply, prompt).text, prompt)
    ends = sentences if len(sentences) <= 3 else [*sentences[:2], sentences[-1]]
    return " . ".join(ends).replace(".", " . ").replace(",", " ").replace("?", " ").split()


def common_words(replies: Iterable[ReadReply]) -> frozenset[str]:
    """Return the words that enough authors use in enough replies."""
    authors: dict[str, set[str]] = defaultdict(set)
    counts: dict[str, int] = defaultdict(int)
    for reply in replies:
        for word in set(words_of(reply.reply, aims.prompt_of(reply))):
            authors[word].add(reply.author)
            counts[word] += 1
    return frozenset(word for word in counts if counts[word] >= FEWEST_REPLIES and len(authors[word]) >= FEWEST_AUTHORS)


def mask(words: Sequence[str], common: frozenset[str]) -> str:
    """Replace every run of uncommon words by a placeholder.

    >>> mask(["nobody", "knows", "old", "tunes", "."], frozenset({"nobody", "knows", "."}))
    'nobody knows _ .'
    """
    tokens = [word if word in common else MASK for word in words]
    return " ".join(token for place, token in enumerate(tokens) if token != MASK or tokens[place - 1 : place] != [MASK])


def training(chat: Sequence[aims.ChatReply]) -> list[tuple[str, str, bool]]:
    """Return the replies, prompts and labels that learnt readers are fitted to."""
    replies = [reply for reply in read_replies() if reply.part == CHOSEN and reply.kind != UNREADABLE]
    rows = [(reply.reply, aims.prompt_of(reply), reply.abstains) for reply in replies]
    plain = [reply for reply in chat if reply.label == ANSWERS and reply.model in aims.CHOSEN_MODELS]
    rows += [(reply.reply, reply.prompt, False) for reply in plain]
    for template in aims.templates():
        if not aims.is_held_out(template):
            rows += [(reply, prompt, False) for reply, prompt in list(aims.replies_of_template(template))[:20]]
    texts = [question.question for question in aims.all_questions()]
    texts_to_echo = [text for text in texts if not aims.is_held_out(text)][::2]
    return rows + [(aims.echo(text), aims.cue(text), False) for text in texts_to_echo]


def ngram_reader(texts: Sequence[str], labels: Sequence[bool]) -> Likely:
    """Fit a logistic model over masked words, pairs and triples."""
    vectorizer = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 3), binary=True, min_df=2)
    model = LogisticRegression(C=1.0, max_iter=1000).fit(vectorizer.fit_transform(texts), labels)
    return lambda texts: model.predict_proba(vectorizer.transform(texts))[:, 1]


def encoder_head(texts: Sequence[str], labels: Sequence[bool]) -> Likely:
    """Fit a logistic model over the packaged encoder's vectors of masked texts; every text is encoded once."""
    encode = load_encoder(PACKAGED)
    known: dict[str, Any] = {}

    def vectors(texts: Sequence[str]) -> Any:
        new = sorted(set(texts) - known.keys())
        for start in range(0, len(new), 256):
            batch = new[start : start + 256]
            known.update(zip(batch, encode(batch), strict=True))
        return np.stack([known[text] for text in texts])

    model = LogisticRegression(C=10.0, max_iter=2000).fit(vectors(texts), labels)
    return lambda texts: model.predict_proba(vectors(texts))[:, 1]


def measure(reads: aims.Reads, chat: Sequence[aims.ChatReply]) -> dict[str, aims.Count]:
    """Return a reader's counts by measure, on replies that no learnt reader was fitted to."""
    unseen = aims.unseen_replies()
    real = [reply for reply in unseen if reply.is_real]
    by_template = aims.false_on_templates(reads, aims.is_held_out)
    worst = max(by_template.values(), key=lambda count: count.share)
    unanswerable, answerable = aims.abstained_from_echoes(reads, aims.is_held_out)
    return {
        "chat": aims.false_on_chat(reads, chat, chosen=False),
        "chat, abstained": aims.recognised_on_chat(reads, chat),
        "templates": aims.Count(
            sum(count.abstaining for count in by_template.values()), sum(count.n for count in by_template.values())
        ),
        "worst template": worst,
        "echo, unanswerable": unanswerable,
        "echo, answerable": answerable,
        "abstained": aims.recognised(reads, unseen),
        "abstained, real": aims.recognised(reads, real),
        "false, real": aims.false_on_replies(reads, real),
    }


def frontier(chat: Sequence[aims.ChatReply]) -> dict[str, Mapping[str, aims.Count]]:
    """Return the counts of every reader, by its name."""
    rows = training(chat)
    common = common_words(reply for reply in read_replies() if reply.part == CHOSEN)
    texts = [mask(words_of(reply, prompt), common) for reply, prompt, _ in rows]
    labels = [label for _, _, label in rows]
    print(f"{len(rows):,} replies to fit to, {len(common)} words are not masked")
    counts: dict[str, Mapping[str, aims.Count]] = {PATTERNS: measure(by_patterns, chat)}
    readers = [("n-grams", ngram_reader, NGRAMS_ABOVE), ("head on the encoder", encoder_head, HEAD_ABOVE)]
    for name, fit, thresholds in readers:
        likely = fit(texts, labels)
        likelihoods: dict[tuple[str, str], float] = {}

        def collect(reply: str, prompt: str) -> bool:
            likelihoods[reply, prompt] = 0.0  # noqa: B023
            return False

        measure(collect, chat)  # this collects all texts, so that they are encoded in batches
        texts_to_read = [mask(words_of(*reply_and_prompt), common) for reply_and_prompt in likelihoods]
        likelihoods = dict(zip(likelihoods, map(float, likely(texts_to_read)), strict=True))
        for threshold in thresholds:
            counts[f"{PATTERNS}, or {name} above {threshold:g}"] = measure(
                lambda reply, prompt, threshold=threshold, likelihoods=likelihoods: (  # type: ignore[misc]
                    by_patterns(reply, prompt)
                    or (likelihoods[reply, prompt] > threshold and read_reply(reply, prompt).kind == ANSWERS)
                ),
                chat,
            )
    return counts


def main() -> None:
    """Measure every reader and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chat-replies", type=Path, required=True, help="the labelled replies of chat models")
    chat = aims.chat_replies(parser.parse_args().chat_replies)
    lines = [
        f"{reader}\t{measure}\t{count.abstaining}\t{count.n}"
        for reader, counts in frontier(chat).items()
        for measure, count in counts.items()
    ]
    (DATASETS_SRC / TABLE).write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n", encoding="utf-8")
    print(f"wrote {TABLE}")


if __name__ == "__main__":
    main()
