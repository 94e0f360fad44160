"""Figures of the published leaderboard, which a report shows beside results. They are facts, not targets."""

from __future__ import annotations

from collections.abc import Mapping

PERCENT: Mapping[str, Mapping[str, float]] = {
    "image2text": {"Claude 3.5 Sonnet": 76.9, "GPT-4o": 76.6, "Gemini 1.5 Pro": 74.2},
    "image2text_hard": {"Claude 3.5 Sonnet": 46.2, "GPT-4o": 45.8, "Gemini 1.5 Pro": 42.2},
    "video2text": {"Claude 3.5 Sonnet": 74.2, "GPT-4o": 72.7, "Gemini 1.5 Pro": 71.8},
    "video2text_hard": {"Claude 3.5 Sonnet": 45.5, "GPT-4o": 38.9, "Gemini 1.5 Pro": 38.1},
    "audio2text": {"Gemini 1.5 Pro": 62.7},
    "audio2text_hard": {"Gemini 1.5 Pro": 24.0},
}
"""Scores of questions, in percent."""

GRADES: Mapping[str, Mapping[str, float]] = {
    "text2action": {"GPT-4-Turbo": 7.54, "GPT-4o": 6.98},
    "image2action": {"GPT-4V": 8.51},
}
"""Scores of plans, from 1 to 10."""
