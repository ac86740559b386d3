"""What the demonstration's memory knows before the first session: twelve insights on a shop.

Most fit a task of the story in `script`; a few fit none and are never given to anybody. May import
the standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lesson:
    """One insight the memory holds before the first session; `effectiveness` in [0, 1]."""

    content: str
    tags: tuple[str, ...]
    effectiveness: float = 0.5


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "When charging a card, send one idempotency key per order because the payment provider"
        " repeats requests that timed out",
        ("payments",),
    ),
    Lesson(
        "When a payment webhook arrives, check its signature against the raw request body because"
        " the JSON parser reorders the keys",
        ("payments", "webhook"),
    ),
    Lesson(
        "When order totals are added up, count in integer cents because float sums differ from the"
        " invoice by a cent",
        ("money",),
        0.65,
    ),
    Lesson(
        "When an order mail is sent, put it into the outbox table inside the transaction because a"
        " rolled back order must not send mail",
        ("mail",),
    ),
    Lesson(
        "When stock is reserved for a cart, lock the product row first because two carts can take"
        " the last piece",
        ("stock",),
        0.55,
    ),
    Lesson(
        "When stock is released for a cancelled order, write a stock movement instead of changing"
        " the quantity because the audit sums the movements",
        ("stock",),
    ),
    Lesson(
        "When a card payment is refunded, refund the captured amount and not the order total"
        " because part of it may be paid back already",
        ("payments", "refunds"),
    ),
    Lesson(
        "When an account is deleted, blank the name and keep the rows because the bookkeeping holds"
        " them for ten years",
        ("customers",),
        0.55,
    ),
    Lesson(
        "When a discount or voucher lowers the order total, spread it over the lines because tax is"
        " computed per line",
        ("money", "vouchers"),
    ),
    Lesson(
        "When an invoice PDF is rendered, embed the font because the container has no system fonts",
        ("invoices",),
        0.45,
    ),
    Lesson(
        "When a column is added to the orders table, add it nullable and backfill it in batches"
        " because the lock stops the checkout",
        ("database",),
    ),
    Lesson(
        "When search results are paged, sort by id last because equal prices let rows jump between"
        " pages",
        ("search",),
    ),
)
