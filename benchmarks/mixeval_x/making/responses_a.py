"""Responses of ``written-by-hand-a``: mostly right, in the many ways in which people and models put an answer.

Made up by hand, one by one, each for the entry it is filed under: no model was asked these questions.
"""

MODEL = "written-by-hand-a"

RESPONSES: dict[str, dict[str, str]] = {
    "image2text": {
        "ff-1": "I count three of them.",
        "ff-2": "A tree.",
        "ff-3": "The best day was Thursday, with 35 cups.",
        "ff-4": "On Saturdays the shop shuts at half past one in the afternoon.",
        "ff-5": "09:35",
        "ff-6": "It is twenty-five to five.",
        "mp-1": "C",
        "mp-2": "A.",
        "mp-3": "The answer is B because the bar for Tuesday ends half way between 20 and 30.",
        "mp-4": "(D)",
        "mp-5": "Monday",
        "mp-6": "**A**",
    },
    "image2text_hard": {
        "ff-1": "5",
        "ff-2": "Red is the heaviest, then comes blue, after that yellow; green is the lightest.",
        "ff-3": "The arrows end at T.",
        "ff-4": "More coffee was sold in Q1, Q3 and Q4, so 20 + 15 + 30 = 65.",
        "ff-5": "6 + 5 + 7 + 6, so the total is 24.",
        "ff-6": "An hour and twenty-five minutes.",
        "mp-1": "Most shapes inside the frame are red, that is option B.",
        "mp-2": "C.",
        "mp-3": "In row 1 there are three red and two blue cells, in row 2 two and three, in row 4 three and two. "
        "So it must be (D) row 3.",
        "mp-4": "Q3: 15 boxes of tea against 40 of coffee.",
        "mp-5": "C) the stapler",
        "mp-6": "B",
    },
    "video2text": {
        "ff-1": "It goes from the left edge to the right edge.",
        "ff-2": "Five times: yellow, blue, yellow, green, red.",
        "ff-3": '"Chair"',
        "ff-4": "The square on the left, the orange one.",
        "ff-5": "3 times",
        "ff-6": "The last shape is an orange square standing on one corner, a diamond.",
        "mp-1": "B",
        "mp-2": "D. red",
        "mp-3": "NIGHT",
        "mp-4": "The circle gets smaller, so A.",
        "mp-5": "[A]",
        "mp-6": "Answer: D",
    },
    "video2text_hard": {
        "ff-1": "There are 4 exchanges.",
        "ff-2": "Blue first, green second, red third.",
        "ff-3": "R → S → A → M → O → L → E",
        "ff-4": "Three times (to 8, to 9 and to 7; the peak at 5 stays below).",
        "ff-5": "3: the blue, the orange and the black car.",
        "ff-6": "7 + 5 - 4 + 6 - 3 = 11",
        "mp-1": "C",
        "mp-2": "The red ball leads at the beginning, then both others pass it. B",
        "mp-3": "(B)",
        "mp-4": "C. about 9",
        "mp-5": "the yellow one",
        "mp-6": "d",
    },
    "audio2text": {
        "ff-1": "four beeps",
        "ff-2": "The pitch goes up.",
        "ff-3": "Three knocks on wood.",
        "ff-4": "A siren, like the one of a police car.",
        "ff-5": "Some small bird that chirps.",
        "ff-6": "They get louder and louder.",
        "ff-7": 'It is "ee", as in see.',
        "ff-8": "The one in the middle.",
    },
    "audio2text_hard": {
        "ff-1": "Four times.",
        "ff-2": "First the bird, next the bell, at last the knock.",
        "ff-3": "Five (two more come before the rain).",
        "ff-4": "5 low - 2 high = 3 more low ones",
        "ff-5": "oo ah ee ah",
        "ff-6": "Twice.",
        "ff-7": "Group 3: it goes short-long-short, the others short-short-long.",
        "ff-8": "The third one.",
    },
    "text2action": {
        "t2a-1": "[ToggleObjectOff] <stove>, [PutObject] <tea bag> <cup>, [PickupObject] <kettle>, "
        "[PourInto] <kettle> <cup>, [PutObject] <kettle> <stove>, [PickupObject] <cup>, [Navigation] <dining table>, "
        "[PutObject] <cup> <dining table>",
        "t2a-2": "[OpenObject] <balcony door>, [Navigation] <fern>, [PourInto] <watering can> <fern>, "
        "[Navigation] <balcony door>, [CloseObject] <balcony door>, [Navigation] <sink>, "
        "[PutObject] <watering can> <sink>",
        "t2a-3": "Your Planning:\n[OpenObject] <dishwasher>, [PutObject] <plate> <dishwasher>, "
        "[FillObject] <dishwasher> <detergent>, [CloseObject] <dishwasher>, [ToggleObjectOn] <dishwasher>",
        "t2a-4": "[WriteOn] <address label> <pen>, [SealObject] <box> <tape>, [PutObject] <address label> <box>, "
        "[PickupObject] <box>, [Navigation] <post counter>, [Speak] <clerk>, [HandOver] <box> <clerk>, "
        "[Pay] <clerk>",
        "t2a-5": "1. [Unscrew] <old bulb> <desk lamp>\n2. [PutObject] <old bulb> <bin>\n3. [OpenObject] <drawer>\n"
        "4. [PickupObject] <new bulb>\n5. [ScrewIn] <new bulb> <desk lamp>\n6. [CloseObject] <drawer>\n"
        "7. [PlugIn] <desk lamp> <socket>\n8. [ToggleObjectOn] <desk lamp>",
        "t2a-6": "[PickupObject] <bag of cat food>, [CloseObject] <cupboard>, [Navigation] <bowl>, "
        "[PourInto] <bag of cat food> <bowl>, [Call] <cat>",
        "t2a-7": "[SelectItem] <two-sided option>, [Click] <print button>, [Wait], [Navigation] <printer>, "
        "[PickupObject] <report>, [Navigation] <desk>, [StapleObject] <report> <stapler>",
        "t2a-8": "[DriveTo] <shelf 4>, [Lower] <blue crate> <shelf 4>, [Scan] <blue crate>, [DriveTo] <charger>, "
        "[Charge]",
        "t2a-9": "[Click] <security tab>, [TypeText] <old password field>, [TypeText] <new password field>, "
        "[Click] <save button>, [Wait]",
        "t2a-10": "[SelectItem] <photo of the lake>, [Click] <share button>, [SelectItem] <message app>, "
        "[SelectItem] <Grandma>, [Click] <send button>",
        "t2a-11": "[PickupObject] <pump>, [Attach] <pump> <valve>, [Pump] <front tyre>, [Detach] <pump> <valve>, "
        "[ScrewIn] <valve cap> <valve>, [PutObject] <pump> <bench>",
        "t2a-12": "[PutObject] <baking tray> <oven>, [CloseObject] <oven>, [SetTimer] <timer>, [Wait], "
        "[PutOn] <oven gloves>, [OpenObject] <oven>, [PickupObject] <baking tray>, [PutObject] <loaf> <rack>",
    },
}
