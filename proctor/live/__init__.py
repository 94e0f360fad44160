"""Live runs: requests in flight, their pace and their price, and what is seen of them meanwhile."""
