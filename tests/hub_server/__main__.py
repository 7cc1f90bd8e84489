"""Start the Hub: `python -m tests.hub_server --root DIR`; stop it with Ctrl-C. The repos stay in DIR."""

import argparse
import contextlib
import sys
from pathlib import Path

from .api import Account, Hub
from .handler import HubServer
from .storage import Storage


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hub_server", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that keeps the repos")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: a free one)")
    parser.add_argument(
        "--account",
        action="append",
        metavar="NAME:TOKEN:ORGS[:ROLE]",
        help="who may write where, organisations with commas; default: you:hf_loopback:org",
    )
    parser.add_argument("--lfs-from-bytes", type=int, help="send files of this size and more as large files")
    parser.add_argument("--entries-per-page", type=int, default=1000, help="files on a page of a listing")
    parser.add_argument("--bytes-per-second", type=int, help="how fast bodies travel, either way (default: at once)")
    options = parser.parse_args()
    accounts = [_account(text) for text in options.account or ["you:hf_loopback:org"]]
    hub = Hub(Storage(options.root), accounts, options.lfs_from_bytes, options.entries_per_page)
    with HubServer(hub, options.port, options.bytes_per_second) as server:
        sys.stdout.write(f"export HF_ENDPOINT={server.endpoint}\nexport HF_TOKEN={accounts[0].token}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


def _account(text: str) -> Account:
    name, token, organisations, *role = text.split(":")
    return Account(name, token, tuple(organisations.split(",")), role[0] if role else "write")


if __name__ == "__main__":
    main()
