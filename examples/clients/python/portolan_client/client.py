"""Requests to a gateway: every answer has its gaps, and every amount is a `Decimal`."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from . import schema

Content = TypeVar("Content")

PROBLEM = "urn:portolan:problem:"


@dataclass(frozen=True)
class Missing:
    """Something that could not be read. The reference of partial reasons says what each `reason` means."""

    what: str
    """A protocol's slug, `tokens`, `events`, or `*` for everything on the network."""
    network: str
    """A network's slug, or `*`."""
    reason: str
    count: int | None = None
    """How many of `what` are missing, where the gateway counts them."""


class PartialAnswer(Exception):
    """An answer that had to be whole has gaps."""

    def __init__(self, missing: list[Missing]) -> None:
        super().__init__(", ".join(f"{gap.what}/{gap.network} ({gap.reason})" for gap in missing))
        self.missing = missing


@dataclass(frozen=True)
class Answer(Generic[Content]):
    """An answer with its gaps: `missing` is empty if, and only if, the answer is whole."""

    content: Content
    missing: list[Missing]
    blocks: dict[str, int]
    """The block that each network was read at, by the network's slug."""

    def whole(self) -> Content:
        """The content of an answer that is whole. Raises `PartialAnswer` if something is missing."""
        if self.missing:
            raise PartialAnswer(self.missing)
        return self.content


class Problem(Exception):
    """A problem document (RFC 9457). Decide by `kind`, and show `detail`."""

    def __init__(self, status: int, document: dict[str, Any], retry_after_s: int | None) -> None:
        self.status = status
        self.kind = str(document.get("type", "about:blank")).removeprefix(PROBLEM)
        """The last part of the problem's type, like `invalid-address`."""
        self.detail = str(document.get("detail", ""))
        self.request_id = document.get("requestId")
        self.retry_after_s = retry_after_s
        """Seconds to wait before the next try, if the gateway said so."""
        super().__init__(f"{status}: {self.detail}")


class Portolan:
    """A client of one gateway. Its methods raise `Problem` where the gateway refuses, and never return less."""

    def __init__(
        self,
        url: str,
        *,
        timeout_s: float = 30,
        retries: int = 3,
        retry_after_max_s: int = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`url` is the gateway's listener `base`. A request that the gateway is too busy for is repeated `retries` times,
        if it asks for a wait of at most `retry_after_max_s`."""
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self.retries = retries
        self.retry_after_max_s = retry_after_max_s
        self.sleep = sleep

    def claimables(self, account: str, **parameters: object) -> "Answer[list[schema.Claimable]]":
        """What the account can claim now. `claims.claims_of` makes claims of the rows."""
        return self._get(f"/claimables/{quote(account, safe='')}", parameters)

    def positions(self, account: str, **parameters: object) -> "Answer[schema.Portfolio]":
        """What the account has in protocols and owes to them, by protocol, with totals."""
        return self._get(f"/positions/{quote(account, safe='')}", parameters)

    def plan(self, account: str, network: str, **parameters: object) -> "Answer[schema.ClaimPlan]":
        """How to claim everything on one network. `claims.claim_of_plan` makes one claim of it."""
        return self._get(f"/{quote(account, safe='')}/claim-plan", {"network": network, **parameters})

    def balances(self, account: str, **parameters: object) -> "Answer[list[schema.Balance]]":
        """The listed tokens that the account holds."""
        return self._get(f"/balance/{quote(account, safe='')}/token-balances", parameters)

    def events(self, transaction: str, network: str, **parameters: object) -> "Answer[list[schema.Event]]":
        """The decoded events of a transaction."""
        return self._get(f"/events/decode/{quote(transaction, safe='')}", {"network": network, **parameters})

    def address_of(self, name: str, **parameters: object) -> "Answer[schema.NameRecord]":
        """The address of a name, like `vitalik.eth`."""
        return self._get(f"/ens/by-name/{quote(name, safe='')}", parameters)

    def name_of(self, address: str, **parameters: object) -> "Answer[schema.NameRecord]":
        """The name of an address."""
        return self._get(f"/ens/by-address/{quote(address, safe='')}", parameters)

    def _get(self, path: str, parameters: dict[str, object]) -> Answer[Any]:
        search = urlencode({name: _text(value) for name, value in parameters.items() if value is not None})
        request = urllib.request.Request(f"{self.url}{path}" + (f"?{search}" if search else ""))
        for left in range(self.retries, -1, -1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout_s) as response:
                    # A binary float would round an amount.
                    content = json.load(response, parse_float=Decimal)
                    missing = parse_missing(response.headers.get("portolan-partial"))
                    return Answer(content, missing, parse_blocks(response.headers.get("portolan-blocks")))
            except urllib.error.HTTPError as error:
                problem = _problem(error)
            wait_s = problem.retry_after_s if problem.status == 503 else None
            if wait_s is None or wait_s > self.retry_after_max_s or left == 0:
                raise problem
            self.sleep(wait_s)
        raise AssertionError("the last try returns or raises")


def parse_missing(header: str | None) -> list[Missing]:
    """Parses the header `portolan-partial`. An entry that no rule fits is kept as it is, because it is a gap too."""
    return [_missing(entry) for entry in _entries(header)]


def parse_blocks(header: str | None) -> dict[str, int]:
    """Parses the header `portolan-blocks`."""
    return {network: int(block) for network, _, block in (entry.partition("=") for entry in _entries(header))}


def _missing(entry: str) -> Missing:
    place, *members = entry.split(";")
    named = dict(member.split("=", 1) for member in members if "=" in member)
    what, slash, network = place.rpartition("/")
    if not slash:
        what, network = place, "*"
    count = named.get("count")
    return Missing(what, network, named.get("reason", place), None if count is None else int(count))


def _entries(header: str | None) -> Iterable[str]:
    return filter(None, (entry.strip() for entry in (header or "").split(",")))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


def _problem(error: urllib.error.HTTPError) -> Problem:
    """The problem of an answer that is an error. What is not a problem document, like the page of a proxy, has the kind
    `about:blank`."""
    body = error.read().decode(errors="replace")
    wait = error.headers.get("retry-after", "")
    try:
        document = json.loads(body)
    except json.JSONDecodeError:
        document = None
    if not isinstance(document, dict):
        document = {"detail": body[:200]}
    return Problem(error.code, document, int(wait) if wait.isdecimal() else None)
