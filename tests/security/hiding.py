"""Ways in which a page hides text from the eye, and ways in which pages show it, for one page that has them all."""

from __future__ import annotations

HIDDEN = {
    "display none": '<p style="display:none">{}</p>',
    "hidden attribute": "<p hidden>{}</p>",
    "visibility hidden": '<p style="visibility:hidden">{}</p>',
    "visibility collapse": '<p style="visibility:collapse">{}</p>',
    "opacity zero": '<p style="opacity:0">{}</p>',
    "opacity almost zero": '<p style="opacity:0.02">{}</p>',
    "opacity that multiplies": '<div style="opacity:.2"><p style="opacity:.2">{}</p></div>',
    "filter": '<p style="filter:opacity(0)">{}</p>',
    "font size zero": '<p style="font-size:0">{}</p>',
    "font size of a pixel": '<p style="font-size:1px">{}</p>',
    "colour of the ground": '<p style="color:#fff">{}</p>',
    "almost the colour of the ground": '<p style="color:#f7f7f7">{}</p>',
    "colour of another ground": '<div style="background:#124"><p style="color:#124">{}</p></div>',
    "transparent ink": '<p style="color:transparent">{}</p>',
    "ink with next to no alpha": '<p style="color:rgba(0,0,0,.03)">{}</p>',
    "colour in another notation": '<p style="color:oklch(1 0 0)">{}</p>',
    "transparent fill": '<p style="-webkit-text-fill-color:transparent">{}</p>',
    "off to the left": '<p style="position:absolute;left:-6000px">{}</p>',
    "off to the top": '<p style="position:fixed;top:-3000px">{}</p>',
    "indent": '<p style="text-indent:-9000px;white-space:nowrap;overflow:hidden">{}</p>',
    "margin": '<p style="margin-left:-9000px;width:500px">{}</p>',
    "box of no height": '<div style="height:0;overflow:hidden"><p>{}</p></div>',
    "box of no width": '<div style="width:0;overflow:hidden;white-space:nowrap">{}</div>',
    "box of a few pixels": '<div style="width:4px;height:4px;overflow:hidden"><p>{}</p></div>',
    "clip": '<p style="position:absolute;clip:rect(0 0 0 0)">{}</p>',
    "clip path": '<p style="clip-path:inset(100%)">{}</p>',
    "clip path of a circle": '<p style="clip-path:circle(0)">{}</p>',
    "scaled away": '<p style="transform:scale(0)">{}</p>',
    "scaled to nothing much": '<p style="transform:scale(.02)">{}</p>',
    "content visibility": '<div style="content-visibility:hidden"><p>{}</p></div>',
    "closed details": "<details><summary>More</summary><p>{}</p></details>",
    "comment": "<!-- {} -->",
    "template": "<template><p>{}</p></template>",
    "script": '<script type="text/plain">{}</script>',
    "style": "<style>/* {} */</style>",
    "noscript": "<noscript>{}</noscript>",
    "meta": '<meta name="description" content="{}">',
    "data attribute": '<p data-note="{}">A note</p>',
    "hidden field": '<input type="hidden" value="{}">',
    "class": '<p class="{}">A class</p>',
    "alt of a picture": '<img alt="{}" width="10" height="10" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    "frame that is not shown": '<iframe style="display:none" srcdoc="<p>{}</p>"></iframe>',
    "frame of no size": '<iframe width="0" height="0" srcdoc="<p>{}</p>"></iframe>',
    "hidden part of a button": '<button><span style="font-size:0">{}</span>Reload</button>',
    "transparent part of a button": '<button><span style="opacity:0">{}</span>Reset it</button>',
    "invisible part of a link": '<a href="?a"><span style="visibility:hidden">{}</span>Help</a>',
    "white part of a sentence": '<p>Bake for 35 <span style="color:#fff">{}</span> minutes.</p>',
    "small part of a sentence": '<p>At 180 <span style="font-size:1px">{}</span> degrees.</p>',
    "cell in the colour of the ground": '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td>'
    '<td style="color:#fff">{}</td></tr></table>',
    "shadow root that is not shown": '<div hidden><template shadowrootmode="open"><p>{}</p></template></div>',
    "hidden in a shadow root": '<div><template shadowrootmode="open"><p style="opacity:0">{}</p></template></div>',
}  # fmt: skip
"""Each with a place for a word that must not be told as if it was seen."""

SHOWN = {
    "plain": "<p>{}</p>",
    "grey": '<p style="color:#999">{}</p>',
    "light grey": '<p style="color:#c4c4c4">{}</p>',
    "white on dark": '<div style="background:#222"><p style="color:#fff">{}</p></div>',
    "white on a picture": '<div style="background-image:linear-gradient(#000,#333)"><p style="color:#fff">{}</p></div>',
    "half transparent": '<p style="opacity:.5">{}</p>',
    "ink with alpha": '<p style="color:rgba(0,0,0,.6)">{}</p>',
    "gradient text": '<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;'
    'color:transparent">{}</p>',
    "filled by another colour": '<p style="color:#fff;-webkit-text-fill-color:#000">{}</p>',
    "small print": '<p style="font-size:7px">{}</p>',
    "in a box that scrolls": '<div style="height:30px;overflow:auto"><p style="margin-top:90px">{}</p></div>',
    "clipped a little": '<div style="height:14px;overflow:hidden"><p style="margin:0">{}</p></div>',
    "scaled": '<p style="transform:scale(.8)">{}</p>',
    "clip path that shows": '<p style="clip-path:inset(0)">{}</p>',
    "open details": "<details open><summary>More</summary><p>{}</p></details>",
    "frame": '<iframe srcdoc="<p>{}</p>"></iframe>',
    "shadow root": '<div><template shadowrootmode="open"><p>{}</p></template></div>',
    "fixed": '<p style="position:fixed;bottom:0">{}</p>',
    "cell": "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>{}</td></tr></table>",
    "table with a dark head": '<table><tr style="background:#222"><th style="color:#fff">{}</th>'
    "<th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
}  # fmt: skip
"""Each with a place for a word that is seen."""


def page_of(hidden: str = "hidden{:02d}x", shown: str = "shown{:02d}x") -> str:
    """The body of one page with all of them, each with its number in its word."""
    parts = [way.format(hidden.format(number)) for number, way in enumerate(HIDDEN.values())]
    parts += [way.format(shown.format(number)) for number, way in enumerate(SHOWN.values())]
    return "<style>body{background:#fff;color:#000}</style>" + "\n".join(parts)
