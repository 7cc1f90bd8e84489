"""What a person or their data can get wrong, told apart from our own mistakes."""


class UserError(ValueError):
    """A mistake that its maker can mend: the message is one clear line and says how.

    The command line prints it on stderr without a traceback and exits with code 2.
    """


class MissingExtraError(UserError):
    """A part of selfknow was used whose optional dependencies are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra [{extra}]: pip install 'selfknow[{extra}]'")


class SelfknowWarning(UserWarning):
    """Something that goes on, but that its user should know: the command line shows its one line on stderr, once."""
