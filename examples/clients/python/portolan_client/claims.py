"""Claims: what to sign of an answer, and what not."""

from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any, Literal

from . import schema

Verdict = Literal["paid", "differs", "reverted", "refused", "untried"]
"""What the gateway found when it tried a claim. `paid` is safe to send. `differs` pays something else, `reverted` fails,
`untried` says nothing, and of `refused` there is nothing to sign."""

KNOWN: tuple[Verdict, ...] = ("paid", "differs", "reverted", "refused")


@dataclass(frozen=True)
class Payment:
    """An amount that a claim pays."""

    token: str
    """Address of the token; `0x0` for the native token."""
    raw: int
    """In smallest units."""
    to: Literal["account", "lock", "vault"]
    """The account itself, or a lock or vault of the account."""


@dataclass
class Claim:
    """Transactions that claim together, in the order in which they are sent."""

    ids: list[str]
    chain_id: int
    account: str
    verdict: Verdict
    differs: list[str]
    """What it does otherwise, in sentences for people."""
    steps: list[dict[str, Any]]
    """Transactions as `eth_sendTransaction` and signers take them; empty if the claim was refused."""
    pays: list[Payment] = field(default_factory=list)


class ClaimNotSendable(Exception):
    """A claim that must not be sent, and why."""

    def __init__(self, claim: Claim, reason: str) -> None:
        super().__init__(": ".join([f"{', '.join(claim.ids)} must not be sent", reason, *claim.differs]))
        self.claim = claim
        self.reason = reason


def claims_of(rows: "list[schema.Claimable]", account: str) -> list[Claim]:
    """Makes one claim of all rows that one transaction pays, so that nobody sends it twice.

    Raises `ValueError` if rows of one claim have other transactions, which no gateway answers.
    """
    claims: dict[str, Claim] = {}
    for row in rows:
        claim = _claim_of(row, account)
        known = claims.setdefault(row["claimId"], claim)
        if known.steps != claim.steps:
            raise ValueError(f"the claim {row['claimId']} has two transactions")
        known.pays.append(_payment_of(row))
    return list(claims.values())


def claim_of_plan(plan: "schema.ClaimPlan") -> Claim:
    """Makes one claim of a plan. It has no steps if there is nothing to send."""
    transactions = plan["transactions"]
    return Claim(
        ids=[claim for transaction in transactions for claim in transaction["claimIds"]],
        chain_id=plan["network"]["chainId"],
        account=plan["account"],
        verdict=_verdict_of(plan["simulated"]),
        differs=plan.get("differs", []),
        steps=[_step_of(transaction) for transaction in transactions],
        pays=[Payment(paid["tokenAddress"], int(paid["amountRaw"]), _place_of(paid["paidTo"])) for paid in plan["pays"]],
    )


def to_send(claim: Claim, accept: tuple[Verdict, ...] = ()) -> list[dict[str, Any]]:
    """The steps of a claim that pays what it says, or whose verdict is in `accept`. Sign and send them in this order, each
    once the one before it is mined, on the network with the claim's `chain_id`.

    Raises `ClaimNotSendable` for all others. A refused claim has nothing to sign, whatever is accepted.
    """
    if claim.verdict == "refused":
        raise ClaimNotSendable(claim, claim.verdict)
    if not claim.steps:
        raise ClaimNotSendable(claim, "nothing to send")
    if claim.verdict != "paid" and claim.verdict not in accept:
        raise ClaimNotSendable(claim, claim.verdict)
    return claim.steps


def to_raw(amount: Decimal | int | str, decimals: int) -> int:
    """An amount of whole units in smallest units: `to_raw(Decimal("1.5"), 6)` is 1500000.

    Raises `ValueError` if it has more digits after the point than the token has decimals.
    """
    with localcontext() as context:
        context.prec = 512  # More than any amount has: 78 digits before the point, and 255 after it.
        raw = Decimal(amount).scaleb(decimals)
        if raw != raw.to_integral_value():
            raise ValueError(f"{amount} has more than {decimals} decimals")
        return int(raw)


def _claim_of(row: "schema.Claimable", account: str) -> Claim:
    transaction = row["claimTransaction"]
    transactions = row.get("claimSteps") or ([transaction] if transaction else [])
    return Claim(
        ids=[row["claimId"]],
        chain_id=row["network"]["chainId"],
        account=transaction["from"] if transaction else account,
        # Without a transaction there is nothing to sign, whatever the row says.
        verdict=_verdict_of(row["simulated"]) if transaction else "refused",
        differs=row.get("differs", []),
        steps=[_step_of(step) for step in transactions],
    )


def _step_of(transaction: "schema.Transaction") -> dict[str, Any]:
    step = {name: transaction[name] for name in ("from", "to", "data")}
    step["value"] = hex(int(transaction.get("value", 0)))
    if "gas" in transaction:
        step["gas"] = hex(transaction["gas"])
    return step


def _payment_of(row: "schema.Claimable") -> Payment:
    token = row["token"]
    return Payment(token["address"], to_raw(row["amount"], token["decimals"]), _place_of(row.get("paidTo", "account")))


def _verdict_of(simulated: str | None) -> Verdict:
    """A verdict that this client does not know is as good as none."""
    return next((verdict for verdict in KNOWN if verdict == simulated), "untried")


def _place_of(paid_to: str) -> Literal["account", "lock", "vault"]:
    """A place that this client does not know is not the account itself."""
    return "account" if paid_to == "account" else "lock" if paid_to == "lock" else "vault"
