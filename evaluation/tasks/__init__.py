"""One benchmark a file: how its gold is read and how an answer becomes a prediction in its form."""

__all__: list[str] = []
