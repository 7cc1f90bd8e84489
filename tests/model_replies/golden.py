"""The content hashes that the dataset has by what is collected now.

python -m tests.model_replies.golden    (after ``python -m benchmarks.collect_replies``)
"""

import json
from pathlib import Path

from selfknow.builders.catalogue import find_configs, find_dataset
from selfknow.builders.folder.content_hash import content_hash

GOLDEN = Path(__file__).parent / "golden_content_hashes.json"


def content_hashes() -> dict[str, str]:
    """By config."""
    return {
        config.name: content_hash(
            {
                split: [batch for shard in shards for batch in shard().to_batches()]
                for split, shards in config.shards.items()
            }
        )
        for config in find_configs(find_dataset("model-replies"), [], 0)
    }


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(content_hashes(), indent=2) + "\n", encoding="utf-8")
