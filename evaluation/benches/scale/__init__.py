"""Large collections for measuring: pages made of real ones, and the search over them."""
