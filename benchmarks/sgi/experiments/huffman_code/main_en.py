from collections import Counter

import numpy as np


def entropy(counts):
    """Shannon entropy, in bits, of the distribution given by a list of positive counts."""
    p = np.array(counts) / sum(counts)
    return float(-(p * np.log2(p)).sum())


def huffman_total(counts):
    """Total number of bits that a binary Huffman code needs for a message with these counts.

    Merge the two smallest numbers of the list into their sum until one is left: the total is the sum of all
    merged numbers. A list of one count n needs n bits.
    """
    counts = list(counts)
    if len(counts) == 1:
        return counts[0]
    total = 0
    while len(counts) > 1:
        counts.sort()
        merged = counts.pop(0) + counts.pop(0)
        total += merged
        counts.append(merged)
    return total


if __name__ == "__main__":
    with open("data/message.txt", encoding="utf-8") as file:
        counts = sorted(Counter(file.read()).values())
    bits = huffman_total(counts)
    print(f"entropy {entropy(counts):.6f} bits per character")
    print(f"huffman {bits / sum(counts):.6f} bits per character, {bits} bits in all")
