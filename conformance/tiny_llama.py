"""A small Llama of random weights, the same for the same seed: its files for inference servers, and its
log-probabilities.

It has learned nothing, so the replies are senseless; but the servers' counts, tokens and reports can be checked.
"""
import json
import pathlib

import gguf
import numpy
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

TEXT = pathlib.Path(__file__).resolve().parent.parent / "LICENSE"  # the tokenizer is trained on it
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
END = 2  # of a message
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SHAPE = {
    "vocab_size": 640, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 32, "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": False,
}
OFFSET = 4.0  # the first number of every hidden state, which carries the general likelihood of tokens


def make_tokenizer(words):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SHAPE["vocab_size"] - len(words), special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(TEXT.read_text(encoding="utf-8").splitlines(keepends=True), trainer)
    tokenizer.add_tokens(list(words))
    return tokenizer


def is_text(tokenizer, token):
    """Whether the token is whole characters, and not special."""
    return token >= len(SPECIAL) and "\ufffd" not in tokenizer.decode([token])


class Llama:
    """The model. Its weights have the names of Hugging Face. Each of words is one token, as likely as the end."""

    def __init__(self, seed, words=()):
        self.seed, self.tokenizer = seed, make_tokenizer(words)
        draw = numpy.random.default_rng(seed)
        hidden, inner, size = SHAPE["hidden_size"], SHAPE["intermediate_size"], SHAPE["head_dim"]
        queries, keys = SHAPE["num_attention_heads"] * size, SHAPE["num_key_value_heads"] * size

        def matrix(rows, columns):
            return (draw.standard_normal((rows, columns)) / columns**0.5).astype(numpy.float32)

        self.weights = w = {"model.embed_tokens.weight": matrix(SHAPE["vocab_size"], hidden) * numpy.float32(hidden**0.5)}
        w["model.embed_tokens.weight"][:, 0] = OFFSET
        for i in range(SHAPE["num_hidden_layers"]):
            layer = f"model.layers.{i}."
            for name, rows, columns in [
                ("self_attn.q_proj", queries, hidden), ("self_attn.k_proj", keys, hidden), ("self_attn.v_proj", keys, hidden), ("self_attn.o_proj", hidden, queries),
                ("mlp.gate_proj", inner, hidden), ("mlp.up_proj", inner, hidden), ("mlp.down_proj", hidden, inner),
            ]:
                w[f"{layer}{name}.weight"] = matrix(rows, columns)
                if rows == hidden:
                    w[f"{layer}{name}.weight"][0] = 0  # the offset stays
            for name in ("input_layernorm", "post_attention_layernorm"):
                w[f"{layer}{name}.weight"] = (1 + 0.1 * draw.standard_normal(hidden)).astype(numpy.float32)
        w["model.norm.weight"] = numpy.ones(hidden, numpy.float32)
        head = w["lm_head.weight"] = matrix(SHAPE["vocab_size"], hidden) * 2
        head[:, 0] = [0 if is_text(self.tokenizer, t) else -1 for t in range(SHAPE["vocab_size"])]
        head[: len(SPECIAL), 0] = -8
        head[[END, *map(self.tokenizer.token_to_id, words)], 0] = 2
        self.exact = {name: weight.astype(numpy.float64) for name, weight in w.items()}

    def save(self, folder, template=TEMPLATE):
        """Write the folder of a Hugging Face model."""
        folder.mkdir()
        save_file(self.weights, folder / "model.safetensors", metadata={"format": "pt"})
        self.tokenizer.save(str(folder / "tokenizer.json"))
        for name, value in {
            "config.json": {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "dtype": "float32", "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
                            "bos_token_id": 0, "eos_token_id": END, "pad_token_id": 0, **SHAPE},
            "generation_config.json": {"bos_token_id": 0, "eos_token_id": END, "pad_token_id": 0},
            "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": SPECIAL[END], "bos_token": SPECIAL[0], "pad_token": SPECIAL[0], "chat_template": template,
                                      "clean_up_tokenization_spaces": False},
        }.items():
            (folder / name).write_text(json.dumps(value), encoding="utf-8")

    def save_gguf(self, path):
        """Write the file of llama.cpp."""
        w = gguf.GGUFWriter(path, "llama")
        w.add_file_type(gguf.LlamaFileType.ALL_F32)
        w.add_context_length(SHAPE["max_position_embeddings"])
        w.add_embedding_length(SHAPE["hidden_size"])
        w.add_block_count(SHAPE["num_hidden_layers"])
        w.add_feed_forward_length(SHAPE["intermediate_size"])
        w.add_head_count(SHAPE["num_attention_heads"])
        w.add_head_count_kv(SHAPE["num_key_value_heads"])
        w.add_rope_dimension_count(SHAPE["head_dim"])
        w.add_rope_freq_base(SHAPE["rope_theta"])
        w.add_layer_norm_rms_eps(SHAPE["rms_norm_eps"])
        written = json.loads(self.tokenizer.to_str())
        vocabulary = written["model"]
        words = [added["content"] for added in written["added_tokens"] if added["content"] not in vocabulary["vocab"]]
        w.add_tokenizer_model("gpt2")
        w.add_tokenizer_pre("gpt-2")
        w.add_token_list([*sorted(vocabulary["vocab"], key=vocabulary["vocab"].get), *words])
        kinds = [gguf.TokenType.CONTROL] * len(SPECIAL) + [gguf.TokenType.NORMAL] * (len(vocabulary["vocab"]) - len(SPECIAL))
        w.add_token_types([*kinds, *[gguf.TokenType.USER_DEFINED] * len(words)])
        w.add_token_merges([" ".join(pair) for pair in vocabulary["merges"]])
        w.add_bos_token_id(0)
        w.add_eos_token_id(END)
        w.add_pad_token_id(0)
        w.add_add_bos_token(False)
        w.add_chat_template(TEMPLATE)
        names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, SHAPE["num_hidden_layers"])
        for name, weight in self.weights.items():
            for part, heads in [("q_proj", SHAPE["num_attention_heads"]), ("k_proj", SHAPE["num_key_value_heads"])]:
                if part in name:  # llama.cpp turns neighbours, not halves
                    weight = weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)
            w.add_tensor(names.get_name(name, try_suffixes=(".weight",)), weight)
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()

    def logprobs(self, tokens):
        """The log-probability of each token after the first."""
        return self.distributions(tokens)[numpy.arange(len(tokens) - 1), tokens[1:]]

    def distributions(self, tokens):
        """The log-probabilities of all tokens after each of these."""
        w, n, size, heads, kept = self.exact, len(tokens), SHAPE["head_dim"], SHAPE["num_attention_heads"], SHAPE["num_key_value_heads"]
        angles = numpy.outer(numpy.arange(n), SHAPE["rope_theta"] ** (-numpy.arange(0, size, 2) / size))
        cos, sin = (numpy.tile(f(angles), 2) for f in (numpy.cos, numpy.sin))

        def norm(x, name):
            return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + SHAPE["rms_norm_eps"]) * w[name + ".weight"]

        def split(x, heads, turn=True):
            x = x.reshape(n, heads, size).swapaxes(0, 1)
            if turn:
                x = x * cos + numpy.concatenate([-x[..., size // 2 :], x[..., : size // 2]], -1) * sin
            return x.repeat(SHAPE["num_attention_heads"] // heads, 0)

        x = w["model.embed_tokens.weight"][tokens]
        for i in range(SHAPE["num_hidden_layers"]):
            layer = f"model.layers.{i}."
            q, k, v = (norm(x, layer + "input_layernorm") @ w[f"{layer}self_attn.{name}_proj.weight"].T for name in "qkv")
            scores = split(q, heads) @ split(k, kept).swapaxes(1, 2) / size**0.5 + numpy.triu(numpy.full((n, n), -numpy.inf), 1)
            seen = numpy.exp(scores - scores.max(-1, keepdims=True))
            mixed = (seen / seen.sum(-1, keepdims=True)) @ split(v, kept, turn=False)
            x = x + mixed.swapaxes(0, 1).reshape(n, -1) @ w[layer + "self_attn.o_proj.weight"].T
            gate, up = (norm(x, layer + "post_attention_layernorm") @ w[f"{layer}mlp.{name}_proj.weight"].T for name in ("gate", "up"))
            x = x + (gate / (1 + numpy.exp(-gate)) * up) @ w[layer + "mlp.down_proj.weight"].T
        logits = norm(x, "model.norm") @ w["lm_head.weight"].T
        logits -= logits.max(-1, keepdims=True)
        return logits - numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
