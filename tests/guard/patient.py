"""The guard's process, but that it waits for an answer as long as it takes.

For tests of what an answer brings about: a computer that is busy may need longer for it than a person may have to wait.
"""

from __future__ import annotations

import sys

from operative_app.guard import listener, stopping

stopping.ANSWER_S = 3600.0

if __name__ == "__main__":
    sys.exit(listener.main())
