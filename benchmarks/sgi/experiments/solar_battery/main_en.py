import numpy as np


def simulate(demand, solar, capacity, efficiency):
    """Run the battery, empty at first, through all hours and return (bought, sold, charge).

    Surplus s = solar - demand > 0: the charge rises by efficiency*s but not above capacity; the part of s
    that does not fit (s minus the rise divided by efficiency) is sold. Shortage: the charge falls by it but
    not below 0, without losses; the rest is bought. bought and sold are totals, charge is the last value.
    """
    bought = sold = charge = 0.0
    for surplus in solar - demand:
        if surplus > 0:
            rise = min(efficiency * surplus, capacity - charge)
            charge += rise
            sold += surplus - rise / efficiency
        else:
            used = min(-surplus, charge)
            charge -= used
            bought += -surplus - used
    return bought, sold, charge


if __name__ == "__main__":
    day = np.load("data/day.npz")
    bought, sold, charge = simulate(day["demand"], day["solar"], float(day["capacity"]), float(day["efficiency"]))
    print(f"bought {bought:.3f} kWh, sold {sold:.3f} kWh, left {charge:.3f} kWh")
    print(f"self-sufficiency {1 - bought / day['demand'].sum():.4f}")
