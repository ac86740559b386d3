"""The story of the demonstration, as data: three sessions on a small shop.

Nothing happens here. What an agent is told and what it answers is worded in `prompts`; `play` sends
it through the hooks; what the memory knows before stands in `lessons`. May import the standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Ending = Literal["delivered", "partial", "blocked", "crashed", "unmarked"]


@dataclass(frozen=True)
class Task:
    """One builder's task and how the script lets it end.

    `report` is the summary (or the reason of a blocked one), `remaining` what a partial one left.
    `check` says how the VERIFY command ended at its last run; None: the builder never ran it.
    `learned` is the text of the INSIGHT the builder writes, if any.
    """

    seq: int
    slug: str
    text: str
    files: tuple[str, ...]
    verify: str
    ending: Ending
    report: str
    remaining: str = ""
    check: Literal["passed", "failed"] | None = None
    learned: str = ""
    blocked_by: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scope:
    """One explorer's scope, and the (file, what) pairs it finds there."""

    folder: str
    focus: str
    findings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Session:
    """One session: explorers where there are scopes, a planner, then the builders' waves."""

    objective: str
    waves: tuple[tuple[Task, ...], ...]
    scopes: tuple[Scope, ...] = ()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every task of the session in the order of its plan."""
        return tuple(task for wave in self.waves for task in wave)


CARDS = Session(
    objective="let customers pay their order by card",
    scopes=(
        Scope(
            "shop",
            "checkout and payments",
            (
                ("shop/checkout.py", "place_order() writes the order, nothing charges a card yet"),
                ("shop/mails.py", "send() mails at once, there is no outbox"),
            ),
        ),
        Scope(
            "tests",
            "payments",
            (("tests/test_checkout.py", "covers totals; no test touches the payment provider"),),
        ),
    ),
    waves=(
        (
            Task(
                1,
                "charge-card",
                "Charge the card when an order is placed, exactly once per order",
                ("shop/payments.py",),
                "pytest tests/test_payments.py",
                "delivered",
                "cards are charged once per order, a repeated request finds the first charge",
                check="passed",
            ),
            Task(
                2,
                "payment-webhook",
                "Check the signature of the payment webhook and mark the order as paid",
                ("shop/webhooks.py",),
                "pytest tests/test_webhooks.py",
                "blocked",
                "the webhook tests need Redis for the event lock, and the compose file starts none"
                " at localhost:6379",
                check="failed",
            ),
            Task(
                3,
                "checkout-total",
                "Show the order total with tax and shipping at the checkout",
                ("shop/checkout.py",),
                "pytest tests/test_checkout.py",
                "delivered",
                "the total is shown with tax and shipping, to the cent",
                check="passed",
            ),
        ),
        (
            Task(
                4,
                "order-mail",
                "Send the order confirmation mail after the payment",
                ("shop/mails.py",),
                "pytest tests/test_mails.py",
                "partial",
                "the confirmation mail goes through the outbox once the payment is in",
                remaining="gift orders have a second address, and no template covers them yet",
                check="failed",
                learned="When a confirmation mail follows a payment, load the order again in the"
                " mail worker because the webhook may be faster than the commit",
                blocked_by=(1,),
            ),
        ),
    ),
)

REFUNDS = Session(
    objective="refund customers who cancel their order",
    waves=(
        (
            Task(
                1,
                "refund-card",
                "Refund the captured amount of a cancelled card payment, exactly once",
                ("shop/payments.py",),
                "pytest tests/test_payments.py",
                "delivered",
                "cancelled payments are refunded once, with the captured amount",
                check="passed",
            ),
            Task(
                2,
                "webhook-redis",
                "Start Redis for the payment webhook tests and mark the order as paid",
                ("shop/webhooks.py",),
                "pytest tests/test_webhooks.py",
                "delivered",
                "the webhook tests start Redis themselves, paid orders are marked",
                check="passed",
            ),
            Task(
                3,
                "release-stock",
                "Release the stock of a cancelled order",
                ("shop/stock.py",),
                "pytest tests/test_stock.py",
                "crashed",
                "API Error: 529 overloaded",
            ),
        ),
        (
            Task(
                4,
                "late-mail",
                "Repeat the confirmation mail where the payment came late",
                ("shop/mails.py",),
                "pytest tests/test_mails.py",
                "unmarked",
                "I looked at the mail templates and wrote a first draft of the second mail.",
                blocked_by=(1,),
            ),
        ),
    ),
)

VOUCHERS = Session(
    objective="sell vouchers and send invoices",
    waves=(
        (
            Task(
                1,
                "voucher-total",
                "Lower the order total at the checkout by a voucher",
                ("shop/checkout.py",),
                "pytest tests/test_checkout.py",
                "blocked",
                "vouchers need the price per line, and the cart keeps only one sum for the order",
                check="failed",
            ),
            Task(
                2,
                "parcel-webhook",
                "Check the signature of the parcel service's webhook and mark the order as shipped",
                ("shop/webhooks.py",),
                "pytest tests/test_webhooks.py",
                "delivered",
                "parcel events are verified and mark their order as shipped",
                check="passed",
            ),
            Task(
                3,
                "reserve-stock",
                "Reserve the stock of a cart while its payment is open",
                ("shop/stock.py",),
                "pytest tests/test_stock.py",
                "delivered",
                "stock is reserved for ten minutes",
                check="failed",
            ),
        ),
        (
            Task(
                4,
                "invoice-mail",
                "Attach the invoice to the confirmation mail that follows a payment",
                ("shop/mails.py", "shop/invoices.py"),
                "pytest tests/test_mails.py",
                "delivered",
                "the invoice is attached to the mail that follows the payment",
                check="passed",
            ),
        ),
    ),
)

SESSIONS = (CARDS, REFUNDS, VOUCHERS)
