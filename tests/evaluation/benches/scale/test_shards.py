"""The bench of many shards: what one shard is asked, what it has too few pages for, and the network on paper."""

from __future__ import annotations

import pytest

from evaluation.benches.scale.shards import network_ms, of_a_shard, tell_of_few_pages
from indexing import SearchSettings
from indexing.search import growth, share_of

TOTAL = 10_000_000


@pytest.mark.parametrize("pages", [1_000, 100_000])
def test_a_shard_of_any_size_scores_as_many_pages_as_one_of_the_large_collection(pages: int) -> None:
    chosen = SearchSettings()
    for shards in (16, 64):
        asked = of_a_shard(chosen, TOTAL, shards, pages)
        counts = (asked.code_candidates, asked.exact_candidates)
        wanted = (chosen.code_candidates, chosen.exact_candidates)
        for count, own, all_of_them, grown in zip(counts, growth(pages), wanted, growth(TOTAL), strict=True):
            assert count * own == pytest.approx(share_of(all_of_them * grown, shards), abs=own)


def test_a_stage_that_has_too_few_pages_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_few_pages(of_a_shard(SearchSettings(), TOTAL, 64, 1_000), 64, 1_000)
    assert capsys.readouterr().err == ""
    tell_of_few_pages(of_a_shard(SearchSettings(), TOTAL, 16, 1_000), 16, 1_000)
    assert capsys.readouterr().err == "16 shards: the second stage has 1,000 pages, and should have 3,142\n"


def test_the_network_is_bits_over_the_link() -> None:
    assert network_ms(125_000_000, 1.0) == pytest.approx(1000)
    assert network_ms(125_000_000, 10.0) == pytest.approx(100)
