"""The verbs of the world: what each does to the hands, and how English bends it."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What a verb does to the hands of the person."""

    GRASP = "takes its object into a free hand"
    RELEASE = "leaves its held object somewhere"
    HELD = "acts on a held object and keeps it"
    POUR = "empties a held container, or gives out held stuff, and keeps it"
    MANIPULATE = "acts on something, with a held tool or with a free hand"
    OPEN = "opens something closed with a free hand"
    CLOSE = "closes something open with a free hand"
    SWITCH_ON = "switches something on with a free hand"
    SWITCH_OFF = "switches something off with a free hand"
    MOVE = "takes the person elsewhere and needs no hand"
    LET_GO = "ends a hold without moving the object"


_NAMES = {
    Kind.GRASP: "pick-up take grab lift collect remove detach pull-out unhook hold",
    Kind.RELEASE: "put-down place put return hang insert attach lay drop throw store pack load plant fit stick mount",
    Kind.HELD: "dip carry shake wring rinse aim bring soak",
    Kind.POUR: "pour sprinkle squirt tip",
    Kind.OPEN: "open unlock unzip",
    Kind.CLOSE: "close lock zip",
    Kind.SWITCH_ON: "turn-on",
    Kind.SWITCH_OFF: "turn-off",
    Kind.MOVE: "walk",
    Kind.LET_GO: "release",
    Kind.MANIPULATE: (
        "tighten loosen turn press push pull adjust fold unfold knead roll flatten stir whisk mix cut chop slice "
        "peel grate scoop spread wipe clean scrub wash dry sweep mop dust vacuum polish paint brush sand scrape "
        "hammer drill saw measure mark align glue clamp inflate patch oil spin check level sew stitch iron smooth "
        "trim dig rake prune comb pet feed staple punch write stamp label seal tape wrap tie untie straighten "
        "arrange squeeze crack sift fry flip test wind rub cover fill pat string shift lift-up shape steady "
        "button-up"
    ),
}

KINDS: dict[str, Kind] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""The kind of every verb, by node name."""

# Verbs that may stand for another in a sentence; the scene graph keeps the first.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "pick-up": ("lift", "fetch"),
    "take": ("fetch",),
    "grab": ("seize",),
    "put-down": ("set down", "lay down"),
    "place": ("set", "position"),
    "put": ("set",),
    "close": ("shut",),
    "turn-on": ("switch on",),
    "turn-off": ("switch off",),
    "tighten": ("fasten",),
    "scrub": ("scour",),
    "inflate": ("pump up",),
    "mix": ("blend",),
    "throw": ("toss",),
}

# Verbs too near in meaning to contradict one another.
NEAR_VERBS: tuple[frozenset[str], ...] = (
    frozenset(
        [
            "wipe",
            "clean",
            "scrub",
            "wash",
            "rinse",
            "dust",
            "polish",
            "rub",
            "brush",
            "scrape",
            "vacuum",
            "mop",
            "sweep",
            "dry",
        ]
    ),
    frozenset(["cut", "chop", "slice", "trim", "prune", "saw", "peel"]),
    frozenset(["stir", "whisk", "mix", "beat"]),
    frozenset(
        [
            "place",
            "put",
            "put-down",
            "lay",
            "return",
            "store",
            "pack",
            "load",
            "drop",
            "set",
            "fit",
            "insert",
            "mount",
            "attach",
            "stick",
            "plant",
        ]
    ),
    frozenset(["pick-up", "take", "grab", "lift", "collect", "remove", "detach", "pull-out", "unhook", "hold"]),
    frozenset(["press", "push", "flatten", "smooth", "iron", "pat", "roll"]),
    frozenset(["adjust", "align", "straighten", "arrange", "turn", "shift", "level", "spin", "steady"]),
    frozenset(["check", "test", "measure", "inspect"]),
    frozenset(["sew", "stitch", "string"]),
    frozenset(["mark", "label", "write", "stamp"]),
    frozenset(["tape", "glue", "seal", "patch", "tie", "wrap", "staple", "clamp", "cover"]),
    frozenset(["knead", "shape", "mix", "squeeze", "press", "flatten", "roll", "pat"]),
)

# For verbs with a plain opposite or a plain other deed in the same frame.
CONTRARY: dict[str, tuple[str, ...]] = {
    "open": ("close", "clean", "lock"),
    "close": ("open", "clean"),
    "lock": ("unlock", "polish"),
    "unlock": ("lock", "polish"),
    "zip": ("unzip", "fold"),
    "unzip": ("zip", "fold"),
    "turn-on": ("turn-off", "clean"),
    "turn-off": ("turn-on", "clean"),
    "tighten": ("loosen", "paint", "oil"),
    "loosen": ("tighten", "paint", "oil"),
    "fold": ("unfold", "stain", "tear"),
    "unfold": ("fold", "tear"),
    "tie": ("untie", "cut"),
    "untie": ("tie", "cut"),
    "inflate": ("deflate", "paint"),
    "fill": ("drain", "break"),
    "wash": ("stain", "dry"),
    "dry": ("wet", "stain"),
    "wind": ("unwind", "cut"),
    "wrap": ("unwrap", "cut"),
    "seal": ("unseal", "tear"),
    "cover": ("uncover", "scratch"),
    "push": ("pull", "scratch"),
    "pull": ("push", "scratch"),
    "carry": ("kick", "drag"),
    "walk": ("crawl", "run"),
    "pour": ("sip", "splash"),
    "hold": ("wash", "scratch"),
    "release": ("squeeze", "scratch"),
}
GRASP_CONTRARY = ("knock", "push", "kick")
RELEASE_CONTRARY = ("inspect", "find", "clean")
MANIPULATE_CONTRARY = ("scratch", "damage", "inspect")
# Beside "from" or "into" only a deed that moves the thing is English.
MOVING_EDGES = frozenset({"from", "into", "onto", "to", "through"})
MOVING_CONTRARY = ("knock", "kick", "drag")

_IRREGULAR: dict[str, tuple[str, str]] = {
    "put": ("put", "put"),
    "cut": ("cut", "cut"),
    "set": ("set", "set"),
    "shut": ("shut", "shut"),
    "hit": ("hit", "hit"),
    "spread": ("spread", "spread"),
    "hang": ("hung", "hung"),
    "sweep": ("swept", "swept"),
    "take": ("took", "taken"),
    "hold": ("held", "held"),
    "shake": ("shook", "shaken"),
    "dig": ("dug", "dug"),
    "wind": ("wound", "wound"),
    "unwind": ("unwound", "unwound"),
    "lay": ("laid", "laid"),
    "sew": ("sewed", "sewn"),
    "saw": ("sawed", "sawn"),
    "throw": ("threw", "thrown"),
    "stick": ("stuck", "stuck"),
    "bring": ("brought", "brought"),
    "feed": ("fed", "fed"),
    "write": ("wrote", "written"),
    "find": ("found", "found"),
    "break": ("broke", "broken"),
    "tear": ("tore", "torn"),
    "wet": ("wet", "wet"),
    "wring": ("wrung", "wrung"),
    "spin": ("spun", "spun"),
    "string": ("strung", "strung"),
    "run": ("ran", "run"),
}
_DOUBLING = frozenset(
    [
        "put",
        "cut",
        "set",
        "shut",
        "hit",
        "dig",
        "get",
        "grab",
        "dip",
        "mop",
        "scrub",
        "trim",
        "wrap",
        "unwrap",
        "pat",
        "pet",
        "rub",
        "tip",
        "zip",
        "unzip",
        "fit",
        "stir",
        "chop",
        "drop",
        "run",
        "flip",
        "spin",
        "wet",
        "sip",
        "knot",
        "plan",
        "drag",
        "pin",
        "unpin",
    ]
)


def _head_and_particle(verb: str) -> tuple[str, str]:
    head, _, particle = verb.replace("-", " ").partition(" ")
    return head, particle


def base(verb: str) -> tuple[str, str]:
    """The plain form of ``verb`` (``pick-up``) as head and particle: ``("pick", "up")``."""
    return _head_and_particle(verb)


def past(verb: str) -> tuple[str, str]:
    """The simple past of ``verb`` as head and particle."""
    head, particle = _head_and_particle(verb)
    return (_IRREGULAR[head][0] if head in _IRREGULAR else _regular_past(head)), particle


def participle(verb: str) -> tuple[str, str]:
    """The past participle of ``verb`` as head and particle."""
    head, particle = _head_and_particle(verb)
    return (_IRREGULAR[head][1] if head in _IRREGULAR else _regular_past(head)), particle


def gerund(verb: str) -> tuple[str, str]:
    """The -ing form of ``verb`` as head and particle."""
    head, particle = _head_and_particle(verb)
    if head.endswith("ie"):
        head = head[:-2] + "y"
    elif head.endswith("e") and not head.endswith("ee"):
        head = head[:-1]
    elif head in _DOUBLING:
        head += head[-1]
    return head + "ing", particle


def _regular_past(head: str) -> str:
    if head.endswith("e"):
        return head + "d"
    if head.endswith("y") and head[-2] not in "aeiou":
        return head[:-1] + "ied"
    if head in _DOUBLING:
        return head + head[-1] + "ed"
    return head + "ed"
