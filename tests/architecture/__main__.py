"""The command `make architecture`: write the tree and the layers of the code into docs/architecture.md."""

from tests.architecture.page import PAGE, with_generated

if __name__ == "__main__":
    PAGE.write_text(with_generated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
