"""The paper's models by their exact names: a name in its suite, or the checkpoint's id on the Hub.

They are listed in ``datasets_src/models.tsv``, after Prato et al., Do Large Language Models Know How Much They Know?,
Table 4. Flan-T5 is T5 1.1 after further training as a language model and tuning on instructions (Chung et al., Scaling
Instruction-Finetuned Language Models, section 2.2); OPT and Pythia are base models.
"""

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class KnownModel:
    """A model of the paper.

    Attributes:
        name: Its name in the suite, such as ``opt-125m``.
        checkpoint: Its id on the Hub; null if it was never published.
        label: Its name in tables.
        suite: Its group in tables.
        num_parameters: The published number of parameters.
        instruction_tuned_from: The base model from which it was tuned; null for a base model.
    """

    name: str
    checkpoint: str | None
    label: str
    suite: str
    num_parameters: int
    instruction_tuned_from: str | None


@cache
def _models() -> dict[str, KnownModel]:
    from selfknow.builders.tables import read_table

    models: dict[str, KnownModel] = {}
    for row in read_table("models.tsv"):
        model = KnownModel(
            row["name"],
            row["checkpoint"] or None,
            row["label"],
            row["suite"],
            int(row["num_parameters"]),
            row["instruction_tuned_from"] or None,
        )
        models |= {name: model for name in (model.name, model.checkpoint) if name}
    return models


def known_model(name: str | None) -> KnownModel | None:
    """Return the model of exactly this name or Hub id; null for any other name.

    Example:
        >>> known_model("facebook/opt-125m").label
        'OPT 125M'
        >>> known_model("out/facebook/opt-125m") is None
        True
    """
    return None if name is None else _models().get(name)
