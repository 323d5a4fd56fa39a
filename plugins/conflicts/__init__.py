"""Find disagreements: places that state different values of the same thing."""
