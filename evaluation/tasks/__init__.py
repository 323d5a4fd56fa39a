"""One benchmark a file: how its data is read, what a judge is asked, and its figures (`evaluation.task`)."""

__all__: list[str] = []
