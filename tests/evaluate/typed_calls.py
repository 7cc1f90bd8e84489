"""Calls that mypy checks (`make lint`): an ignored error that is none any more is an error itself.

Nothing here runs.
"""

from selfknow import Run, ask
from selfknow.evaluate.tasks.gsm8k.task import Gsm8kOptions


def right(name: str, run: Run) -> None:
    ask("self-aware", "org/model", out="run", form="icl", limit=20, temperature=0.7)
    ask("diary-recall:1k", lambda prompt: prompt, out="run", probes=True, max_requests=3)
    ask("self-knowledge:total-count", out="run", endpoint="http://host", style=["plain", "cot"], verifier="judge")
    ask(name, "org/model", out="run", limit=20, samples=3)
    ask("gsm8k:my.jsonl", "org/model", out="run", options=Gsm8kOptions(examples=False))
    run.score(encoder="packaged")
    run.query("metrics", columns=["metric", "mean"], where="n > 10", corpora=["corpora"])


def wrong(name: str, run: Run) -> None:
    ask("self-aware", "org/model", out="run", from_="icl")  # type: ignore[call-overload]
    ask("self-aware", "org/model", out="run", limit="20")  # type: ignore[call-overload]
    ask("self-aware", "org/model", out="run", probes=True)  # type: ignore[call-overload]
    ask("diary-recall:1k", "org/model", out="run", form="icl")  # type: ignore[call-overload]
    ask("gsm8k", "org/model", out="run", protocol="dual")  # type: ignore[call-overload]
    ask(name, "org/model", out="run", batchsize=3)  # type: ignore[call-overload]
    run.score(encoders="packaged")  # type: ignore[call-arg]
    run.query("metrics", columns="metric, mean", corpus="c")  # type: ignore[call-arg]
