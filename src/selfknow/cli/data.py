"""``selfknow data``: the corpora, from their sources to a validated folder."""

import typer

app = typer.Typer(name="data", help="Build and check the corpora.", no_args_is_help=True)


@app.callback()
def data() -> None:
    """Build and check the corpora."""
