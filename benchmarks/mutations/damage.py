"""Random damage from a seed: to bytes, to JSON, to the lines of a text, to the files of a folder."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

Damage = Callable[[bytes, Random], bytes]

_NUMBERS: tuple[object, ...] = (0, -1, 1, 7, 2**31, 2**63 - 1, 2**63, 2**64, 2**200, -(2**63), 0.5, -0.0, 1e308, 1e-320)
_NOT_FINITE = (float("nan"), float("inf"), float("-inf"))
_TEXTS = (
    *("", " ", "\n", "\0", "a" * 5_000, "ü" * 300, "\ud800", "\u202etxt", "\x1b[2J", "None", "null", "NaN", "1e999"),
    *("../../../etc/passwd", "/etc/passwd", "C:\\x", "%s%n{0}", "'; drop table x; --", "=cmd|' /C calc'!A0"),
    *("-1", "\U0001d518"),
)
_CONTAINERS: tuple[object, ...] = (
    *([], {}, [[]], [{}], {"": ""}, [None], [0] * 40, {"a": {"b": {"c": []}}}, ["x", 1, None]),
)
_DEPTH = 100_000


def damaged_bytes(content: bytes, chance: Random) -> bytes:
    """Cut, flip, insert, remove, repeat or overwrite bytes, once to three times."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = _damaged_once(content, chance)
    return content


def _damaged_once(content: bytes, chance: Random) -> bytes:
    kind = chance.choice(("flip", "flip", "cut", "remove", "insert", "repeat", "overwrite", "replace"))
    if kind == "flip":
        if not content:
            return b"\xff"
        place = chance.randrange(len(content))
        return content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
    if kind == "cut":
        return content[: chance.randrange(len(content) + 1)]
    if kind == "replace":
        new = (b"", b"\0", b"null", b"{}", b"[]", b"\xef\xbb\xbf" + content, content * 2, chance.randbytes(64))
        return chance.choice(new)
    start = chance.randrange(len(content) + 1)
    end = min(len(content), start + chance.choice((1, 1, 2, 4, 8, 64, 1024)))
    between = {
        "remove": b"",
        "insert": chance.randbytes(chance.choice((1, 4, 100))) + content[start:end],
        "repeat": content[start:end] * 2,
        "overwrite": chance.choice((b"\0", b"\xff", b"\x80", b"9", b"-")) * (end - start),
    }
    return content[:start] + between[kind] + content[end:]


def damaged_json(content: bytes, chance: Random) -> bytes:
    """Change a value, key or type somewhere in a JSON document, once to three times; the document stays JSON."""
    value = json.loads(content)
    if chance.random() < 0.01:
        return b"[" * _DEPTH if chance.random() < 0.5 else b'{"a":' * _DEPTH
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        value = _changed(value, chance)
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def _changed(value: Any, chance: Random) -> Any:
    """Return the value with a change at a random place."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        return _changed_entry(value, chance)
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        if chance.random() < 0.15:
            return value[:place] + value[place + 1 :] * chance.choice((1, 2))
        return [*value[:place], _changed(value[place], chance), *value[place + 1 :]]
    kind = chance.randrange(6)
    if kind == 0 and isinstance(value, int | float) and not isinstance(value, bool):
        return value + chance.choice((-1, 1, 8, -8, 64)) if abs(value) < 1e300 else 0
    if kind == 1 and isinstance(value, str) and value:
        place = chance.randrange(len(value))
        return value[:place] + chance.choice(_TEXTS) + value[place + chance.randrange(2) :]
    if kind == 2:
        return chance.choice(_TEXTS)
    if kind == 3:
        return chance.choice((*_CONTAINERS, None, True, False))
    return chance.choice((*_NUMBERS, *_NOT_FINITE) if kind == 4 else _NUMBERS)


def _changed_entry(value: dict[str, Any], chance: Random) -> dict[str, Any]:
    key = chance.choice(list(value))
    match chance.randrange(10):
        case 0:
            return {name: entry for name, entry in value.items() if name != key}
        case 1:
            return {chance.choice(_TEXTS) if name == key else name: entry for name, entry in value.items()}
        case 2:
            return {**value, chance.choice(_TEXTS): chance.choice(_NUMBERS)}
    return {**value, key: _changed(value[key], chance)}


def damaged_lines(content: bytes, chance: Random, damage_line: Damage | None = None) -> bytes:
    """Damage a line with ``damage_line``, or remove, repeat, exchange or indent lines."""
    lines = content.split(b"\n")
    place = chance.randrange(len(lines))
    if damage_line is not None and lines[place] and chance.random() < 0.75:
        lines[place] = damage_line(lines[place], chance)
        return b"\n".join(lines)
    match chance.randrange(6):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[chance.randrange(len(lines))])
        case 2:
            lines[place] = chance.choice((b" ", b"  ", b"\t", b"- ", b"\xc2\xa0")) + lines[place]
        case 3:
            lines[place] = lines[place].lstrip()
        case 4:
            other = chance.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            lines[place] = damaged_bytes(lines[place], chance)
    return b"\n".join(lines)


_YAML = (
    *(b"&a [*a]", b"*nowhere", b"!!python/object/apply:os.system ['true']", b"!!binary aGk=", b"!!set {a, b}"),
    *(b"<<: [1]", b"? [a]", b"{", b"[", b"]", b"|", b">", b"- -", b"~", b"null", b"true", b"0x1F", b"1_000", b".nan"),
    *(b".inf", b"-0", b"1:30", b"2001-01-01", b"'", b'"', b"%YAML 9", b"---", b"...", b"\t", b"a: b: c", b"[" * 200),
    *(b"{a: " * 120, b"9" * 400, b"trained", b"opt-125m", b"diary-recall:1k", b"gsm8k", b"self-aware", b"-1", b"1e309"),
    *(b"[1, 1]", b"\x07", b"!x"),
)


def damaged_yaml(content: bytes, chance: Random) -> bytes:
    """Move or change lines, and replace values by other YAML."""
    if chance.random() < 0.002:
        return b"a: " + b"[" * 5_000
    for _ in range(chance.choice((1, 1, 2, 3))):
        if chance.random() < 0.35:
            content = damaged_lines(content, chance)
            continue
        lines = content.split(b"\n")
        place = chance.randrange(len(lines))
        key, colon, value = lines[place].partition(b":")
        new = chance.choice(_YAML)
        replacements = (new, key + b": " + new, new + b":" + value, key + colon + value + b" " + new)
        lines[place] = chance.choice(replacements)
        content = b"\n".join(lines)
    return content


def damage_folder(folder: Path, chance: Random, by_ending: dict[str, Sequence[Damage]]) -> str:
    """Damage a file of a folder, or the folder itself, and return the kind of damage.

    Args:
        folder: The folder.
        chance: The source of randomness.
        by_ending: The kinds of damage for files by their endings.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = chance.choice(files)
    kind = chance.randrange(24)
    if kind == 0:
        path.unlink()
        return "missing file"
    if kind == 1:
        path.unlink()
        path.mkdir()
        return "folder for a file"
    if kind == 2:
        path.write_bytes(chance.choice(files).read_bytes())
        return "another file's content"
    if kind == 3:
        (path.parent / chance.choice(("x", ".x", f"{path.stem}-1{path.suffix}", "ü\n.parquet"))).write_bytes(b"x")
        return "file too many"
    damage = chance.choice(by_ending.get(path.suffix, (damaged_bytes,)))
    path.write_bytes(damage(path.read_bytes(), chance))
    return f"{path.suffix.lstrip('.') or path.name} {'bytes' if damage is damaged_bytes else 'values'}"
