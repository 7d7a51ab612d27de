"""A client of Portolan: exact amounts, visible gaps, and claims that are ready to sign. Standard library only."""

from .claims import Claim, ClaimNotSendable, Payment, Verdict, claim_of_plan, claims_of, to_raw, to_send
from .client import Answer, Missing, PartialAnswer, Portolan, Problem

__all__ = [
    "Answer",
    "Claim",
    "ClaimNotSendable",
    "Missing",
    "PartialAnswer",
    "Payment",
    "Portolan",
    "Problem",
    "Verdict",
    "claim_of_plan",
    "claims_of",
    "to_raw",
    "to_send",
]
