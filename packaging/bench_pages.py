"""Pages of a given size for benchmarks: a shop with navigation, filters, cards, a form and a table."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

_STYLE = """body{font:15px sans-serif;margin:0}header,footer{background:#eee;padding:8px}nav a{margin:0 8px}
.grid{display:grid;grid-template-columns:repeat(4,1fr);gap:12px}.card{border:1px solid #ccc;padding:8px}
.price{font-weight:bold}td,th{border:1px solid #ddd;padding:2px 6px}main{padding:12px}"""

_HEAD = """<header><nav aria-label=Shop><a href=/tea>Tea</a><a href=/coffee>Coffee</a><a href=/cups>Cups</a>
<a href=/help>Help</a></nav><form><label>Search <input type=search name=q></label><button>Find</button></form></header>
<main><h1>All goods</h1><p id=status role=status>0 in the basket</p><fieldset><legend>Filter</legend>
<label><input type=checkbox> In stock</label><label><input type=checkbox> On sale</label>
<label>Sort <select><option>By price<option>By name<option>Newest</select></label></fieldset><div class=grid>"""

_CARD = """<div class=card><h3><a href="/item/{n}">Item {n}</a></h3><div><span>Size</span> <span>{n} cm</span></div>
<p>Made by hand in small numbers, <b>limited</b> to <i>{n}</i> pieces.</p><div class=price><span>£</span>
<span>{n}.50</span></div><ul><li>Washable</li><li>Two years</li></ul><button>Add to basket</button>
<button aria-label="Remember item {n}">
<svg width=12 height=12><path d="M0 0h9v9z"/></svg></button></div>"""
_CARD_NODES = 20

_ROW = """<tr><td>{n}</td><td>Order {n}</td><td><a href="/order/{n}">Show</a></td><td><span>paid</span></td></tr>"""
_ROW_NODES = 7
_MAX_ROWS = 300


def page_of(nodes: int) -> str:
    """A page of about so many elements: a tenth of them in a table (at most 300 rows), the rest in cards."""
    rows = min(_MAX_ROWS, nodes // 10 // _ROW_NODES)
    cards = (nodes - rows * _ROW_NODES - 40) // _CARD_NODES
    body = "".join(_CARD.format(n=number) for number in range(cards))
    table = "".join(_ROW.format(n=number) for number in range(rows))
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{nodes} nodes</title><style>{_STYLE}</style><body>"
        f"{_HEAD}{body}</div><table><caption>Orders</caption><tr><th>No<th>Name<th>Open<th>State</tr>{table}</table></main>"
        "<footer><a href=/terms>Terms</a></footer>"
    )


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.strip("/")
        body = page_of(int(name)).encode() if name.isdigit() else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, _format: str, *_arguments: object) -> None:
        return


class PageServer:
    """Serves `page_of` on the loopback interface while it is entered."""

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def url(self, nodes: int) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{nodes}"
