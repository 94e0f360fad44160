"""Responses of ``written-by-hand-b``: right, half right, wrong, wordy, refusing, and in odd forms.

Made up by hand, one by one, each for the entry it is filed under: no model was asked these questions.
"""

MODEL = "written-by-hand-b"

RESPONSES: dict[str, dict[str, str]] = {
    "image2text": {
        "ff-1": "There are five blue shapes, three circles and two squares, so the number of blue circles is five.",
        "ff-2": "a car",
        "ff-3": "Thursday, because that is the day on which the bar is red.",
        "ff-4": "I'm sorry, but I can't read the picture and so cannot help with opening hours.",
        "ff-5": "The train leaves at 9:35 from platform 2.",
        "ff-6": "",
        "mp-1": "A or C, hard to say.",
        "mp-2": "The sun is in the top right part of the picture.",
        "mp-3": "D",
        "mp-4": "Between June and July, when it drops from 20 to 17 degrees.",
        "mp-5": "None of the options is right.",
        "mp-6": "Option A: platform 1",
    },
    "image2text_hard": {
        "ff-1": "Eight small shapes lie inside the frame, and three of them are red.",
        "ff-2": "Red, yellow, blue, green",
        "ff-3": "Start: up, right, down, right, down, left, down, right. That is the letter P.",
        "ff-4": "Es sind 65 Kisten Tee (20 + 15 + 30).",
        "ff-5": "3 + 1 + 7 + 2 = 13",
        "ff-6": "From ten to three until a quarter past four, which is about an hour and a half.",
        "mp-1": "Blue",
        "mp-2": "(C) green, since yellow is heavier than green and everything else is heavier than yellow.",
        "mp-3": "Rows can be compared by counting. Row 1: three red, two blue. Row 2: two red, three blue. That leaves "
        "rows 3 and 4, of which the last one looks more even to me.",
        "mp-4": "B\nD",
        "mp-5": "I cannot answer questions about purchases of private persons.",
        "mp-6": "C, A, B, D",
    },
    "video2text": {
        "ff-1": "向右",
        "ff-2": "The lamp lights up 4 times.",
        "ff-3": "RIVER, CHAIR, APPLE, NIGHT",
        "ff-4": "The circle grows and the square shrinks.",
        "ff-5": "Somewhere between two and four times.",
        "ff-6": "A diamond, a blue one.",
        "mp-1": "b) blue square",
        "mp-2": "Yellow",
        "mp-3": "",
        "mp-4": "It gets smaller and turns green (A and D).",
        "mp-5": "E",
        "mp-6": "Let me think. First there is a square, then a star, a circle, a triangle, and in the end a diamond. "
        "Counting them gives 5. Therefore the correct option is **D**.",
    },
    "video2text_hard": {
        "ff-1": "Ce n'est pas visible sur la vidéo.",
        "ff-2": "The blue ball wins; then come red and green.",
        "ff-3": "RSAMOLE 🙂",
        "ff-4": "twice, I think, or maybe three times",
        "ff-5": "Five cars cross the line in all.",
        "ff-6": "The result is 12, since 7 + 5 = 12.",
        "mp-1": "It started under the middle one, so it is under the middle one: B",
        "mp-2": "B",
        "mp-3": "Two times.",
        "mp-4": "The column rises up to the number nine.",
        "mp-5": "A. The yellow one",
        "mp-6": "The running results are 7, 12, 8, 14 and 11. The last one is 11, so I choose A.",
    },
    "audio2text": {
        "ff-1": "Beep, beep, beep, beep.",
        "ff-2": "The tone first rises and then falls.",
        "ff-3": "As a language model I have no ears, so I cannot tell.",
        "ff-4": "A siren and a bell are heard.",
        "ff-5": "an insect, probably a cricket",
        "ff-6": "Lauter! Jeder Ton ist stärker als der vorige.",
        "ff-7": "oo",
        "ff-8": "The second and the third are equally long.",
    },
    "audio2text_hard": {
        "ff-1": "The tune goes up 3 times and down 3 times.",
        "ff-2": "The bell comes between the other two.",
        "ff-3": "7 beeps",
        "ff-4": "There are more low ones.",
        "ff-5": "У, а, и, а (oo, ah, ee, ah)",
        "ff-6": "Four strokes are heard, but only the second and the third while the engine runs, so two.",
        "ff-7": "",
        "ff-8": "The fourth, which is lower the second time.",
    },
    "text2action": {
        "t2a-1": "[PickupObject] <cup>, [Navigation] <dining table>, [PutObject] <cup> <dining table>, "
        "[PutObject] <tea bag> <cup>",
        "t2a-2": "[Navigation] <fern>, [PourInto] <watering can> <fern>",
        "t2a-3": "Open the dishwasher, put the plate in, add some detergent, close the door and switch it on.",
        "t2a-4": "[TakeBus] <post counter>, [HandOver] <vase> <clerk>, [BuyStamp] <clerk>",
        "t2a-5": "[PlugIn] <desk lamp> <socket>, [ToggleObjectOn] <desk lamp>, [Unscrew] <old bulb> <desk lamp>, "
        "[PickupObject] <new bulb>, [ScrewIn] <new bulb> <desk lamp>",
        "t2a-6": "I would rather not plan actions that involve a live animal.",
        "t2a-7": "[Click] <print button>, [Wait], [Navigation] <printer>, [PickupObject] <report>",
        "t2a-8": "[DriveTo] <shelf 3>, [Lower] <blue crate> <shelf 3>, [Scan] <blue crate>",
        "t2a-9": "",
        "t2a-10": "[SelectItem] <photo of the dog>, [Click] <share button>, [SelectItem] <message app>, "
        "[SelectItem] <Gregor>, [Click] <send button>",
        "t2a-11": "Zuerst [PickupObject] <pump>, dann [Attach] <pump> <valve>, [Pump] <front tyre>, "
        "[CheckPressure] <front tyre>, [Detach] <pump> <valve> und zum Schluss [ScrewIn] <valve cap> <valve>.",
        "t2a-12": "[PickupObject] <loaf>, [PutObject] <loaf> <rack>, [ToggleObjectOff] <oven>, [Wait], [Wait], [Wait]",
    },
}
