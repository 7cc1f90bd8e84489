"""A small dump of RedisBloom, as the Data Portraits tool writes it."""

import json
import struct
from pathlib import Path

import numpy as np


def make_dump(folder: Path, name: str = "d.7-1.bf") -> None:
    """Make a dump in the format of the Data Portraits tool: header and bits, in two part files, and their index.

    Args:
        folder: The folder of the dump.
        name: The name of the index, with width and stride.
    """
    bits = np.random.default_rng(0).integers(0, 256, 512, dtype=np.uint8).tobytes()
    header = struct.pack("=QLLLQQQddLQB", 100, 1, 4, 2, 512, 4096, 100, 0.01, 9.6, 7, 400, 12)
    blocks = [header, bits[:300], bits[300:]]
    rows = [
        {"iter": number, "block_num": number, "block_size": len(block), "part_file": f"d.part{number}.bin"}
        for number, block in enumerate(blocks)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for row, block in zip(rows, blocks, strict=True):
        (folder / str(row["part_file"])).write_bytes(block)
    width = int(name.split(".")[1].partition("-")[0])
    (folder / name).write_text(json.dumps({"blocks": rows, "bf_info": {}, "width": width, "key": "d"}))
