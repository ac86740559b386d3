"""Hook of Claude Code: StopFailure. Nothing here but the way to helix_core."""

import sys
import time
from pathlib import Path

STARTED = time.time()
if sys.version_info < (3, 10):
    sys.exit(86)  # the launcher tries the next Python
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from helix_core.hooks.process import main

if __name__ == "__main__":
    main("StopFailure", STARTED)
