"""What users write without a framework: ``python -m perf.thread_pool MODEL QUESTIONS IN_FLIGHT ANSWERS``.

A pool of threads, one client of the same SDK, and a line for each answer. It replays nothing, scores nothing, repeats
nothing, and loses the answers of a run that is killed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai


def main(arguments: Sequence[str]) -> None:
    """Ask.

    Args:
        arguments: The model; a file with a JSON string a line; how many requests are in flight; where the answers go.
    """
    model, file, in_flight, target = arguments
    questions = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    client = openai.OpenAI()

    def ask(question: str) -> str:
        answer = client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": question}], temperature=0, max_tokens=512
        )
        return str(answer.choices[0].message.content)

    with ThreadPoolExecutor(int(in_flight)) as pool, Path(target).open("w", encoding="utf-8") as out:
        answers = zip(questions, pool.map(ask, questions), strict=True)
        out.writelines(json.dumps({"question": question, "answer": answer}) + "\n" for question, answer in answers)


if __name__ == "__main__":
    main(sys.argv[1:])
