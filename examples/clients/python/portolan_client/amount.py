"""The type of amounts in answers."""

from decimal import Decimal
from typing import TypeAlias

Amount: TypeAlias = Decimal | int
"""An exact number: Python reads a JSON number without a point or an exponent as an `int`."""
