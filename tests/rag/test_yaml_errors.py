"""What is wrong with YAML is told with its line and column, where the parser knows them."""

from __future__ import annotations

import pytest
import yaml

from rag.yaml_errors import fault_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: c: d", "line 2, column 5: mapping values are not allowed here"),
        ("a: !!python/object/apply:os.system ['true']", "line 1, column 4: could not determine a constructor"),
        ("a: \x01", "unacceptable character #x0001"),
    ],
)
def test_the_place_of_a_fault(text: str, said: str) -> None:
    with pytest.raises(yaml.YAMLError) as caught:
        yaml.safe_load(text)
    assert fault_of(caught.value).startswith(said)
    assert "\n" not in fault_of(caught.value)
