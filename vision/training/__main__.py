"""`python -m vision.training`: draw boards to learn from, train the square network on them, write it for use."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from vision import disc_network, square_network
from vision.errors import VisionError

EXAMPLES = """examples, a whole training (some three hours on two cores):
  python -m vision.training render scenes --shards 40
  python -m vision.training train squares scenes squares.pt --minutes 90
  python -m vision.training train discs scenes discs.pt --minutes 45
  python -m vision.training export squares squares.pt
  python -m vision.training export discs discs.pt
"""
FILES = {"squares": square_network.NETWORK_FILE, "discs": disc_network.NETWORK_FILE}
DONE, COULD_NOT, INTERRUPTED = 0, 1, 130


def main(argv: Sequence[str]) -> int:
    """Run one of the commands; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m vision.training",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    render = commands.add_parser("render", help="draw scenes with exact truth, 128 a shard, 90 MB each")
    render.add_argument("folder", type=Path)
    render.add_argument("--shards", type=_positive, default=40, metavar="N", help="so many (default 40)")
    render.add_argument("--first", type=int, default=0, metavar="N", help="the first one's number, which seeds it")
    render.set_defaults(run=_render)
    train = commands.add_parser("train", help="train a network on the scenes of a folder")
    train.add_argument("network", choices=sorted(FILES), help="squares or discs")
    train.add_argument("folder", type=Path)
    train.add_argument("weights", type=Path, help="written every few minutes")
    train.add_argument("--minutes", type=float, default=60.0, help="the time it may take (default 60)")
    train.add_argument("--start", type=Path, metavar="WEIGHTS", help="go on from these weights")
    train.add_argument("--rate", type=float, default=0.003, help="the learning rate at first (default 0.003)")
    train.add_argument("--seed", type=int, default=1)
    train.set_defaults(run=_train)
    export = commands.add_parser("export", help="write trained weights as the file that cv2.dnn runs")
    export.add_argument("network", choices=sorted(FILES), help="squares or discs")
    export.add_argument("weights", type=Path)
    export.add_argument("--to", type=Path, metavar="FILE", help="(default: where it is used)")
    export.set_defaults(run=_export)
    arguments = parser.parse_args(argv)
    try:
        arguments.run(arguments)
    except ImportError as error:
        print(f"training: {error.name} is missing: install the extra with pip install -e '.[train]'", file=sys.stderr)
        return COULD_NOT
    except VisionError as error:
        print(f"training: {error}", file=sys.stderr)
        return COULD_NOT
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        print(f"training: {name}{error.strerror or error}", file=sys.stderr)
        return COULD_NOT
    except KeyboardInterrupt:
        print("training: stopped; what was written before is kept", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one")
    return number


def _render(arguments: argparse.Namespace) -> None:
    from vision.training.store import write_shard

    numbers = range(arguments.first, arguments.first + arguments.shards)
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as workers:
        for number, _ in zip(
            numbers, workers.map(write_shard, [arguments.folder] * len(numbers), numbers), strict=True
        ):
            print(f"shard {number} is there", flush=True)


def _train(arguments: argparse.Namespace) -> None:
    from vision.training.train import train

    chosen = arguments
    train(chosen.network, chosen.folder, chosen.minutes, chosen.weights, chosen.seed, chosen.start, chosen.rate)


def _export(arguments: argparse.Namespace) -> None:
    from vision.training.export import export

    file: Path = arguments.to or FILES[arguments.network]
    export(arguments.network, arguments.weights, file)
    print(f"{file}: {file.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
