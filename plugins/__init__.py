"""The plugins that come with Vouch, one folder each; the core works without any of them."""
