#!/usr/bin/env python3
"""All claimables of an account; amounts stay exact. Standard library only.

    ./claimables.py 0xf18adf71266411ff39ffc268843c9a64b3292d86
"""
import json
import os
import sys
import urllib.error
import urllib.request
from decimal import Decimal

CLAIMABLES_URL = os.environ.get("CLAIMABLES_URL", "http://127.0.0.1:8081")


def claimables(address):
    """The rows, and what is missing from them (None where nothing is)."""
    with urllib.request.urlopen(f"{CLAIMABLES_URL}/{address}", timeout=15) as answer:
        # Decimal, since a binary float would round an amount.
        rows = json.load(answer, parse_float=Decimal, parse_int=Decimal)
        return rows, answer.headers["portolan-partial"]


def main():
    try:
        rows, missing = claimables(sys.argv[1])
    except urllib.error.HTTPError as error:  # A problem document, RFC 9457.
        sys.exit(f"{error.code}: {json.load(error)['detail']}")
    for row in rows:
        where = f"{row['protocol']['slug']}/{row['network']['name']}"
        print(f"{where}: {row['name']}: {row['amount']} {row['token']['symbol']} (${row['dollarValue']})")
    if missing:
        sys.exit(f"missing: {missing}")


if __name__ == "__main__":
    main()
