"""What is damaged and then used: the shape that every kind of input has here."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random


class WrongNumberError(AssertionError):
    """Something was read from damaged input, and is not what the sound input says, though nothing was refused."""


@dataclass(frozen=True)
class Target:
    """One kind of input.

    Attributes:
        name: Such as ``portraits``.
        make: Writes a sound input into an empty folder.
        damage: Damages that folder; returns the kind of damage.
        use: Uses the folder in every way that users do: returns ``same`` where all that was read is what the sound
            input says, ``other`` where something else that is valid was read, as from a plan with another seed. Raises
            :class:`~selfknow.errors.UserError` where it refuses; whatever else it raises is a defect.
    """

    name: str
    make: Callable[[Path], None]
    damage: Callable[[Path, Random], str]
    use: Callable[[Path, Random], str]

    def use_sound(self, folder: Path) -> None:
        """Use a folder that nothing was done to: else a refusal would say nothing of the damage.

        Raises:
            AssertionError: It is refused.
        """
        try:
            self.use(folder, Random(0))
        except Exception as error:
            raise AssertionError(f"sound {self.name} are refused: {error}") from error


def fresh_copy(sound: Path, folder: Path) -> None:
    """Make the folder a copy of the sound one."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(sound, folder)
