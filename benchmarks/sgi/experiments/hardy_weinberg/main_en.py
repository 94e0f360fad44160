from data_en import POPULATIONS


def allele_frequency(n_AA, n_Aa, n_aa):
    """Frequency of allele A among all alleles of the population."""
    return (2 * n_AA + n_Aa) / (2 * (n_AA + n_Aa + n_aa))


def chi_square(n_AA, n_Aa, n_aa):
    """Chi-square statistic of the three observed counts against those expected in equilibrium.

    Expected: n*p^2, 2*n*p*q and n*q^2, where n is the number of individuals, p the frequency of A, q = 1 - p.
    """
    n = n_AA + n_Aa + n_aa
    p = allele_frequency(n_AA, n_Aa, n_aa)
    q = 1 - p
    pairs = zip((n_AA, n_Aa, n_aa), (n * p * p, 2 * n * p * q, n * q * q))
    return sum((observed - expected) ** 2 / expected for observed, expected in pairs)


if __name__ == "__main__":
    for name, *counts in POPULATIONS:
        value = chi_square(*counts)
        verdict = "equilibrium" if value < 3.841 else "no equilibrium"
        print(f"{name}: p = {allele_frequency(*counts):.4f}, chi2 = {value:.4f}, {verdict}")
