"""The evaluation tests share one folder of helpers, which also runs outside of pytest."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
