"""Build large collections out of real pages and measure search in them."""
