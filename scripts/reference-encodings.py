"""What the `tokenizers` Python package makes of a text of many scripts, for scripts/check-tokenizers.ts.

    python3 scripts/reference-encodings.py TOKENIZER_JSON LINES TARGET

TARGET gets one JSON object a line: the text, its ids and what they decode to. The seed is fixed.
"""
import json
import random
import sys
import unicodedata

from tokenizers import Tokenizer

# One a line; ⏎ is a line break.
SENTENCES = [line.replace("⏎", "\n") for line in """The quick brown fox jumps over the lazy dog. Don't panic: it's only 12,345.67 tests, isn't it? WE'LL SEE.
Größe, façade, naïve café, Zürich; e\u0301te\u0301; Đặng Thị Ngọc Thịnh; Žluťoučký kůň; İstanbul ıssız; ǅungla ﬁn ß ẞ
Привет, мир! Как дела? Ёлка. Γειά σου κόσμε. Καλημέρα Σίσυφος. Բարեւ աշխարհ. გამარჯობა მსოფლიო
שלום עולם, מה שלומך? בְּרֵאשִׁית. مرحبا بالعالم ٣٤٥، كيف الحال؟ سلام دنیا ۱۲۳ اردو زبان
नमस्ते दुनिया १२३ हिन्दी क्षेत्र। বাংলা ভাষা। தமிழ் மொழி. తెలుగు. ภาษาไทยไม่มีวรรค ພາສາລາວ မြန်မာ ខ្មែរ አማርኛ བོད་ཡིག
你好，世界。龘靐齉爩 𠮷野家 𪚥𪚥。日本語のテキスト、カタカナ、ﾊﾝｶｸ。한국어 텍스트 안녕하세요. 각각 １２３ＡＢＣ
def add(a, b):⏎    return a + b  # 3.14159⏎⏎\tprint("hello", add(1, 22), 333, 4444)\r⏎
{"key": [1.0, -2e10, null, true], "path": "C:\\\\temp\\\\x", "html": "<a href='#'>&amp;</a>"} // parseJSON HTTPServer snake_case
for (let i = 0; i < n; i++) { sum += a[i] ?? 0; } SELECT * FROM t WHERE x >= 10 AND y != 'z'; \\frac{1}{2} $x^2$ ∑ ∫ ≠ → ½ ² ① Ⅷ
🎉🚀 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇯🇵 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ ✈️ 1️⃣ 🤷🏾‍♂️ ☃ ♞ 𝒜𝓑𝕔 𝟘𝟙𝟚 \u200b\u200d\u2060\ufeff\u00ad\u202e
<|im_start|>user⏎hello<|im_end|>⏎ <s>[INST] x [/INST]</s> <|eot_id|> <|endoftext|><bos><start_of_turn>model⏎ <unk> <think>⏎⏎</think> <pad>""".split("\n")]
GAPS = [" "] * 6 + ["  ", "    ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u3000", "\u2003", "\u0085", "\u2028", "", ""]
RANGES = [(0x20, 0x7E)] * 3 + [
    (0x00, 0x1F), (0x7F, 0x9F), (0xA0, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0x109F),
    (0x1100, 0x11FF), (0x1200, 0x139F), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2190, 0x2BFF), (0x3000, 0x30FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xAC00, 0xD7A3), (0xE000, 0xE0FF), (0xF900, 0xFAFF), (0xFB00, 0xFFFD),
    (0x10000, 0x100FA), (0x1D400, 0x1D7FF), (0x1F000, 0x1FAFF), (0x20000, 0x2A6DF), (0xE0020, 0xE007F)]


def runs(rng):
    kind = rng.choice([" ", "a", "0", "\n", "=", "-", "ha", "\t", ".", "한", "e\u0301", "🎉"])
    return kind * rng.randint(1, 60)


def characters(rng):
    low, high = rng.choice(RANGES)
    drawn = (chr(rng.randint(low, high)) for _ in range(rng.randint(1, 12)))
    # A later Unicode version gives what is unassigned here another class.
    return "".join(char if unicodedata.category(char) not in ("Cn", "Cs") else "\ufffd" for char in drawn)


def damaged(rng):
    raw = bytearray(rng.choice(SENTENCES).encode())
    at = rng.randrange(len(raw))
    return raw[at : at + rng.randint(1, 9)].decode("utf-8", "replace")


def numbers(rng):
    return rng.choice(["{}", "{:,}", "0x{:x}", "-{}e5", "{}%", "${}.00", "#{}"]).format(rng.randrange(10 ** rng.randint(1, 15)))


def words(rng):
    parts = rng.choice(SENTENCES).split(" ")
    at = rng.randrange(len(parts))
    return " ".join(parts[at : at + rng.randint(1, 6)])


def line(rng, added):
    """`added`: the tokenizer's own added tokens."""
    makers = [words, words, words, words, characters, characters, characters, damaged, numbers, runs]
    if added:
        makers.append(lambda rng: rng.choice(added))
    return "".join(rng.choice(makers)(rng) + rng.choice(GAPS) for _ in range(rng.randint(1, 10)))


def main():
    tokenizer = Tokenizer.from_file(sys.argv[1])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    added = [token.content for _, token in sorted(tokenizer.get_added_tokens_decoder().items())]
    rng = random.Random(29)
    with open(sys.argv[3], "w", encoding="utf-8") as target:
        for _ in range(int(sys.argv[2])):
            text = line(rng, added)
            ids = tokenizer.encode(text).ids
            json.dump({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)}, target)
            target.write("\n")


main()
