"""What can go wrong between a question and its answer. Every message is a sentence for a person.

ModelError (core.errors)
├── EndpointUnreachable  no connection, a time-out, a stream that was cut again and again
├── EndpointBusy         429 or 5xx, also after waiting; carries how long the server wants to be left alone
├── KeyRejected          401 or 403: the key is missing, wrong or not allowed to do this
├── CreditUsedUp         the account has no money or quota left; waiting does not help
├── RequestRejected      any other 4xx: unknown model, unknown address, a request the endpoint does not take
├── NotAnApi             an answer came, but not one of such an API: a web page, a bare string, no choices
├── ContextTooLong       the request does not fit into the model's context; carries the real limit when it was told
└── AnswerError          an answer came and was paid for; carries it and what it took
    ├── BadReply         it is not usable as JSON of the schema; show the model the fault once
    │   └── ReplyCutOff  it ended at the output limit; nothing of it may be used
    └── ModelRefused     the model or a filter refused; show the text to the person, do not ask again
"""

from __future__ import annotations

from operative_app.core.errors import ModelError
from operative_app.llm.messages import Usage


class EndpointUnreachable(ModelError):
    """No answer came."""


class EndpointBusy(ModelError):
    """The endpoint asks to wait longer than is waited for, or stayed overloaded.

    Attributes:
        wait_s: How long it asked to be left alone, in seconds; None when it did not say.
    """

    def __init__(self, message: str, *, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class KeyRejected(ModelError):
    """The endpoint does not accept the key. The key settings are the place to go."""


class CreditUsedUp(ModelError):
    """The account behind the key has nothing left to spend."""


class RequestRejected(ModelError):
    """The endpoint does not take the request."""


class NotAnApi(ModelError):
    """What answered does not speak this API."""


class ContextTooLong(ModelError):
    """The request has more tokens than the model takes.

    Attributes:
        limit_tokens: The real limit as the endpoint told it, None when it told none.
    """

    def __init__(self, message: str, *, limit_tokens: int | None = None) -> None:
        super().__init__(message)
        self.limit_tokens = limit_tokens


class AnswerError(ModelError):
    """An answer came that cannot be used.

    Attributes:
        usage: What the question took all the same; counts for budgets.
        sent, received: As in `ModelReply`.
    """

    def __init__(self, message: str, *, usage: Usage | None = None, sent: str = "", received: str = "") -> None:
        super().__init__(message)
        self.usage = usage if usage is not None else Usage()
        self.sent = sent
        self.received = received


class BadReply(AnswerError):
    """The answer is not usable as JSON of the schema.

    Attributes:
        raw: The answer as it came, thoughts left out.
        fault: What is wrong with it, in one sentence for the model.
    """

    def __init__(self, raw: str, fault: str, *, usage: Usage | None = None, sent: str = "", received: str = "") -> None:
        super().__init__(f"The model's reply cannot be used: {fault}", usage=usage, sent=sent, received=received)
        self.raw = raw
        self.fault = fault


class ReplyCutOff(BadReply):
    """The answer ended at the output limit: ask for less, or raise `max_output_tokens`."""


class ModelRefused(AnswerError):
    """The model, or a filter in front of it, refused to answer.

    Attributes:
        text: Its own words; "" when it gave none.
    """

    def __init__(self, text: str, *, usage: Usage | None = None, sent: str = "", received: str = "") -> None:
        words = f": “{text}”" if text else "; a content filter stopped the answer."
        super().__init__(f"The model refused{words}", usage=usage, sent=sent, received=received)
        self.text = text
