"""Tasks of text2action: what is to be done, with which actions and things, and the steps that are left."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchmarks.mixeval_x.making.entries import Entry

STEP = re.compile(r"\[(\w+)\]((?: <[^<>]+>)*)")


@dataclass(frozen=True)
class ActionTask:
    """A task for an agent, its steps written as ``[Action] <thing> <other thing>``.

    Attributes:
        description: what is to be done in the end.
        actions: the names that may be used.
        things: what is seen; some of it is of no use here.
        done: the steps already taken.
        left: the steps of a good plan from there on.
    """

    description: str
    actions: tuple[str, ...]
    things: tuple[str, ...]
    done: str
    left: str

    def __post_init__(self) -> None:
        for plan in (self.done, self.left):
            steps = STEP.findall(plan)
            if ", ".join(f"[{action}]{things}" for action, things in steps) != plan:
                raise ValueError(f"{self.description!r}: {plan!r} is not a list of steps")
            used = {thing for _, things in steps for thing in re.findall(r"<([^<>]+)>", things)}
            strange = ({action for action, _ in steps} - set(self.actions)) | (used - set(self.things))
            if strange:
                raise ValueError(f"{self.description!r}: {sorted(strange)} is not among the actions or the things")

    @property
    def allowed(self) -> str:
        """The actions as the official files write them."""
        return ", ".join(f"[{action}]" for action in self.actions)

    @property
    def visible(self) -> str:
        """The things as the official files write them."""
        return ", ".join(f"<{thing}>" for thing in self.things)


HOUSE = ("Navigation", "PickupObject", "PutObject", "OpenObject", "CloseObject", "ToggleObjectOn", "ToggleObjectOff")
SCREEN = ("OpenApp", "Click", "TypeText", "Scroll", "SelectItem", "GoBack", "Wait")

TASKS = (
    ActionTask(
        "Serve a cup of hot tea on the dining table.",
        (*HOUSE, "FillObject", "PourInto", "Wait"),
        ("kettle", "sink", "stove", "cup", "tea bag", "dining table", "fridge", "sugar", "toaster"),
        "[Navigation] <sink>, [PickupObject] <kettle>, [FillObject] <kettle> <sink>, [PutObject] <kettle> <stove>, "
        "[ToggleObjectOn] <stove>, [Wait]",
        "[ToggleObjectOff] <stove>, [PutObject] <tea bag> <cup>, [PickupObject] <kettle>, [PourInto] <kettle> <cup>, "
        "[PutObject] <kettle> <stove>, [PickupObject] <cup>, [Navigation] <dining table>, "
        "[PutObject] <cup> <dining table>",
    ),
    ActionTask(
        "Water the fern on the balcony and bring the can back to the sink.",
        (*HOUSE, "FillObject", "PourInto"),
        ("watering can", "sink", "balcony door", "fern", "deck chair", "broom", "rug"),
        "[Navigation] <sink>, [PickupObject] <watering can>, [FillObject] <watering can> <sink>, "
        "[Navigation] <balcony door>",
        "[OpenObject] <balcony door>, [Navigation] <fern>, [PourInto] <watering can> <fern>, "
        "[Navigation] <sink>, [PutObject] <watering can> <sink>",
    ),
    ActionTask(
        "Wash the dirty plate in the dishwasher.",
        (*HOUSE, "FillObject"),
        ("plate", "dishwasher", "detergent", "dining table", "cupboard", "sponge", "bin"),
        "[Navigation] <dining table>, [PickupObject] <plate>, [Navigation] <dishwasher>",
        "[OpenObject] <dishwasher>, [PutObject] <plate> <dishwasher>, [FillObject] <dishwasher> <detergent>, "
        "[CloseObject] <dishwasher>, [ToggleObjectOn] <dishwasher>",
    ),
    ActionTask(
        "Send the vase as a parcel from the post counter.",
        ("Navigation", "PickupObject", "PutObject", "WrapObject", "SealObject", "WriteOn", "Pay", "HandOver", "Speak"),
        ("vase", "box", "newspaper", "tape", "pen", "address label", "post counter", "clerk", "bench", "wallet"),
        "[PickupObject] <vase>, [WrapObject] <vase> <newspaper>, [PutObject] <vase> <box>",
        "[SealObject] <box> <tape>, [WriteOn] <address label> <pen>, [PutObject] <address label> <box>, "
        "[PickupObject] <box>, [Navigation] <post counter>, [HandOver] <box> <clerk>, [Pay] <wallet> <clerk>",
    ),
    ActionTask(
        "Replace the burnt-out bulb of the desk lamp and check that the lamp works.",
        (*HOUSE, "Unscrew", "ScrewIn", "Unplug", "PlugIn", "Wait"),
        ("desk lamp", "old bulb", "new bulb", "socket", "drawer", "bin", "laptop", "chair"),
        "[Navigation] <desk lamp>, [ToggleObjectOff] <desk lamp>, [Unplug] <desk lamp> <socket>, [Wait]",
        "[Unscrew] <old bulb> <desk lamp>, [PutObject] <old bulb> <bin>, [OpenObject] <drawer>, "
        "[PickupObject] <new bulb>, [ScrewIn] <new bulb> <desk lamp>, [PlugIn] <desk lamp> <socket>, "
        "[ToggleObjectOn] <desk lamp>",
    ),
    ActionTask(
        "Feed the cat.",
        (*HOUSE, "PourInto", "Call"),
        ("cat", "bowl", "bag of cat food", "cupboard", "sofa", "fish tank", "yarn"),
        "[Navigation] <cupboard>, [OpenObject] <cupboard>",
        "[PickupObject] <bag of cat food>, [Navigation] <bowl>, [PourInto] <bag of cat food> <bowl>, "
        "[Navigation] <cupboard>, [PutObject] <bag of cat food> <cupboard>, [CloseObject] <cupboard>, [Call] <cat>",
    ),
    ActionTask(
        "Print the report on both sides of the paper and staple it.",
        (*SCREEN, "Navigation", "PickupObject", "StapleObject"),
        ("report", "print dialog", "two-sided option", "print button", "printer", "stapler", "desk", "scanner"),
        "[OpenApp] <report>, [Click] <print dialog>",
        "[SelectItem] <two-sided option>, [Click] <print button>, [Wait], [Navigation] <printer>, "
        "[PickupObject] <report>, [Navigation] <desk>, [StapleObject] <report> <stapler>",
    ),
    ActionTask(
        "Move the blue crate from the loading dock to shelf 4 and record it with the scanner.",
        ("DriveTo", "Lift", "Lower", "Scan", "Rotate", "Charge", "Wait", "SoundHorn"),
        ("blue crate", "red crate", "loading dock", "shelf 3", "shelf 4", "charger", "worker", "scanner"),
        "[DriveTo] <loading dock>, [Scan] <blue crate>, [Lift] <blue crate>, [SoundHorn]",
        "[DriveTo] <shelf 4>, [Lower] <blue crate> <shelf 4>, [Scan] <blue crate>",
    ),
    ActionTask(
        "Change the password of the mail account.",
        SCREEN,
        (
            "browser",
            "mail page",
            "account menu",
            "security tab",
            "old password field",
            "new password field",
            "save button",
            "log out link",
            "advertisement",
        ),
        "[OpenApp] <browser>, [Click] <mail page>, [Click] <account menu>",
        "[Click] <security tab>, [TypeText] <old password field>, [TypeText] <new password field>, "
        "[Click] <save button>",
    ),
    ActionTask(
        "Send the photo of the lake to Grandma on the phone.",
        SCREEN,
        (
            "gallery app",
            "photo of the lake",
            "photo of the dog",
            "share button",
            "message app",
            "Grandma",
            "Gregor",
            "send button",
            "camera app",
        ),
        "[OpenApp] <gallery app>, [Scroll]",
        "[SelectItem] <photo of the lake>, [Click] <share button>, [SelectItem] <message app>, "
        "[SelectItem] <Grandma>, [Click] <send button>",
    ),
    ActionTask(
        "Pump up the flat front tyre of the bicycle.",
        ("Navigation", "PickupObject", "PutObject", "Unscrew", "ScrewIn", "Attach", "Detach", "Pump", "CheckPressure"),
        ("bicycle", "front tyre", "rear tyre", "valve cap", "valve", "pump", "helmet", "bench"),
        "[Navigation] <bicycle>, [CheckPressure] <front tyre>, [Unscrew] <valve cap> <valve>",
        "[PickupObject] <pump>, [Attach] <pump> <valve>, [Pump] <front tyre>, [CheckPressure] <front tyre>, "
        "[Detach] <pump> <valve>, [ScrewIn] <valve cap> <valve>",
    ),
    ActionTask(
        "Bake the loaf and let it cool on the rack.",
        (*HOUSE, "PutOn", "TakeOff", "SetTimer", "Wait"),
        ("loaf", "baking tray", "oven", "oven gloves", "rack", "timer", "blender", "butter"),
        "[PutObject] <loaf> <baking tray>, [ToggleObjectOn] <oven>, [Wait], [OpenObject] <oven>",
        "[PutObject] <baking tray> <oven>, [CloseObject] <oven>, [SetTimer] <timer>, [Wait], "
        "[ToggleObjectOff] <oven>, [PutOn] <oven gloves>, [OpenObject] <oven>, [PickupObject] <loaf>, "
        "[PutObject] <loaf> <rack>",
    ),
)


def text_entries() -> list[Entry]:
    """The entries of text2action."""
    return [
        {
            "id": str(position),
            "task description": task.description,
            "allowed actions": task.allowed,
            "visible objects": task.visible,
            "already executed steps": task.done,
            "target": task.left,
        }
        for position, task in enumerate(TASKS, 1)
    ]
