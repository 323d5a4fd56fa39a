"""A tokenizer of MiniLM's kind that knows a few words."""

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "¶")


def tokenizer(*words: str) -> bytes:
    """Make a tokenizer.json of words, whose numbers follow those of the special tokens."""
    vocabulary = {word: n for n, word in enumerate((*SPECIAL, *words))}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = BertNormalizer(lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    return made.to_str().encode()
