"""
Court cards of the project's own deck: jacks, queens and kings, each drawn as its upper half.

The card shows the half twice, the second time turned about the card's middle. Everything is built from a few parts
(robe, head, headdress, what the hand holds) in the colours of its suit, so that no two courts look alike: a jack wears
a cap with a feather, a queen a kokoshnik, a king a crown and a beard.
"""

# ruff: noqa: E501 - the data of a path is one word; broken lines would hide its shape
from __future__ import annotations

from dataclasses import dataclass

from datasets.decks.own_glyphs import SUIT_PATHS, ellipse, number, shape

LINE = "#241a12"
GOLD = "#e0b040"
GOLD_DARK = "#b9831f"
LINEN = "#fbf6ea"
SKIN = "#f3cda8"
SKIN_SHADE = "#dfa57c"
FRAME = (122, 58, 508, 822)
"""Left, top, right, bottom of the picture's frame on the card."""
MIDDLE = (315, 440)


@dataclass(frozen=True, slots=True)
class Livery:
    """A suit's colours: robe, cloak, trimmings, hair of the young and of the old; ``gaze``: where the eyes look."""

    robe: str
    cloak: str
    trim: str
    hair: str
    beard: str
    paper: str
    gaze: int


LIVERIES = {
    "s": Livery("#24459a", "#7d1f33", "#8fb4e8", "#3b2416", "#4a3a30", "#eef2fa", 4),
    "h": Livery("#b71f2e", "#2a3f86", "#f3a6a0", "#a8571f", "#8a4a22", "#fdf1ec", -4),
    "d": Livery("#d9792a", "#12695f", "#f8d58e", "#d9a441", "#c58b35", "#fdf6e6", 4),
    "c": Livery("#1f6e46", "#5d2a6b", "#a9d8b0", "#1e1a1c", "#8d8a88", "#eef6ec", -4),
}


def court(rank: str, suit: str) -> str:
    """Draw the upper half of a court card, above the line y = 440, in the card's units."""
    livery = LIVERIES[suit]
    parts = {"J": _jack, "Q": _queen, "K": _king}[rank](suit, livery)
    return "".join(parts)


def _robe(livery: Livery, ermine: bool) -> list[str]:
    """Draw shoulders and breast: a robe, a cloak over both shoulders with its hem, a panel down the middle."""
    parts = [
        shape("M134 440C136 362 168 318 246 298H384C462 318 494 362 496 440Z", livery.robe),
        shape("M246 298C168 318 136 362 134 440H206C204 396 222 352 272 326Z", livery.cloak),
        shape("M384 298C462 318 494 362 496 440H424C426 396 408 352 358 326Z", livery.cloak),
        shape("M272 326C222 352 204 396 206 440H234C234 400 250 362 290 340Z", LINEN if ermine else livery.trim),
        shape("M358 326C408 352 426 396 424 440H396C396 400 380 362 340 340Z", LINEN if ermine else livery.trim),
        shape("M284 322H346L354 440H276Z", GOLD),
        shape("M315 340L331 364L315 388L299 364ZM315 394L331 418L315 440L299 418Z", livery.cloak),
    ]
    if ermine:
        tails = [(250, 352), (226, 384), (219, 420), (380, 352), (404, 384), (411, 420)]
        parts += [shape(f"M{x} {y}l5 14h-10Z", LINE, "none") for x, y in tails]
    else:
        parts.append(_pearls("M258 348C238 366 226 392 222 426", 24, livery.robe))
        parts.append(_pearls("M372 348C392 366 404 392 408 426", 24, livery.robe))
    folds = "M160 440C160 400 168 372 186 350M178 440C178 404 186 378 204 356M470 440C470 400 462 372 444 350"
    parts.append(shape(folds, "none", LINE, 2.5))
    return parts


def _pearls(d: str, gap: float, fill: str) -> str:
    """Draw a string of pearls along a path, ``gap`` apart: dots made by a dashed pen, which keeps the file small."""
    dots = f'fill="none" stroke-dasharray="0 {number(gap)}"'
    return f'<path d="{d}" {dots} stroke-width="14"/><path d="{d}" {dots} stroke="{fill}" stroke-width="9"/>'


def _collar(colour: str) -> list[str]:
    return [
        shape("M290 250H340V306L315 322L290 306Z", SKIN),
        shape("M290 262C300 280 330 280 340 262V282C328 294 302 294 290 282Z", SKIN_SHADE, "none"),
        shape("M262 300C280 296 286 288 290 280C300 312 330 312 340 280C344 288 350 296 368 300L348 330H282Z", colour),
        _pearls("M275 306C298 326 332 326 355 306", 16.5, LINEN),
    ]


def _face(livery: Livery, brow: str, stern: bool, lips: str) -> list[str]:
    """Draw a face seen from the front; the eyes look where the livery says."""
    g = livery.gaze
    brows = (
        "M276 172L304 178M354 172L326 178"
        if stern
        else "M276 175C284 167 296 167 304 173M326 173C334 167 346 167 354 175"
    )
    return [
        shape(
            "M264 168C264 232 286 270 315 270C344 270 366 232 366 168C366 128 344 112 315 112C286 112 264 128 264 168Z",
            SKIN,
        ),
        shape(
            "M366 168C366 232 344 270 315 270C338 256 350 220 350 168C350 140 346 126 336 116C354 122 366 140 366 168Z",
            SKIN_SHADE,
            "none",
        ),
        ellipse(284, 218, 11, 8, "#eeb091", "none"),
        ellipse(343, 218, 11, 8, "#e39c7c", "none"),
        shape(brows, "none", brow, 6),
        shape("M277 190C284 182 297 182 303 191C296 197 284 197 277 190Z", "#fff", LINE, 3),
        shape("M327 191C333 182 346 182 353 190C346 197 334 197 327 191Z", "#fff", LINE, 3),
        ellipse(290 + g, 190, 5.5, 6, LINE, "none"),
        ellipse(340 + g, 190, 5.5, 6, LINE, "none"),
        shape(
            f"M{315 + g // 2} 186C{311 + g} 205 {306 + g} 216 {309 + g // 2} 221C313 225 319 224 322 221",
            "none",
            LINE,
            3,
        ),
        shape("M299 240C306 235 312 238 315 239C318 238 324 235 331 240C324 249 306 249 299 240Z", lips, LINE, 2.5),
    ]


def _hand(x: float, y: float, cuff: str) -> list[str]:
    """Draw a fist round a staff at (x, y), with its cuff below."""
    n = number
    return [
        shape(
            f"M{n(x - 42)} 440C{n(x - 40)} {n(y + 52)} {n(x - 30)} {n(y + 36)} {n(x - 20)} {n(y + 24)}H{n(x + 24)}"
            f"C{n(x + 34)} {n(y + 44)} {n(x + 38)} {n(y + 60)} {n(x + 40)} 440Z",
            cuff,
        ),
        shape(f"M{n(x - 24)} {n(y + 12)}H{n(x + 27)}V{n(y + 30)}H{n(x - 24)}Z", LINEN),
        shape(
            f"M{n(x - 20)} {n(y + 12)}C{n(x - 27)} {n(y - 4)} {n(x - 24)} {n(y - 20)} {n(x - 8)} {n(y - 22)}H{n(x + 14)}"
            f"C{n(x + 26)} {n(y - 20)} {n(x + 28)} {n(y)} {n(x + 22)} {n(y + 12)}Z",
            SKIN,
        ),
        shape(
            f"M{n(x - 20)} {n(y - 11)}H{n(x + 10)}M{n(x - 21)} {n(y - 2)}H{n(x + 10)}M{n(x - 20)} {n(y + 6)}H{n(x + 8)}",
            "none",
            LINE,
            2.5,
        ),
    ]


def _staff(x: float, top: float, colour: str) -> str:
    return shape(f"M{number(x - 6)} {number(top)}H{number(x + 6)}V440H{number(x - 6)}Z", colour)


def _sign(suit: str, x: float, y: float, size: float, fill: str) -> str:
    """Draw a suit sign with the pen's outline, as an ornament."""
    return (
        f'<path transform="translate({number(x)} {number(y)}) scale({size / 100:.3g})" d="{SUIT_PATHS[suit]}" '
        f'fill="{fill}" stroke="{LINE}" stroke-width="{number(300 / size)}"/>'
    )


def _king(suit: str, livery: Livery) -> list[str]:
    x, fist = 446, 372
    held = {
        "s": [
            shape("M440 372V112L446 84L452 112V372Z", "#dfe6ee"),
            shape("M446 96V340", "none", "#8d99a8", 2.5),
            shape("M412 336H480V348H412Z", GOLD),
        ],
        "h": [_staff(x, 150, GOLD), ellipse(x, 150, 13, 8, GOLD_DARK), _sign("h", x, 116, 56, "#c8102e")],
        "d": [
            _staff(x, 104, "#8a5a2b"),
            shape("M452 118C482 104 498 128 494 160C490 186 474 200 452 192Z", "#dfe6ee"),
            shape("M440 132L418 144V172L440 182Z", "#b8c4d2"),
            ellipse(x, 100, 10, 10, GOLD),
        ],
        "c": [
            _staff(x, 160, "#8a5a2b"),
            ellipse(x, 128, 30, 36, GOLD),
            shape("M446 92V164M424 104C432 120 432 138 424 152M468 104C460 120 460 138 468 152", "none", LINE, 3),
        ],
    }[suit]
    beards = {
        "s": "M266 206C262 268 290 318 315 330C340 318 368 268 364 206C352 236 336 232 315 230C294 232 278 236 266 206Z",
        "h": "M266 204C258 262 270 300 288 322C296 306 304 300 315 300C326 300 334 306 342 322C360 300 372 262 364 204"
        "C352 236 336 232 315 230C294 232 278 236 266 204Z",
        "d": "M266 206C264 248 284 290 315 294C346 290 366 248 364 206C354 236 336 230 315 230C294 230 276 236 266 206Z",
        "c": "M264 196C248 270 268 330 315 348C362 330 382 270 366 196C356 236 336 232 315 230C294 232 274 236 264 196Z",
    }
    waves = {
        "s": "M290 258C296 282 304 300 315 314M340 258C334 282 326 300 315 314",
        "h": "M282 256C280 280 284 296 290 306M348 256C350 280 346 296 340 306",
        "d": "M292 258C298 270 304 278 315 282M338 258C332 270 326 278 315 282",
        "c": "M280 250C276 290 296 322 315 334M350 250C354 290 334 322 315 334M300 258C300 290 308 306 315 316",
    }
    return [
        *_robe(livery, ermine=True),
        *held,
        *_hand(x, fist, livery.robe),
        shape(
            "M258 160C238 200 240 262 262 290C272 296 284 284 282 270L272 200ZM372 160C392 200 390 262 368 290"
            "C358 296 346 284 348 270L358 200Z",
            livery.beard,
        ),
        *_collar(GOLD),
        *_face(livery, livery.beard, True, "#b5473f"),
        shape(beards[suit], livery.beard),
        shape(waves[suit], "none", LINE, 2.5),
        shape(
            "M315 228C304 222 290 226 278 238C292 242 304 240 315 234C326 240 338 242 352 238C340 226 326 222 315 228Z",
            livery.beard,
        ),
        shape("M302 243C308 250 322 250 328 243C322 241 308 241 302 243Z", "#b5473f", LINE, 2),
        *_crown(suit, livery),
    ]


def _crown(suit: str, livery: Livery) -> list[str]:
    band = shape("M256 138C290 150 340 150 374 138V160C340 172 290 172 256 160Z", GOLD)
    gems = [_gem(x, y, c) for x, y, c in ((280, 157, livery.robe), (315, 160, livery.cloak), (350, 157, livery.robe))]
    if suit == "s":
        points = shape(
            "M256 140L244 84L278 116L290 76L315 112L340 76L352 116L386 84L374 140C340 150 290 150 256 140Z", GOLD
        )
        balls = [ellipse(x, y, 7, 7, LINEN) for x, y in ((244, 82), (290, 74), (340, 74), (386, 82))]
        return [points, *balls, band, *gems]
    if suit == "h":
        dome = shape("M262 140C250 96 284 78 315 82C346 78 380 96 368 140Z", livery.cloak)
        arches = shape(
            "M258 140C242 90 290 70 315 84C340 70 388 90 372 140L358 138C368 104 336 90 315 102C294 90 262 104"
            " 272 138ZM308 88H322V140H308Z",
            GOLD,
        )
        cross = shape("M311 64H319V72H327V79H319V90H311V79H303V72H311Z", GOLD)
        return [dome, arches, cross, band, *gems]
    if suit == "d":
        dome = shape("M262 144C262 106 292 90 315 80C338 90 368 106 368 144Z", GOLD)
        ribs = shape("M315 80V144M288 96C282 112 280 128 282 144M342 96C348 112 350 128 348 144", "none", LINE, 3)
        orb_and_cross = [ellipse(315, 78, 8, 8, livery.robe), shape("M315 58V74M307 65H323", "none", LINE, 5)]
        fur = shape(
            "M250 146C252 134 264 138 270 140C280 132 290 142 298 142C306 136 324 136 332 142C340 142 350 132 360 140"
            "C366 138 378 134 380 146C384 168 372 174 362 170C350 178 340 172 332 174C324 178 306 178 298 174"
            "C290 172 280 178 268 170C258 174 246 168 250 146Z",
            "#6e4a2c",
        )
        return [dome, ribs, *orb_and_cross, fur]
    tips = [
        shape(f"M{x - 9} 140C{x - 8} 120 {x - 3} 112 {x} 106C{x + 3} 112 {x + 8} 120 {x + 9} 140Z", GOLD)
        for x in (266, 315, 364)
    ]
    leaves = [_sign("c", x, 94, 44, GOLD) for x in (266, 315, 364)]
    pearls = [ellipse(x, 128, 8, 8, LINEN) for x in (290, 340)]
    return [*tips, *pearls, *leaves, band, *gems]


def _gem(x: float, y: float, colour: str) -> str:
    return shape(f"M{x} {y - 8}L{x + 8} {y}L{x} {y + 8}L{x - 8} {y}Z", colour, LINE, 2.5)


def _queen(suit: str, livery: Livery) -> list[str]:
    x, fist = 440, 376
    stem = shape("M440 440C438 380 446 300 440 236", "none", "#2e7d32", 6)
    leaf = shape(
        "M441 318C458 306 470 288 472 270C454 276 442 292 441 318ZM440 300C424 290 414 276 412 258C428 264 438 280"
        " 440 300Z",
        "#3f9a46",
        LINE,
        2.5,
    )
    held = {
        "s": [
            stem,
            leaf,
            shape(
                "M412 206C412 180 424 172 428 160C434 170 438 174 440 184C442 174 446 170 452 160C456 172 468"
                " 180 468 206C468 228 454 238 440 238C426 238 412 228 412 206Z",
                "#8c5fc0",
            ),
        ],
        "h": [
            stem,
            leaf,
            ellipse(440, 206, 31, 30, "#e0455a"),
            shape(
                "M440 206C448 200 448 192 440 190C428 190 424 204 430 214C438 224 456 218 458 202C460 186 446 176 432 180"
                "C416 186 412 208 424 222",
                "none",
                LINE,
                3,
            ),
        ],
        "d": [
            shape("M440 350L396 216C424 192 470 196 490 226Z", livery.trim),
            shape("M440 350L412 206M440 350L432 199M440 350L453 200M440 350L474 210", "none", LINE, 2.5),
            shape("M402 232C426 210 464 212 484 236", "none", livery.cloak, 8),
        ],
        "c": [
            stem,
            leaf,
            *[
                ellipse(440 + dx, 204 + dy, 17, 17, "#f4f0fa")
                for dx, dy in ((0, -21), (20, -6), (12, 17), (-12, 17), (-20, -6))
            ],
            ellipse(440, 204, 11, 11, GOLD),
        ],
    }[suit]
    braid_side = 1 if livery.gaze > 0 else -1
    braid_x = 315 - braid_side * 52
    braid = [ellipse(braid_x - braid_side * 3 * i, 256 + 26 * i, 17, 17, livery.hair) for i in range(6)]
    return [
        *_robe(livery, ermine=False),
        *held,
        *_hand(x, fist, livery.robe),
        *_kokoshnik(suit, livery),
        shape(
            "M258 176C246 214 252 262 270 284L292 262L276 190ZM372 176C384 214 378 262 360 284L338 262L354 190Z",
            livery.hair,
        ),
        *_collar(livery.trim),
        *_face(livery, livery.hair if suit != "d" else "#a8752a", False, "#c8323c"),
        shape(
            "M262 178C264 146 288 132 315 132C342 132 366 146 368 178C352 152 332 146 315 150C298 146 278 152 262 178Z",
            livery.hair,
        ),
        _pearls("M264 154C284 126 346 126 366 154", 16.5, LINEN),
        *[ellipse(x, 240, 6, 9, GOLD) for x in (265, 365)],
        *braid,
        ellipse(braid_x - braid_side * 18, 412, 12, 10, livery.trim),
    ]


def _kokoshnik(suit: str, livery: Livery) -> list[str]:
    outer = {
        "s": "M248 190C226 120 270 66 315 62C360 66 404 120 382 190Z",
        "h": "M246 190C214 130 258 92 290 90C300 70 330 70 340 90C372 92 416 130 384 190Z",
        "d": "M246 190C228 150 262 104 315 60C368 104 402 150 384 190Z",
        "c": "M248 190C214 160 222 104 262 98C274 72 298 62 315 62C332 62 356 72 368 98C408 104 416 160 382 190Z",
    }[suit]
    inner = "M260 176C250 128 282 96 315 92C348 96 380 128 370 176Z"
    return [
        shape(outer, GOLD),
        shape(inner, livery.cloak),
        _sign(suit, 315, 110, 30, LINEN),
        *[_gem(x, y, livery.robe) for x, y in ((274, 128), (356, 128))],
    ]


def _jack(suit: str, livery: Livery) -> list[str]:
    x, fist = 446, 378
    held = {
        "s": [
            _staff(x, 96, "#8a5a2b"),
            shape("M446 70L460 108L446 128L432 108Z", "#dfe6ee"),
            shape("M452 120C484 112 496 140 488 168C478 178 464 176 452 166Z", "#c9d3df"),
            shape("M440 126L418 138L424 152L440 156Z", "#c9d3df"),
        ],
        "h": [
            _staff(x, 96, "#8a5a2b"),
            shape("M446 72L458 104L446 118L434 104Z", "#dfe6ee"),
            shape("M440 126C420 118 410 138 390 130L396 156L386 178C408 184 420 166 440 174Z", livery.cloak),
        ],
        "d": [
            shape("M440 378V128L446 96L452 128V378Z", "#dfe6ee"),
            shape("M446 112V330", "none", "#8d99a8", 2.5),
            shape("M410 334C420 352 472 352 482 334L478 350C468 362 424 362 414 350Z", GOLD),
        ],
        "c": [
            _staff(x, 150, "#8a5a2b"),
            ellipse(x, 122, 24, 30, "#6b4423"),
            *[ellipse(x + dx, 122 + dy, 5, 5, GOLD) for dx, dy in ((-12, -10), (10, -12), (-10, 12), (12, 10), (0, 0))],
        ],
    }[suit]
    bob = (
        "M262 168C244 206 246 250 258 276C272 284 286 276 288 262L276 190ZM368 168C386 206 384 250 372 276"
        "C358 284 344 276 342 262L354 190Z"
    )
    return [
        *_robe(livery, ermine=False),
        *held,
        *_hand(x, fist, livery.robe),
        shape(bob, livery.hair),
        *_collar(livery.robe),
        *_face(livery, livery.hair if suit != "d" else "#a8752a", False, "#c4604f"),
        shape(
            "M264 178C262 150 272 140 290 142C304 150 330 152 346 140C360 142 368 152 366 178C358 160 350 158 340 158"
            "C322 166 294 166 284 158C274 160 268 166 264 178Z",
            livery.hair,
        ),
        *(
            [
                shape(
                    "M315 228C306 224 296 228 288 226C296 236 308 236 315 232C322 236 334 236 342 226C334 228 324 224 315 228Z",
                    livery.hair,
                    LINE,
                    2,
                )
            ]
            if suit in "sd"
            else []
        ),
        *_cap(suit, livery),
    ]


def _cap(suit: str, livery: Livery) -> list[str]:
    right = livery.gaze > 0
    feather_d = (
        "M362 128C396 118 408 88 396 62C376 70 356 92 350 122Z"
        if right
        else "M268 128C234 118 222 88 234 62C254 70 274 92 280 122Z"
    )
    rib_d = "M358 122C372 106 384 88 392 72" if right else "M272 122C258 106 246 88 238 72"
    feather = [shape(feather_d, LINEN if suit in "hd" else livery.trim), shape(rib_d, "none", LINE, 2.5)]
    jewel_x = 352 if right else 278
    if suit in "sh":
        crown = "M252 144C236 104 274 76 318 80C362 76 394 104 378 144C340 132 290 132 252 144Z"
        band = "M252 142C290 128 340 128 378 142V162C340 148 290 148 252 162Z"
    elif suit == "d":
        crown = "M258 146C252 112 262 92 276 78C300 92 330 92 354 78C368 92 378 112 372 146C340 134 290 134 258 146Z"
        band = "M252 142C290 130 340 130 378 142V164C340 150 290 150 252 164Z"
    else:
        crown = "M256 146C258 102 290 74 340 66C362 90 376 116 374 146C340 134 290 134 256 146Z"
        band = "M250 142C290 128 340 128 380 142L376 166C340 150 290 150 254 166Z"
    return [
        *feather,
        shape(crown, livery.cloak),
        shape(band, livery.trim if suit in "hd" else GOLD),
        _gem(jewel_x, 150, livery.robe),
    ]
