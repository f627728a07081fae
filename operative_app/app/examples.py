"""The goals offered to newcomers; the first one is the demonstration. All are carried out on the practice site."""

from __future__ import annotations

from operative_app.presentation.ports import Example

EXAMPLES = (
    Example(
        title="Order a Mac mini, up to the checkout",
        goal="Open practice:shop, search for “Mac mini”, open the first result, choose 512 GB, add it to the cart, "
        "then go to checkout",
    ),
    Example(
        title="Read a figure from a report",
        goal="Open practice:report and tell me the revenue for March",
    ),
    Example(
        title="Subscribe to a newsletter",
        goal="Open practice:newsletter, press the contact button and subscribe with ada@example.org",
    ),
)

DEMONSTRATION = EXAMPLES[0].goal
