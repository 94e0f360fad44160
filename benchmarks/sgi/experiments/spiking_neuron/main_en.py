import json

import numpy as np


def simulate(I, dt, tau, R, V_rest, V_threshold, V_reset):
    """Return (spikes, V): the indices of the steps with a spike, and the potential after each step as an array.

    V starts at V_rest. In step i, V grows by dt/tau * (-(V - V_rest) + R*I[i]). If V is then at or above
    V_threshold, i is a spike and V is set to V_reset. V is stored after that.
    """
    V = V_rest
    spikes, trace = [], []
    for i, current in enumerate(I):
        V += dt / tau * (-(V - V_rest) + R * current)
        if V >= V_threshold:
            spikes.append(i)
            V = V_reset
        trace.append(V)
    return spikes, np.array(trace)


if __name__ == "__main__":
    with open("data/neuron.json", encoding="utf-8") as file:
        neuron = json.load(file)
    spikes, V = simulate(**neuron)
    print(f"{len(spikes)} spikes")
    print("times:", " ".join(f"{spike * neuron['dt']:.2f}" for spike in spikes[:8]))
    print(f"mean V {V.mean():.4f} mV, highest {V.max():.4f} mV")
