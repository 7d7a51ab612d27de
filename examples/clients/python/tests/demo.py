"""The client against the demo: `cargo demo --run python3 -m unittest tests.demo`."""

import json
import os
import subprocess
import sys
import unittest
import urllib.request
from decimal import Decimal

from portolan_client import Portolan, Problem
from portolan_client.client import parse_blocks

URL = os.environ["PORTOLAN_URL"]
DUST = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65"
ODD = "0x90f79bf6eb2c4f870365e785982e1f101e93b906"
QUICK = "0xb5c064f955d8e7f38fe0460c556a72987494ee17"


def claim(account, *arguments):
    """The exit code of `examples/claim.py`, and the balance before and after of each token that it printed."""
    command = [sys.executable, "examples/claim.py", *arguments]
    variables = {**os.environ, "ACCOUNT": account, "PYTHONPATH": "."}
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)
    lines = [line.split() for line in ended.stdout.splitlines()]
    return ended.returncode, [(line[0].rstrip(":"), int(line[1]), int(line[3])) for line in lines], ended.stderr


class DemoTest(unittest.TestCase):
    def setUp(self):
        self.portolan = Portolan(URL)

    def test_answers_are_the_gateways_to_the_last_digit(self):
        account = os.environ["ACCOUNT"]
        for request, path in [
            (lambda: self.portolan.claimables(DUST), f"/claimables/{DUST}"),
            (lambda: self.portolan.positions(DUST), f"/positions/{DUST}"),
            (lambda: self.portolan.plan(account, "polygon"), f"/{account}/claim-plan?network=polygon"),
            (lambda: self.portolan.balances(DUST), f"/balance/{DUST}/token-balances"),
        ]:
            answer, own = self.at_one_block(request, path)
            self.assertEqual(json.loads(json.dumps(answer.whole(), default=str)), own, path)

    def at_one_block(self, request, path):
        """An answer by the client and the gateway's own text of it, at the same blocks."""
        for _ in range(20):
            answer = request()
            with urllib.request.urlopen(f"{URL}{path}", timeout=30) as response:
                # What Python writes of a Decimal has the digits of the gateway's own text, but not always its exponent.
                own = json.load(response, parse_float=lambda text: str(Decimal(text)))
                blocks = parse_blocks(response.headers["portolan-blocks"])
            if answer.blocks == blocks:
                return answer, own
        self.fail(f"{path} is at another block each time")

    def test_a_gap_is_in_the_answer(self):
        missing = self.portolan.claimables(ODD, include=["sushiswap"], network="ethereum").missing
        self.assertEqual([(gap.what, gap.network, gap.reason) for gap in missing], [("sushiswap", "ethereum", "plugin-error")])

    def test_a_problem_is_an_error(self):
        with self.assertRaises(Problem) as raised:
            self.portolan.claimables("0x12")
        self.assertEqual(raised.exception.kind, "invalid-address")

    def test_a_claim_pays_exactly_what_its_row_says(self):
        # The account has earned exactly one smallest unit here; it is also in a farm that still runs.
        rows = self.portolan.claimables(DUST, network="polygon", include=["quickswap"]).whole()
        self.assertEqual([(row["token"]["address"], row["amount"]) for row in rows], [(QUICK, Decimal("1E-18"))])
        code, paid, _ = claim(DUST, "polygon")
        self.assertEqual(code, 0)
        self.assertEqual([after - before for token, before, after in paid if token == QUICK], [1])

    def test_a_plan_pays_exactly_what_it_says(self):
        # The account has left all farms, so that what it is owed does not grow.
        account = os.environ["ACCOUNT"]
        plan = self.portolan.plan(account, "ethereum").whole()
        says = {paid["tokenAddress"]: int(paid["amountRaw"]) for paid in plan["pays"]}
        code, paid, printed = claim(account, "ethereum", "--plan")
        self.assertEqual(code, 0, printed)
        self.assertGreater(len(says), 1)
        self.assertEqual({token: after - before for token, before, after in paid}, says)
