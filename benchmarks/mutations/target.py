"""The interface of all kinds of input that are damaged and then used."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


class WrongNumberError(AssertionError):
    """A wrong value that was read from damaged input without a refusal."""


@dataclass(frozen=True)
class Target:
    """A kind of input.

    Attributes:
        name: The name of the kind, such as ``portraits``.
        make: Write a sound input into an empty folder.
        damage: Damage that folder, and return the kind of damage.
        use: Use the folder in every way that users do. Return ``same`` if all values are those of the sound input, and
            ``other`` if they are other valid values, such as those of a plan with another seed. Raise
            :class:`~selfknow.errors.UserError` to refuse the input; any other exception is a defect.
    """

    name: str
    make: Callable[[Path], None]
    damage: Callable[[Path, Random], str]
    use: Callable[[Path, Random], str]

    def use_sound(self, folder: Path) -> None:
        """Use an undamaged folder. If it were refused, refusals of damaged folders would say nothing.

        Raises:
            AssertionError: The folder is refused.
        """
        try:
            self.use(folder, Random(0))
        except Exception as error:
            raise AssertionError(f"sound {self.name} are refused: {error}") from error


def fresh_copy(sound: Path, folder: Path) -> None:
    """Replace the folder by a copy of the sound one."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(sound, folder)
