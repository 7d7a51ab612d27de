from typing import Any
Claimable = Balance = Event = ClaimPlan = Portfolio = NameRecord = Transaction = Any
