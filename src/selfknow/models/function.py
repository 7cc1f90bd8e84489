"""A plain Python function as a model."""

from collections.abc import Callable, Iterator, Sequence

from selfknow.errors import UserError
from selfknow.models.any_reply import describe_error
from selfknow.models.function_identity import UnknowableError, hash_of_function
from selfknow.models.interface import Decoding, Reply, Request


class FunctionModel:
    """A function from a prompt to a reply, behind the interface of every model.

    An exception that it raises becomes the error of that request, and the run continues. Its revision is a hash of its
    code and the values that it uses. So a run can be resumed with the same function, and refuses another function of
    the same name.

    Args:
        function: Function that takes a text (earlier turns, the prompt and a started answer) and returns the text that
            follows.
        name: The model's name in the run; by default the function's own name. With a name, the function has no
            revision, and its code may change.

    Raises:
        UserError: There is no name, and the function uses an object that cannot be compared, such as a client.

    Example:
        >>> model = FunctionModel(lambda prompt: prompt.upper(), name="shout")
        >>> [reply.generation for _, reply in model.generate([Request("1", "hello")], Decoding())]
        ['HELLO']
    """

    name: str
    revision: str | None

    def __init__(self, function: Callable[[str], object], name: str | None = None) -> None:
        self._function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.revision = None if name else _revision(function, self.name)

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        """Answer requests one by one."""
        for request in requests:
            yield request, self._reply(request, decoding)

    def _reply(self, request: Request, decoding: Decoding) -> Reply:
        if request.forced is not None:
            return Reply(None, error="a function gives no log-probabilities")
        if request.image is not None:
            return Reply(None, error="a function cannot see pictures")
        try:
            text = self._function(request.text + request.started_answer)
            if not isinstance(text, str):
                return Reply(None, error=f"the function returned {type(text).__name__}, not text")
            stops = [text.find(stop) for stop in decoding.stop if stop in text]
            return Reply(text[: min(stops)] if stops else text, "stop")
        except Exception as error:  # a user's function may raise anything, and only this request fails
            return Reply(None, error=describe_error(error))


def _revision(function: Callable[[str], object], name: str) -> str:
    try:
        return hash_of_function(function)
    except UnknowableError as error:
        raise UserError(
            f"the function {name} cannot be compared with another function of that name ({error}): pass name='…', and "
            "a new name whenever the function changes"
        ) from error
