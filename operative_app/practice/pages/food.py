"""The food order: menu, dishes with options in a dialog, basket, delivery, order."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import ClassVar

from operative_app.practice.exchange import PageError, Request, Response, Route, json_reply, redirect
from operative_app.practice.pages.food_menu import DISHES, DISHES_BY_SLUG, SAUCES, SECTIONS, SIZES, Dish
from operative_app.practice.room import MAX_RECORDS, Room
from operative_app.practice.templates import Templates

DELIVERY_TIMES = (
    "As soon as possible",
    "12:00 to 12:30",
    "12:30 to 13:00",
    "18:00 to 18:30",
    "18:30 to 19:00",
    "19:00 to 19:30",
)
_DELIVERY_CENTS = 290
_MAX_PORTIONS = 20
_MAX_LINES = 30
_FIRST_ORDER = 501


@dataclass(frozen=True, slots=True)
class Portion:
    """One dish as the visitor wants it."""

    line: int
    slug: str
    name: str
    size: str
    extras: tuple[str, ...]
    sauce: str
    quantity: int
    note: str
    unit_cents: int

    @property
    def total_cents(self) -> int:
        """Price of all portions."""
        return self.unit_cents * self.quantity

    @property
    def details(self) -> str:
        """The options in one line."""
        return " · ".join([self.size, *self.extras, *([self.sauce] if self.sauce != SAUCES[0] else [])])


@dataclass(slots=True)
class Basket:
    """What one visitor is about to order."""

    lines: list[Portion] = field(default_factory=list)
    last_line: int = 0

    @property
    def count(self) -> int:
        """Portions in all."""
        return sum(line.quantity for line in self.lines)

    @property
    def total_cents(self) -> int:
        """Price of the food, without delivery."""
        return sum(line.total_cents for line in self.lines)


@dataclass(frozen=True, slots=True)
class FoodOrder:
    """A placed order."""

    number: int
    session: int
    lines: tuple[Portion, ...]
    time: str
    name: str
    street: str
    phone: str
    is_cutlery_wanted: bool
    total_cents: int


class FoodRoom(Room[Basket]):
    """Keeps baskets by session, and all orders."""

    name: ClassVar[str] = "food"

    def __init__(self, templates: Templates) -> None:
        """Open without orders."""
        super().__init__(templates)
        self._orders: deque[FoodOrder] = deque(maxlen=MAX_RECORDS)
        self._next_order = _FIRST_ORDER

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/food", self._menu),
            Route("GET", "/food/api/dish/<slug>", self._dish),
            Route("POST", "/food/api/basket", self._add),
            Route("POST", "/food/api/basket/<line>/remove", self._remove),
            Route("GET", "/food/review", self._review),
            Route("POST", "/food/order", self._order),
            Route("GET", "/food/order/<number>", self._confirmation),
        )

    def snapshot(self) -> dict[str, object]:
        """Baskets by session number, and orders, oldest first."""
        return {
            "baskets": {
                str(session): [asdict(line) for line in basket.lines] for session, basket in self._visits.items()
            },
            "orders": [asdict(order) for order in self._orders],
        }

    def reset(self) -> None:
        """Forget baskets and orders."""
        super().reset()
        self._orders.clear()
        self._next_order = _FIRST_ORDER

    def _new_visit(self) -> Basket:
        return Basket()

    def _menu(self, request: Request) -> Response:
        return self._page("food/menu.html", basket=self._visit(request), sections=SECTIONS, dishes=DISHES)

    def _dish(self, request: Request) -> Response:
        return self._page("food/dish.html", dish=_known(request.args["slug"]), sizes=SIZES, sauces=SAUCES)

    def _add(self, request: Request) -> Response:
        form = request.form
        dish = _known(form.text("dish"))
        basket = self._visit(request)
        size = form.choice("size", SIZES)
        sauce = form.choice("sauce", SAUCES, SAUCES[0])
        quantity = form.number("quantity", 1, _MAX_PORTIONS, 0)
        if not size:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "Please choose a size.")
        if not quantity or len(basket.lines) >= _MAX_LINES:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "That is more than we can cook.")
        chosen = form.choices("extras", [extra.key for extra in dish.extras])
        extras = [extra for extra in dish.extras if extra.key in chosen]
        basket.last_line += 1
        basket.lines.append(
            Portion(
                line=basket.last_line,
                slug=dish.slug,
                name=dish.name,
                size=SIZES[size][0],
                extras=tuple(extra.label for extra in extras),
                sauce=sauce,
                quantity=quantity,
                note=form.text("note", limit=300, is_multiline=True),
                unit_cents=dish.cents + SIZES[size][1] + sum(extra.cents for extra in extras),
            )
        )
        return self._basket_reply(basket, f"{dish.name} was added to your order.")

    def _remove(self, request: Request) -> Response:
        basket = self._visit(request)
        kept = [line for line in basket.lines if str(line.line) != request.args["line"]]
        if len(kept) == len(basket.lines):
            raise PageError(HTTPStatus.NOT_FOUND, "This is no longer in the basket.")
        basket.lines = kept
        return self._basket_reply(basket, "Removed.")

    def _basket_reply(self, basket: Basket, message: str) -> Response:
        return json_reply({"message": message, "basket": self._templates.render("food/basket.html", basket=basket)})

    def _review(self, request: Request) -> Response:
        basket = self._visit(request)
        return self._review_page(basket, {}, {}) if basket.lines else redirect("/food")

    def _review_page(
        self, basket: Basket, values: Mapping[str, str], errors: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        return self._page(
            "food/review.html",
            status,
            basket=basket,
            values=values,
            errors=errors,
            times=DELIVERY_TIMES,
            delivery_cents=_DELIVERY_CENTS,
        )

    def _order(self, request: Request) -> Response:
        basket, form = self._visit(request), request.form
        if not basket.lines:
            return redirect("/food")
        values = {key: form.text(key) for key in ("name", "street", "phone")}
        values["time"] = form.choice("time", DELIVERY_TIMES)
        errors = {key: "Please fill this in." for key in ("name", "street") if not values[key]}
        if not values["time"]:
            errors["time"] = "Please choose a time."
        if errors:
            return self._review_page(basket, values, errors, HTTPStatus.UNPROCESSABLE_ENTITY)
        order = FoodOrder(
            number=self._next_order,
            session=request.session,
            lines=tuple(basket.lines),
            is_cutlery_wanted=form.is_ticked("cutlery"),
            total_cents=basket.total_cents + _DELIVERY_CENTS,
            **values,
        )
        self._orders.append(order)
        self._next_order += 1
        basket.lines = []
        return redirect(f"/food/order/{order.number}")

    def _confirmation(self, request: Request) -> Response:
        for order in self._orders:
            if str(order.number) == request.args["number"] and order.session == request.session:
                return self._page("food/order.html", order=order)
        raise PageError(HTTPStatus.NOT_FOUND, "There is no such order.")


def _known(slug: str) -> Dish:
    dish = DISHES_BY_SLUG.get(slug)
    if dish is None:
        raise PageError(HTTPStatus.NOT_FOUND, "We do not cook this.")
    return dish
