"""The providers' batch APIs."""
