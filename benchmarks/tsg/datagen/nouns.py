"""The nouns of the world that need a word about their grammar or their doors."""

from __future__ import annotations

PLURALS = frozenset(
    [
        "scissors",
        "pliers",
        "gloves",
        "shears",
        "noodles",
        "clippers",
        "trousers",
        "jeans",
        "tweezers",
        "tongs",
        "crumbs",
        "leaves",
        "biscuits",
        "vegetables",
        "tiles",
        "cuttings",
        "clippings",
        "fingers",
        "shoulders",
        "teeth",
        "glasses",
        "flakes",
        "shreds",
        "peas",
        "beans",
        "chives",
        "oats",
    ]
)
"""Last words of the nouns that take a plural verb and the pronoun *them*."""

LIDDED = frozenset(
    [
        "drawer",
        "cupboard",
        "cabinet",
        "fridge",
        "oven",
        "washing-machine",
        "dishwasher",
        "wardrobe",
        "toolbox",
        "sewing-box",
        "microwave",
        "shed",
        "tumble-dryer",
        "chest",
        "suitcase",
        "backpack",
        "kiln",
        "crate",
        "briefcase",
    ]
)
"""Things that start closed: nothing goes in or comes out before they are opened."""

# Things so alike that one is no contradiction of the other.
NEAR_NOUNS: tuple[frozenset[str], ...] = (
    frozenset(["wrench", "spanner"]),
    frozenset(["cloth", "rag", "duster", "towel", "tea-towel", "wipe", "napkin"]),
    frozenset(["cup", "mug", "glass"]),
    frozenset(["cupboard", "cabinet", "wardrobe"]),
    frozenset(["table", "bench", "workbench", "desk", "counter", "worktop", "stand", "ironing-board"]),
    frozenset(["box", "crate", "carton", "case", "chest", "bin", "basket", "tray", "toolbox", "sewing-box"]),
    frozenset(["brush", "paintbrush", "toothbrush"]),
    frozenset(["dough", "pastry"]),
    frozenset(["paper", "sheet", "form", "letter", "card"]),
    frozenset(["plank", "board"]),
    frozenset(["pot", "pan", "saucepan"]),
    frozenset(["shelf", "rack", "bookcase"]),
    frozenset(["mat", "rug", "carpet"]),
    frozenset(["pen", "marker", "pencil"]),
    frozenset(["thread", "yarn"]),
    frozenset(["tyre", "wheel", "inner-tube"]),
    frozenset(["dog", "cat", "rabbit"]),
)


def words(node: str) -> str:
    """A node name as it stands in a sentence: ``mop-stick`` becomes ``mop stick``."""
    return node.replace("-", " ")


def near(one: str, other: str) -> bool:
    """Whether ``one`` and ``other`` are too alike to contradict each other."""
    return one == other or any(one in group and other in group for group in NEAR_NOUNS)


def plural(node: str) -> bool:
    """Whether ``node`` is a plural: ``garden-shears`` is, by its last word."""
    return node.rpartition("-")[2] in PLURALS
