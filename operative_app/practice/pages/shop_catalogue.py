"""What the shop sells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Storage:
    """A size to choose and what it adds to the price."""

    label: str
    extra_cents: int


@dataclass(frozen=True, slots=True)
class Product:
    """One article. `is_colour_asked` means that no colour is chosen at first."""

    slug: str
    title: str
    family: str
    price_cents: int
    picture: str
    blurb: str
    features: tuple[str, ...]
    storages: tuple[Storage, ...] = ()
    storage: str = ""
    colours: tuple[str, ...] = ()
    is_colour_asked: bool = False

    def line_name(self, storage: str) -> str:
        """Name the article as bought: the title follows the chosen storage when it names one."""
        return f"{self.family} {storage}" if self.storage and self.title.endswith(self.storage) else self.title

    def unit_cents(self, storage: str) -> int:
        """Price one piece with this storage."""
        extras = {option.label: option.extra_cents for option in self.storages}
        return self.price_cents + extras.get(storage, 0) - extras.get(self.storage, 0)


_MINI = (Storage("256 GB", 0), Storage("512 GB", 20000), Storage("1 TB", 40000))
_LAPTOP = (Storage("256 GB", 0), Storage("512 GB", 20000), Storage("1 TB", 40000))
_METALS = ("Silver", "Space Grey", "Midnight")

PRODUCTS = (
    Product(
        "mac-mini-256",
        "Mac mini 256 GB",
        "Mac mini",
        59900,
        "mini",
        "A whole desktop computer in the palm of a hand.",
        ("10-core processor", "16 GB memory", "Two USB-C ports in front"),
        _MINI,
        "256 GB",
        ("Silver", "Space Grey"),
    ),
    Product(
        "mac-mini-512",
        "Mac mini 512 GB",
        "Mac mini",
        79900,
        "mini",
        "The small desktop with room for photos and films.",
        ("10-core processor", "16 GB memory", "Two USB-C ports in front"),
        _MINI,
        "512 GB",
        ("Silver", "Space Grey"),
    ),
    Product(
        "mac-mini-case",
        "Travel case for Mac mini",
        "Travel case for Mac mini",
        3900,
        "case",
        "Padded felt case with a pocket for the power cord.",
        ("Wool felt", "Fits all Mac mini since 2024"),
        colours=("Graphite", "Sand"),
    ),
    Product(
        "mac-mini-stand",
        "Mac mini stand with hub",
        "Mac mini stand with hub",
        8900,
        "hub",
        "Lifts the Mac mini and adds six ports.",
        ("SD card reader", "Room for an SSD"),
        colours=("Silver",),
    ),
    Product(
        "macbook-air-13",
        "MacBook Air 13-inch",
        "MacBook Air 13-inch",
        109900,
        "laptop",
        "Light, silent, and good for a whole day.",
        ("8-core processor", "16 GB memory", "1.24 kg"),
        _LAPTOP,
        "256 GB",
        _METALS,
        is_colour_asked=True,
    ),
    Product(
        "macbook-air-15",
        "MacBook Air 15-inch",
        "MacBook Air 15-inch",
        129900,
        "laptop",
        "The light one with the larger screen.",
        ("8-core processor", "16 GB memory", "1.51 kg"),
        _LAPTOP,
        "256 GB",
        _METALS,
        is_colour_asked=True,
    ),
    Product(
        "macbook-pro-14",
        "MacBook Pro 14-inch",
        "MacBook Pro 14-inch",
        199900,
        "laptop",
        "For films, models and large builds.",
        ("12-core processor", "24 GB memory", "120 Hz screen"),
        (Storage("512 GB", 0), Storage("1 TB", 20000)),
        "512 GB",
        ("Silver", "Space Black"),
    ),
    Product(
        "macbook-air-sleeve",
        "Sleeve for MacBook Air",
        "Sleeve for MacBook Air",
        4900,
        "case",
        "Soft sleeve with a magnetic lid.",
        ("Recycled wool", "For 13 and 15 inches"),
        colours=("Graphite", "Sand", "Moss"),
    ),
    Product(
        "imac-24",
        "iMac 24-inch",
        "iMac 24-inch",
        139900,
        "screen",
        "Screen and computer in one thin sheet.",
        ("8-core processor", "16 GB memory", "4.5K screen"),
        (Storage("256 GB", 0), Storage("512 GB", 20000)),
        "256 GB",
        ("Blue", "Green", "Silver"),
    ),
    Product(
        "studio-screen-27",
        "Studio screen 27-inch",
        "Studio screen 27-inch",
        64900,
        "screen",
        "Sharp, even and calm on the eyes.",
        ("5K", "USB-C with 96 W", "Tilts by 30 degrees"),
    ),
    Product(
        "compact-keyboard",
        "Compact keyboard",
        "Compact keyboard",
        9900,
        "keyboard",
        "Flat keys, long battery life.",
        ("Bluetooth and cable", "Charges by USB-C"),
        colours=("White", "Black"),
    ),
    Product(
        "full-keyboard",
        "Full keyboard with number pad",
        "Full keyboard with number pad",
        12900,
        "keyboard",
        "All keys where they belong.",
        ("Bluetooth and cable", "Charges by USB-C"),
        colours=("White", "Black"),
    ),
    Product(
        "quiet-mouse",
        "Quiet mouse",
        "Quiet mouse",
        5900,
        "mouse",
        "Clicks nobody hears.",
        ("Three devices", "Left and right hand"),
        colours=("White", "Black"),
    ),
    Product(
        "usb-c-hub",
        "USB-C hub, 7 ports",
        "USB-C hub, 7 ports",
        5400,
        "hub",
        "HDMI, card reader and more on one cable.",
        ("4K at 60 Hz", "100 W pass-through"),
    ),
    Product(
        "usb-c-cable",
        "USB-C cable, 2 m",
        "USB-C cable, 2 m",
        1900,
        "cable",
        "Woven cable for charging and data.",
        ("240 W", "Woven sleeve"),
        colours=("White", "Black"),
    ),
    Product(
        "headphones",
        "Over-ear headphones",
        "Over-ear headphones",
        24900,
        "headphones",
        "Quiet trains and clear calls.",
        ("Noise cancelling", "30 hours"),
        colours=("Sand", "Black"),
    ),
)

PRODUCTS_BY_SLUG = {product.slug: product for product in PRODUCTS}


def search(words: str) -> list[Product]:
    """Find products, best first: all words in the title, all words anywhere, then at least half of the words."""
    wanted = words.casefold().split()
    if not wanted:
        return list(PRODUCTS)
    ranked: list[tuple[int, int, Product]] = []
    for position, product in enumerate(PRODUCTS):
        title = product.title.casefold()
        everything = f"{title} {product.blurb} {' '.join(product.features)}".casefold()
        found = sum(word in everything for word in wanted)
        if all(word in title for word in wanted):
            ranked.append((0 if title.startswith(wanted[0]) else 1, position, product))
        elif found == len(wanted):
            ranked.append((2, position, product))
        elif found * 2 >= len(wanted):
            ranked.append((3, position, product))
    best = min((rank for rank, _, _ in ranked), default=0)
    ceiling = 2 if best < 3 else 3
    return [product for rank, _, product in sorted(ranked, key=lambda entry: entry[:2]) if rank <= ceiling]
