import json

import numpy as np

G = 9.81


def derivative(y, L, b):
    return np.array([y[1], -G / L * np.sin(y[0]) - b * y[1]])


def rk4_step(y, dt, L, b):
    """One Runge-Kutta step of size dt for y' = derivative(y, L, b); y = [theta, omega]. Return the new array."""
    k1 = derivative(y, L, b)
    k2 = derivative(y + dt / 2 * k1, L, b)
    k3 = derivative(y + dt / 2 * k2, L, b)
    k4 = derivative(y + dt * k3, L, b)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def energy(y, L):
    """Energy per mass of the state y = [theta, omega]."""
    return L**2 * y[1] ** 2 / 2 + G * L * (1 - np.cos(y[0]))


if __name__ == "__main__":
    with open("data/pendulum.json", encoding="utf-8") as file:
        p = json.load(file)
    y = np.array([p["theta0"], p["omega0"]])
    for step in range(p["steps"] + 1):
        if step % 250 == 0:
            print(f"t={step * p['dt']:.1f} theta={y[0]:.6f} omega={y[1]:.6f} energy={energy(y, p['L']):.6f}")
        y = rk4_step(y, p["dt"], p["L"], p["b"])
