import numpy as np

TEST = 0  # which of the five unit tests

capacity, efficiency, peak = [(5.0, 0.9, 3.0), (10.0, 0.95, 4.5), (0.0, 0.9, 3.0), (4.0, 1.0, 2.0), (7.5, 0.8, 6.0)][
    TEST
]
hours = np.arange(24)
solar = np.clip(peak * (1 - ((hours - 12.5) / 6.5) ** 2), 0, None).round(3)
demand = 0.5 + 0.1 * (hours % 3) + np.where(hours >= 17, 0.9, 0.0) + np.where((hours > 5) & (hours < 9), 0.6, 0.0)
np.savez("data/day.npz", demand=demand, solar=solar, capacity=capacity, efficiency=efficiency)
