"""The shop: search, products with variants, cart, checkout, orders."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from typing import ClassVar

from operative_app.practice.exchange import PageError, Request, Response, Route, json_reply, redirect
from operative_app.practice.forms import is_email
from operative_app.practice.pages.shop_catalogue import PRODUCTS, PRODUCTS_BY_SLUG, Product, search
from operative_app.practice.room import MAX_RECORDS, Room
from operative_app.practice.templates import Templates

COUNTRIES = ("Austria", "Canada", "France", "Germany", "Japan", "Spain", "United Kingdom", "United States")
DELIVERIES: Mapping[str, tuple[str, int]] = {
    "standard": ("Standard (3 to 5 days)", 0),
    "express": ("Express (next day)", 1500),
    "pickup": ("Pick up in the shop", 0),
}
_MAX_PIECES = 10
_MAX_LINES = 30
_FIRST_ORDER = 1001


@dataclass(frozen=True, slots=True)
class CartLine:
    """One article with its variant in a cart."""

    line: int
    slug: str
    name: str
    storage: str
    colour: str
    quantity: int
    unit_cents: int

    @property
    def total_cents(self) -> int:
        """Price of all pieces."""
        return self.unit_cents * self.quantity

    @property
    def product(self) -> Product:
        """The article itself."""
        return PRODUCTS_BY_SLUG[self.slug]


@dataclass(slots=True)
class Cart:
    """What one visitor is about to buy."""

    lines: list[CartLine] = field(default_factory=list)
    last_line: int = 0

    @property
    def count(self) -> int:
        """Pieces in all."""
        return sum(line.quantity for line in self.lines)

    @property
    def total_cents(self) -> int:
        """Price of everything, without delivery."""
        return sum(line.total_cents for line in self.lines)


@dataclass(frozen=True, slots=True)
class Order:
    """A placed order."""

    number: int
    session: int
    lines: tuple[CartLine, ...]
    name: str
    email: str
    address: str
    city: str
    postcode: str
    country: str
    delivery: str
    delivery_cents: int
    total_cents: int


class ShopRoom(Room[Cart]):
    """Keeps carts by session, and all orders and searches."""

    name: ClassVar[str] = "shop"

    def __init__(self, templates: Templates) -> None:
        """Open without orders."""
        super().__init__(templates)
        self._orders: deque[Order] = deque(maxlen=MAX_RECORDS)
        self._searches: deque[str] = deque(maxlen=MAX_RECORDS)
        self._next_order = _FIRST_ORDER

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/shop", self._front),
            Route("GET", "/shop/search", self._search),
            Route("GET", "/shop/api/search", self._results),
            Route("GET", "/shop/product/<slug>", self._product),
            Route("POST", "/shop/api/cart", self._add),
            Route("GET", "/shop/cart", self._cart),
            Route("POST", "/shop/api/cart/<line>", self._change),
            Route("POST", "/shop/cart/<line>/remove", self._remove),
            Route("GET", "/shop/checkout", self._checkout),
            Route("POST", "/shop/checkout", self._order),
            Route("GET", "/shop/order/<number>", self._confirmation),
        )

    def snapshot(self) -> dict[str, object]:
        """Carts by session number, orders and searches, oldest first."""
        return {
            "carts": {str(session): [asdict(line) for line in cart.lines] for session, cart in self._visits.items()},
            "orders": [asdict(order) for order in self._orders],
            "searches": list(self._searches),
        }

    def reset(self) -> None:
        """Forget carts, orders and searches."""
        super().reset()
        self._orders.clear()
        self._searches.clear()
        self._next_order = _FIRST_ORDER

    def _new_visit(self) -> Cart:
        return Cart()

    def _front(self, request: Request) -> Response:
        return self._page("shop/front.html", cart=self._visit(request), products=PRODUCTS[:8], words="")

    def _search(self, request: Request) -> Response:
        words = request.query.text("q")
        if request.method == "GET" and words:
            self._searches.append(words)
        return self._page("shop/search.html", cart=self._visit(request), words=words)

    def _results(self, request: Request) -> Response:
        words = request.query.text("q")
        found = search(words)
        order = request.query.choice("sort", ("relevance", "low", "high"), "relevance")
        if order != "relevance":
            found.sort(key=lambda product: product.price_cents, reverse=order == "high")
        return self._page("shop/results.html", products=found, words=words)

    def _product(self, request: Request) -> Response:
        product = _known(request.args["slug"])
        others = [other for other in PRODUCTS if other.picture == product.picture and other != product][:3]
        return self._page("shop/product.html", cart=self._visit(request), product=product, others=others, words="")

    def _add(self, request: Request) -> Response:
        product = _known(request.form.text("slug"))
        storage = request.form.choice("storage", [option.label for option in product.storages], product.storage)
        colour = request.form.choice("colour", product.colours)
        if product.colours and not colour:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "Please choose a colour.")
        quantity = request.form.number("quantity", 1, _MAX_PIECES, 0)
        if not quantity:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, f"The quantity must be from 1 to {_MAX_PIECES}.")
        cart = self._visit(request)
        same = [
            line for line in cart.lines if (line.slug, line.storage, line.colour) == (product.slug, storage, colour)
        ]
        if same:
            grown = replace(same[0], quantity=min(_MAX_PIECES, same[0].quantity + quantity))
            cart.lines[cart.lines.index(same[0])] = grown
        elif len(cart.lines) >= _MAX_LINES:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "The cart is full.")
        else:
            cart.last_line += 1
            name, cents = product.line_name(storage), product.unit_cents(storage)
            cart.lines.append(CartLine(cart.last_line, product.slug, name, storage, colour, quantity, cents))
        drawer = self._templates.render("shop/drawer.html", cart=cart)
        return json_reply(
            {"count": cart.count, "message": f"{product.line_name(storage)} was added to your cart.", "drawer": drawer}
        )

    def _cart(self, request: Request) -> Response:
        return self._page("shop/cart.html", cart=self._visit(request), words="")

    def _change(self, request: Request) -> Response:
        cart, position = self._line(request)
        quantity = request.form.number("quantity", 1, _MAX_PIECES, 0)
        if not quantity:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, f"The quantity must be from 1 to {_MAX_PIECES}.")
        cart.lines[position] = replace(cart.lines[position], quantity=quantity)
        return json_reply(
            {"count": cart.count, "line_cents": cart.lines[position].total_cents, "total_cents": cart.total_cents}
        )

    def _remove(self, request: Request) -> Response:
        cart, position = self._line(request)
        del cart.lines[position]
        return redirect("/shop/cart")

    def _checkout(self, request: Request) -> Response:
        cart = self._visit(request)
        return self._checkout_page(cart, {}, {}) if cart.lines else redirect("/shop/cart")

    def _order(self, request: Request) -> Response:
        cart, form = self._visit(request), request.form
        if not cart.lines:
            return redirect("/shop/cart")
        values = {key: form.text(key) for key in ("name", "email", "address", "city", "postcode")}
        values["country"] = form.choice("country", COUNTRIES)
        values["delivery"] = form.choice("delivery", DELIVERIES)
        errors = {key: "Please fill this in." for key in ("name", "address", "city", "postcode") if not values[key]}
        if not is_email(values["email"]):
            errors["email"] = "Please enter an e-mail address such as name@example.com."
        if not values["country"]:
            errors["country"] = "Please choose a country."
        if not values["delivery"]:
            errors["delivery"] = "Please choose a way of delivery."
        if not form.is_ticked("terms"):
            errors["terms"] = "Please accept the terms of sale."
        if errors:
            return self._checkout_page(cart, values, errors, HTTPStatus.UNPROCESSABLE_ENTITY)
        delivery_cents = DELIVERIES[values["delivery"]][1]
        order = Order(
            number=self._next_order,
            session=request.session,
            lines=tuple(cart.lines),
            delivery_cents=delivery_cents,
            total_cents=cart.total_cents + delivery_cents,
            **values,
        )
        self._orders.append(order)
        self._next_order += 1
        cart.lines.clear()
        return redirect(f"/shop/order/{order.number}")

    def _checkout_page(
        self, cart: Cart, values: Mapping[str, str], errors: Mapping[str, str], status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        return self._page(
            "shop/checkout.html",
            status,
            cart=cart,
            values=values,
            errors=errors,
            countries=COUNTRIES,
            deliveries=DELIVERIES,
            words="",
        )

    def _confirmation(self, request: Request) -> Response:
        for order in self._orders:
            if str(order.number) == request.args["number"] and order.session == request.session:
                return self._page(
                    "shop/order.html",
                    cart=self._visit(request),
                    order=order,
                    delivery=DELIVERIES[order.delivery][0],
                    words="",
                )
        raise PageError(HTTPStatus.NOT_FOUND, "There is no such order.")

    def _line(self, request: Request) -> tuple[Cart, int]:
        cart = self._visit(request)
        for position, line in enumerate(cart.lines):
            if str(line.line) == request.args["line"]:
                return cart, position
        raise PageError(HTTPStatus.NOT_FOUND, "This is no longer in the cart.")


def _known(slug: str) -> Product:
    product = PRODUCTS_BY_SLUG.get(slug)
    if product is None:
        raise PageError(HTTPStatus.NOT_FOUND, "We do not sell this.")
    return product
