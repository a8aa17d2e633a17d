"""`python -m tests.powercut --kills N --seed S [--report FILE]`: kills the service at random instants.

Of each three cuts one kills the process only (the gripper stays powered and holds), one restarts the controller board
as well (the disc is dropped), and one leaves the whole table without power (Z sinks). The service has to come back,
bring board and journal together, and play on. The figures are JSON: `recovered`, `asked` (cuts after which something
was asked), `most_asked` (sentences after one cut), `lost`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.powercut.campaign import Campaign, written


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.powercut", description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--folder", type=Path, help="keep journal and log there")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="crownhead-powercut-") as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = Campaign(arguments.kills, arguments.seed, folder).run(progress=True)
    text = written(figures)
    print(text)
    if arguments.report is not None:
        arguments.report.write_text(text + "\n", encoding="utf-8")
    return 0 if not figures["lost"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
