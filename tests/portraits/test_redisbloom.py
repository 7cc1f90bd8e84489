"""Importing RedisBloom dumps, against a real RedisBloom."""

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfknow.errors import UserError
from selfknow.portraits import Portrait
from selfknow.portraits.filter.murmur import SEED, murmur_hash_64a
from selfknow.portraits.filter.redisbloom import import_redisbloom

WIDTH = 7
TEXT = "Die Katze saß auf der Matte — 漢字かな交じり文 🙂🙃 und der Hund lag an der Tür, wie jeden Tag um diese Zeit."
NGRAMS = [TEXT[i : i + WIDTH] for i in range(len(TEXT) - WIDTH + 1)]


def dump(client: Any, key: str, folder: Path, *, part_bytes: int = 400, legacy: bool = False) -> Path:
    """Write what the Data Portraits tool writes: the blocks of BF.SCANDUMP in part files, and their index."""
    index, rows, cursor, part = folder / key, [], 0, 0
    files: dict[str, bytes] = {}
    while True:
        cursor, block = client.execute_command("BF.SCANDUMP", key, cursor, NEVER_DECODE=[])
        if cursor == 0:
            break
        name = f"{key}.part{part}.bin"
        if files.get(name) and len(files[name]) + len(block) > part_bytes:
            part += 1
            name = f"{key}.part{part}.bin"
        files[name] = files.get(name, b"") + block
        rows.append({"iter": cursor, "block_num": len(rows), "block_size": len(block), "part_file": name})
    if legacy:
        index.write_bytes(b"".join(files.values()))
        idx = [{name: row[name] for name in ("iter", "block_num", "block_size")} for row in rows]
        index.with_name(key + ".idx").write_text(json.dumps(idx))
    else:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        index.write_text(json.dumps({"blocks": rows, "bf_info": {}, "width": WIDTH, "key": key}))
    return index


@pytest.fixture
def client(redisbloom_port: int) -> Any:
    import redis

    connection = redis.Redis("127.0.0.1", redisbloom_port)
    connection.flushall()
    return connection


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(("rate", "hashes"), [(0.001, 10), (0.3, 2)])
def test_an_imported_portrait_answers_what_redisbloom_answers(
    client: Any, tmp_path: Path, legacy: bool, rate: float, hashes: int
) -> None:
    key = f"cats.{WIDTH}-1.bf"
    client.execute_command("BF.RESERVE", key, rate, 120, "NONSCALING")
    client.execute_command("BF.MADD", key, *NGRAMS[::2])
    import_redisbloom(dump(client, key, tmp_path, legacy=legacy), tmp_path / "portrait")
    portrait = Portrait.load(tmp_path / "portrait")
    source = random.Random(5)
    queries = NGRAMS + ["".join(source.choices("abcé漢🙂", k=WIDTH)) for _ in range(5000)]
    expected = [bool(answer) for answer in client.execute_command("BF.MEXISTS", key, *queries)]
    assert portrait.contains(queries).tolist() == expected
    assert sum(expected) > len(NGRAMS) / 2 + (50 if rate == 0.3 else -1)
    info = portrait.info()
    assert (info["width"], info["stride"], info["hashes"], info["capacity"]) == (WIDTH, 1, hashes, 120)
    assert info["items"] == client.bf().info(key).insertedNum
    assert info["normalization"] == "data-portraits"
    assert portrait.quip([TEXT])[0] >= 0.5
    portrait.verify()


def test_a_dump_of_many_blocks_is_put_together_in_order(client: Any, tmp_path: Path) -> None:
    """RedisBloom dumps in blocks of 16 MiB."""
    key = f"big.{WIDTH}-{WIDTH}.bf"
    client.execute_command("BF.RESERVE", key, 0.001, 12_000_000, "NONSCALING")
    client.execute_command("BF.MADD", key, *NGRAMS[::2])
    index = dump(client, key, tmp_path, part_bytes=20 << 20)
    assert len(json.loads(index.read_text())["blocks"]) > 2
    import_redisbloom(index, tmp_path / "portrait")
    portrait = Portrait.load(tmp_path / "portrait")
    expected = [bool(answer) for answer in client.execute_command("BF.MEXISTS", key, *NGRAMS)]
    assert portrait.contains(NGRAMS).tolist() == expected
    assert portrait.description.stride == WIDTH


def test_a_filter_that_grew_is_refused(client: Any, tmp_path: Path) -> None:
    key = "grown.7-1.bf"
    client.execute_command("BF.RESERVE", key, 0.01, 10)
    client.execute_command("BF.MADD", key, *NGRAMS)
    with pytest.raises(UserError, match="layers"):
        import_redisbloom(dump(client, key, tmp_path), tmp_path / "portrait")


HEADER = struct.Struct("=QLLLQQQddLQB")


def written(folder: Path, *, name: str = "x.7-1.bf", content: bytes = bytes(16), **header: Any) -> Path:
    """Return a small dump, whole but for what a test changes."""
    fields = {
        "size": 3, "filters": 1, "options": 5, "growth": 2, "bytes": 16, "bits": 128, "current": 3, "error": 0.01,
        "per": 9.6, "hashes": 7, "entries": 10, "n2": 0,
    } | header  # fmt: skip
    head = HEADER.pack(*fields.values())
    (folder / f"{name}.part0.bin").write_bytes(head + content)
    blocks = [{"block_size": size, "part_file": f"{name}.part0.bin"} for size in (len(head), len(content))]
    (folder / name).write_text(json.dumps({"blocks": blocks, "width": None}))
    return folder / name


def test_the_bit_positions_follow_the_published_format(tmp_path: Path) -> None:
    """Vectors made by hand, for platforms without a RedisBloom."""
    first = murmur_hash_64a(b"abcdefg", SEED)
    second = murmur_hash_64a(b"abcdefg", first)
    bits = bytearray(16)
    for i in range(7):
        position = (first + i * second) % 2**64 % 128
        bits[position >> 3] |= 1 << (position & 7)
    import_redisbloom(written(tmp_path, content=bytes(bits)), tmp_path / "portrait")
    assert Portrait.load(tmp_path / "portrait").contains(["abcdefg", "abcdefh"]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"filters": 2}, "2 layers"),
        ({"options": 1}, "32-bit hash"),
        ({"bits": 64}, "sizes contradict each other"),
        ({"hashes": 0}, "sizes contradict each other"),
        ({"n2": 6}, "power of two"),
        ({"error": 2.0}, "error rate"),
        ({"entries": 0}, "capacity 0"),
        ({"bytes": 32, "bits": 256}, "a part is missing"),
        ({"name": "x.bf"}, "give width= and stride="),
    ],
)
def test_a_damaged_dump_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        import_redisbloom(written(tmp_path, **changes), tmp_path / "portrait")
    assert not (tmp_path / "portrait" / "portrait.json").exists()


def test_missing_and_cut_parts_are_told(tmp_path: Path) -> None:
    index = written(tmp_path)
    part = tmp_path / "x.7-1.bf.part0.bin"
    content = part.read_bytes()
    part.write_bytes(content[:-1])
    with pytest.raises(UserError, match="cut short"):
        import_redisbloom(index, tmp_path / "portrait")
    part.unlink()
    with pytest.raises(UserError, match="lacks its part"):
        import_redisbloom(index, tmp_path / "portrait")
    with pytest.raises(UserError, match="does not exist"):
        import_redisbloom(tmp_path / "none.7-1.bf", tmp_path / "portrait")


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.just(b'{"blocks": [{"block_size": 73, "part_file": "../../etc/passwd"}]}')))
def test_an_index_of_anything_is_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    index = tmp_path_factory.mktemp("index") / "x.7-1.bf"
    index.write_bytes(content)
    with pytest.raises(UserError):
        import_redisbloom(index, index.parent / "portrait")
