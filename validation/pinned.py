"""The expectations of a manifest whose configs are made of pinned files: those files, and one licence per folder."""

from collections.abc import Mapping, Sequence

from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.builders.pinned_files import PinnedSource
from selfknow.validation.folder.fact import Fact

STATEMENTS = {
    "parameters": "a config is one that its dataset has, made from its repository (otherwise its rows are not checked)",
    "splits": "a config has its dataset's splits (otherwise its rows are not checked)",
    "pinned_files": "the rows come from the pinned files, by SHA-256 where it is known",
    "one_licence": "all configs of a folder come under one licence: a card covers its whole repo",
}


def facts_of_sources(manifest: Manifest, sources: Mapping[str, PinnedSource], splits: Sequence[str]) -> list[Fact]:
    """Return the facts of a manifest whose configs are made of pinned files and have these splits."""
    licences = {sources[config].licence for config in manifest.configs if config in sources}
    licence = min(licences, default="")
    return [
        Fact("one_licence", None, None, "licence", licence, ", ".join(sorted(licences))),
        *(fact for config, entry in manifest.configs.items() for fact in _facts(config, entry, sources, splits)),
    ]


def _facts(
    config: str, entry: ConfigEntry, sources: Mapping[str, PinnedSource], splits: Sequence[str]
) -> Sequence[Fact]:
    if config not in sources:
        return [Fact("parameters", config, None, "config", ", ".join(sources), config)]
    source = sources[config]
    sha256 = entry.parameters.get("sha256")
    # Without files, an entry that is not pinned makes the expectation fail.
    files = sha256 if isinstance(sha256, dict) and sha256 else {"none": "nothing"}
    return [
        Fact("parameters", config, None, "repository", source.address, str(entry.parameters.get("repository"))),
        Fact("splits", config, None, "splits", ", ".join(splits), ", ".join(entry.splits)),
        *(
            Fact(
                "pinned_files", config, None, name, digest if source.expects(name, digest) else "a pinned file", digest
            )
            for name, digest in files.items()
        ),
    ]
