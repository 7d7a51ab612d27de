"""Claims of rows that need care: several of one claim, refused ones, several steps, fees, locks."""

import unittest
from decimal import Decimal

from portolan_client import ClaimNotSendable, claim_of_plan, claims_of, to_send

ACCOUNT = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
FARM = "0x00000000000000000000000000000000000fa12a"
TOKEN = {"address": "0x00000000000000000000000000000000000070ce", "symbol": "TKN", "decimals": 18}


def transaction(data="0x3d18b912", **more):
    return {"to": FARM, "from": ACCOUNT, "data": data, "gas": 100_000, **more}


def row(**more):
    whole = {
        "claimId": "one",
        "network": {"chainId": 137},
        "amount": Decimal("1.5"),
        "token": TOKEN,
        "simulated": "paid",
        "claimTransaction": transaction(),
    }
    return {**whole, **more}


class ClaimsTest(unittest.TestCase):
    def not_sendable(self, claim, reason, accept=()):
        with self.assertRaises(ClaimNotSendable) as raised:
            to_send(claim, accept)
        self.assertEqual(raised.exception.reason, reason)

    def test_rows_of_one_claim_are_sent_once(self):
        (claim,) = claims_of([row(), row(amount=2, token={**TOKEN, "decimals": 6}, paidTo="lock")], ACCOUNT)
        self.assertEqual([(paid.raw, paid.to) for paid in claim.pays], [(15 * 10**17, "account"), (2_000_000, "lock")])
        step = {"from": ACCOUNT, "to": FARM, "data": "0x3d18b912", "value": "0x0", "gas": "0x186a0"}
        self.assertEqual((to_send(claim), claim.chain_id), ([step], 137))

    def test_rows_of_one_claim_with_other_transactions_are_not_believed(self):
        self.assertRaises(ValueError, claims_of, [row(), row(claimTransaction=transaction("0x00"))], ACCOUNT)

    def test_a_refused_claim_has_nothing_to_sign_whatever_is_accepted(self):
        (claim,) = claims_of([row(simulated="refused", claimTransaction=None, differs=["It takes 1 TKN."])], ACCOUNT)
        self.assertEqual((claim.steps, claim.differs, claim.account), ([], ["It takes 1 TKN."], ACCOUNT))
        self.not_sendable(claim, "refused", ("differs", "reverted", "untried", "refused"))

    def test_only_what_pays_is_sent_unless_the_verdict_is_accepted(self):
        for simulated, verdict in [("differs",) * 2, ("reverted",) * 2, (None, "untried"), ("perhaps", "untried")]:
            (claim,) = claims_of([row(simulated=simulated)], ACCOUNT)
            self.not_sendable(claim, verdict)
            self.assertEqual(len(to_send(claim, (verdict,))), 1)

    def test_steps_keep_their_order_and_their_fees(self):
        steps = [transaction("0x01"), transaction("0x02", value="1000000000000000000000")]
        (claim,) = claims_of([row(claimSteps=steps, claimTransaction=steps[1])], ACCOUNT)
        found = [(step["data"], int(step["value"], 16)) for step in to_send(claim)]
        self.assertEqual(found, [("0x01", 0), ("0x02", 10**21)])

    def test_a_plan_is_one_claim_and_a_plan_of_nothing_is_not_sent(self):
        plan = {"network": {"chainId": 137}, "account": ACCOUNT, "simulated": "paid"}
        plan["transactions"] = [{"claimIds": ["one", "two"], **transaction("0x01")}, {"claimIds": ["three"], **transaction("0x02")}]
        plan["pays"] = [{"tokenAddress": TOKEN["address"], "amountRaw": "12", "paidTo": "vault"}]
        claim = claim_of_plan(plan)
        self.assertEqual((claim.ids, claim.pays[0].to, claim.pays[0].raw), (["one", "two", "three"], "vault", 12))
        self.assertEqual(len(to_send(claim)), 2)
        self.not_sendable(claim_of_plan({**plan, "simulated": None, "transactions": [], "pays": []}), "nothing to send")
