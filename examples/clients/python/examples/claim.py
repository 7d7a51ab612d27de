#!/usr/bin/env python3
"""Claims what an account can claim on one network, by a node or a wallet that has its key.

    PYTHONPATH=. python3 examples/claim.py polygon          claim by claim
    PYTHONPATH=. python3 examples/claim.py polygon --plan   by a plan of all claims

PORTOLAN_URL is the gateway's address, CHAIN_URL_POLYGON that of the node, which signs `eth_sendTransaction`, and ACCOUNT
the account. Exit code 3 says that something was not sent, or could not be read.
"""

import json
import os
import sys
import time
import urllib.request
from typing import Any

from portolan_client import Claim, ClaimNotSendable, Portolan, claim_of_plan, claims_of, to_send

MINED_WITHIN_S = 120


class Node:
    """A node by its JSON-RPC."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, method: str, *parameters: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.load(response)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def send(self, transaction: dict[str, Any]) -> None:
        """Sends a transaction and waits until it is mined. Raises `RuntimeError` if it fails."""
        transaction_hash = self.call("eth_sendTransaction", transaction)
        end = time.monotonic() + MINED_WITHIN_S
        while (receipt := self.call("eth_getTransactionReceipt", transaction_hash)) is None:
            if time.monotonic() > end:
                raise RuntimeError(f"{transaction_hash} is not mined")
            time.sleep(0.25)
        if receipt["status"] != "0x1":
            raise RuntimeError(f"{transaction_hash} failed")

    def balance(self, token: str, account: str) -> int:
        """What the account has of a token, in smallest units."""
        if int(token, 16) == 0:
            return int(self.call("eth_getBalance", account, "latest"), 16)
        data = f"0x70a08231{account.removeprefix('0x'):0>64}"
        return int(self.call("eth_call", {"to": token, "data": data}, "latest"), 16)


def send(claim: Claim, node: Node) -> list[tuple[str, int, int]]:
    """Sends a claim; returns the balance before and after of each token that it pays.

    Raises `ClaimNotSendable` if it does not say that it pays, or is of another network.
    """
    steps = to_send(claim)
    if int(node.call("eth_chainId"), 16) != claim.chain_id:
        raise ClaimNotSendable(claim, "another network")
    tokens = list(dict.fromkeys(paid.token for paid in claim.pays))
    before = [node.balance(token, claim.account) for token in tokens]
    for step in steps:
        node.send(step)
    return [(token, was, node.balance(token, claim.account)) for token, was in zip(tokens, before)]


def main() -> int:
    network, *way = sys.argv[1:]
    portolan = Portolan(os.environ.get("PORTOLAN_URL", "http://127.0.0.1:8080"))
    node, account = Node(os.environ[f"CHAIN_URL_{network.upper()}"]), os.environ["ACCOUNT"]
    if way == ["--plan"]:
        plan = portolan.plan(account, network)
        claims, missing = [claim_of_plan(plan.content)], plan.missing
    else:
        rows = portolan.claimables(account, network=network)
        claims, missing = claims_of(rows.content, account), rows.missing
    for gap in missing:
        print(f"missing: {gap.what}/{gap.network}: {gap.reason}", file=sys.stderr)
    left = len(missing)
    for claim in claims:
        try:
            for token, before, after in send(claim, node):
                print(f"{token}: {before} before, {after} now")
        except ClaimNotSendable as refusal:
            print(refusal)
            left += 1
    return 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
