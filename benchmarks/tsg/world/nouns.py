"""The nouns of the world that need a word about their grammar or their doors."""

from __future__ import annotations

PLURALS = frozenset(
    "scissors pliers gloves shears noodles clippers trousers jeans tweezers tongs crumbs leaves biscuits vegetables tiles "
    "cuttings clippings hands shoulders teeth glasses flakes shreds peas beans chives oats".split()
)
"""Last words of the nouns that take a plural verb and the pronoun *them*."""

LIDDED = frozenset(
    "drawer cupboard cabinet fridge oven washing-machine dishwasher wardrobe toolbox sewing-box microwave shed "
    "tumble-dryer chest suitcase backpack kiln crate briefcase".split()
)
"""Things that start closed: nothing goes in or comes out before they are opened."""

# Things so alike that one is no contradiction of the other.
NEAR_NOUNS: tuple[frozenset[str], ...] = (
    frozenset("wrench spanner".split()),
    frozenset("cloth rag duster towel tea-towel wipe napkin".split()),
    frozenset("cup mug glass".split()),
    frozenset("cupboard cabinet wardrobe".split()),
    frozenset("table bench workbench desk counter worktop stand ironing-board".split()),
    frozenset("box crate carton case chest bin basket tray toolbox sewing-box".split()),
    frozenset("brush paintbrush toothbrush".split()),
    frozenset("dough pastry".split()),
    frozenset("paper sheet form letter card".split()),
    frozenset("plank board".split()),
    frozenset("pot pan saucepan".split()),
    frozenset("shelf rack bookcase".split()),
    frozenset("mat rug carpet".split()),
    frozenset("pen marker pencil".split()),
    frozenset("thread yarn".split()),
    frozenset("tyre wheel inner-tube".split()),
    frozenset("dog cat rabbit".split()),
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
