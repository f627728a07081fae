"""What the kitchen cooks."""

from __future__ import annotations

from dataclasses import dataclass

SIZES = {"small": ("Small", -200), "regular": ("Regular", 0), "large": ("Large", 350)}
SAUCES = ("No sauce", "Tomato and basil", "Garlic yoghurt", "Hot chilli", "Lemon tahini")


@dataclass(frozen=True, slots=True)
class Extra:
    """Something to put on top, with its price."""

    key: str
    label: str
    cents: int


@dataclass(frozen=True, slots=True)
class Dish:
    """One dish; the price is for the regular size."""

    slug: str
    name: str
    section: str
    blurb: str
    cents: int
    picture: str
    extras: tuple[Extra, ...]


_PIZZA_EXTRAS = (
    Extra("cheese", "Extra cheese", 150),
    Extra("mushrooms", "Mushrooms", 120),
    Extra("olives", "Olives", 100),
    Extra("rocket", "Rocket", 100),
)
_BOWL_EXTRAS = (
    Extra("avocado", "Avocado", 200),
    Extra("egg", "Soft egg", 150),
    Extra("seeds", "Toasted seeds", 80),
)
_SIDE_EXTRAS = (Extra("herbs", "Fresh herbs", 50), Extra("chilli", "Chilli flakes", 50))

DISHES = (
    Dish("margherita", "Margherita", "Pizza", "Tomato, mozzarella, basil.", 1150, "pizza", _PIZZA_EXTRAS),
    Dish("marinara", "Marinara", "Pizza", "Tomato, garlic, oregano. Vegan.", 950, "pizza", _PIZZA_EXTRAS),
    Dish("funghi", "Funghi", "Pizza", "Three kinds of mushrooms, thyme.", 1350, "pizza", _PIZZA_EXTRAS),
    Dish("diavola", "Diavola", "Pizza", "Spicy salami, honey, chilli.", 1450, "pizza", _PIZZA_EXTRAS),
    Dish("green-bowl", "Green bowl", "Bowls", "Broccoli, peas, rice, lime.", 1250, "bowl", _BOWL_EXTRAS),
    Dish("salmon-bowl", "Salmon bowl", "Bowls", "Salmon, cucumber, sesame rice.", 1590, "bowl", _BOWL_EXTRAS),
    Dish("chicken-bowl", "Chicken bowl", "Bowls", "Roast chicken, sweetcorn, beans.", 1390, "bowl", _BOWL_EXTRAS),
    Dish("potatoes", "Roast potatoes", "Sides", "With rosemary and sea salt.", 520, "side", _SIDE_EXTRAS),
    Dish("slaw", "Apple slaw", "Sides", "Cabbage, apple, mustard.", 450, "bowl", _SIDE_EXTRAS),
    Dish("flatbread", "Garlic flatbread", "Sides", "Straight from the oven.", 480, "bread", _SIDE_EXTRAS),
)
DISHES_BY_SLUG = {dish.slug: dish for dish in DISHES}
SECTIONS = tuple(dict.fromkeys(dish.section for dish in DISHES))
