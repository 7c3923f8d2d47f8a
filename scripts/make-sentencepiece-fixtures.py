"""Makes src/text/sentencepiece-fixtures.json: small SentencePiece models, trained here on a few lines of text, and what
the `sentencepiece` Python package (pip install sentencepiece==0.2.3) makes of sample texts with them.

    python3 scripts/make-sentencepiece-fixtures.py
    npx biome format --write src/text/sentencepiece-fixtures.json
"""
import base64
import io
import json
import pathlib
import random
import tempfile

import sentencepiece

TARGET = pathlib.Path(__file__).parent.parent / "src/text/sentencepiece-fixtures.json"
CORPUS = """The quick brown fox jumps over the lazy dog. Don't panic: it's only 12345 tests, isn't it? We'll see.
def add(a, b): return a + b  # 3.14159 print("hello world", add(1, 22), 333, 4444)
Größe, façade, naïve café, Zürich. Привет, мир! Как дела? Γειά σου κόσμε. שלום עולם. مرحبا بالعالم
你好，世界。日本語のテキスト、カタカナ。한국어 텍스트 안녕하세요. 🎉🚀🎉 aaaa aaaaaaaa banana bandana
HTTPServer parseJSON camelCase SNAKE_CASE the then there these those that than them they""".split("\n") * 4
COMMON = dict(vocab_size=420, character_coverage=0.98, num_threads=1, bos_id=1, eos_id=2, unk_id=0, hard_vocab_limit=False)
# Two rules of a table of its own: the published ones take a quarter of a megabyte.
RULES = "FF21\t41\nFB01\t66 69\n3000\t20\n9\t20\nE9\t65\n65 301\t65\n"
MODELS = {
    # Llama 2
    "llama": dict(model_type="bpe", byte_fallback=True, split_digits=True, allow_whitespace_only_pieces=True,
                  normalization_rule_name="identity", remove_extra_whitespaces=False),
    # Gemma: no space in front, runs of spaces and line breaks as user-defined pieces
    "gemma": dict(model_type="bpe", byte_fallback=True, split_digits=True, normalization_rule_name="identity",
                  remove_extra_whitespaces=False, add_dummy_prefix=False,
                  user_defined_symbols=["▁▁", "▁▁▁▁", "\n\n", "<b>", "<br>", "the"]),
    "bpe-unknown": dict(model_type="bpe", byte_fallback=False, normalization_rule_name="identity"),
    "unigram": dict(model_type="unigram", byte_fallback=True, normalization_rule_name="identity"),
    "unigram-rules": dict(model_type="unigram", byte_fallback=False),
}
WORDS = " ".join(CORPUS).split(" ") + [" ", "  ", "     ", "\n", "\n\n", "\t", "<b>", "<br>", "<0x41>", "aaaaaaaaaaa", "Ａﬁ\u3000é", "e\u0301"]
RANGES = [(0x20, 0x7E)] * 6 + [(0xA0, 0x17F), (0x400, 0x45F), (0x4E00, 0x9FFF), (0x1F300, 0x1F64F), (0x300, 0x36F), (0x2000, 0x206F)]


def sample(rng):
    parts = []
    for _ in range(rng.randint(1, 9)):
        if rng.random() < 0.7:
            parts.append(rng.choice(WORDS) + rng.choice(["", " "]))
        else:
            low, high = rng.choice(RANGES)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 4))))
    return "".join(parts)


def trained(options, folder):
    model = io.BytesIO()
    if "normalization_rule_name" not in options:
        rules = folder / "rules.tsv"
        rules.write_text(RULES)
        options = {**options, "normalization_rule_tsv": str(rules)}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=model, minloglevel=2, **COMMON, **options)
    return model.getvalue()


def main():
    fixtures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, options in MODELS.items():
            model = trained(options, pathlib.Path(folder))
            processor = sentencepiece.SentencePieceProcessor(model_proto=model)
            rng = random.Random(31)
            texts = ["", " ", "   ", "a", "café ＡＢ ﬁx e\u0301\tb", "  a  b  ", "the\n\n\nthe", "aaaaaaaaaaaaaaaa", "龘龘x"] + [sample(rng) for _ in range(40)]
            encoded = [{"text": text, "ids": processor.encode(text)} for text in texts]
            fixtures[name] = {
                "model": base64.b64encode(model).decode(),
                "encode": encoded,
                "decode": [{"ids": case["ids"], "text": processor.decode(case["ids"])} for case in encoded],
            }
    TARGET.write_text(json.dumps(fixtures, ensure_ascii=False, separators=(",", ":")) + "\n")


main()
