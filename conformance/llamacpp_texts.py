"""llama.cpp, made to say given texts: its server then reads them as replies of a model.

The model has a vocabulary in which every text is one token, and no other knowledge: a request raises the likelihood of
the token that it wants to hear.
"""
import json
import os
import sys

import gguf
import numpy
import xllamacpp

END = 0  # the token that closes a reply
BYTES = [*range(33, 127), *range(161, 173), *range(174, 256)]  # those that stand for themselves in a byte-level vocabulary


def save(path, texts, special, template):
    """Write the model's file."""
    others = [b for b in range(256) if b not in BYTES]
    plain = [chr(b) for b in BYTES] + [chr(256 + i) for i in range(len(others))]
    tokens = ["<|closing|>", *special, *plain, *texts]
    kinds = [gguf.TokenType.CONTROL] * (1 + len(special)) + [gguf.TokenType.NORMAL] * len(plain) + [gguf.TokenType.USER_DEFINED] * len(texts)
    w = gguf.GGUFWriter(path, "llama")
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    for add, value in ((w.add_context_length, 8192), (w.add_embedding_length, 32), (w.add_block_count, 1), (w.add_feed_forward_length, 32), (w.add_head_count, 1), (w.add_head_count_kv, 1),
                       (w.add_rope_dimension_count, 32), (w.add_layer_norm_rms_eps, 1e-5), (w.add_tokenizer_model, "gpt2"), (w.add_tokenizer_pre, "gpt-2"), (w.add_token_list, tokens),
                       (w.add_token_types, kinds), (w.add_token_merges, ["a b"]), (w.add_eos_token_id, END), (w.add_add_bos_token, False), (w.add_chat_template, template)):
        add(value)
    zero = lambda rows: numpy.zeros((rows, 32), numpy.float32)
    for name in ("token_embd", "output"):
        w.add_tensor(name + ".weight", zero(len(tokens)))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        w.add_tensor(f"blk.0.{name}.weight", zero(32))
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        w.add_tensor(name + ".weight", numpy.ones(32, numpy.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return {text: i for i, text in enumerate(tokens)}


def quiet():
    """Drop what llama.cpp writes of every request to the standard error; Python still writes there."""
    sys.stderr = os.fdopen(os.dup(2), "w")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)


class Speaker:
    """A server of the model."""

    def __init__(self, path, texts, special, template):
        tokens = save(path, texts, special, template)
        self.tokens = {text: tokens[text] for text in texts}
        p = xllamacpp.CommonParams()
        p.model.path, p.n_ctx, p.n_parallel, p.use_jinja, p.warmup = str(path), 8192, 1, True, False
        p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
        if sys.stderr is sys.__stderr__:
            quiet()
        self.server = xllamacpp.Server(p)

    def message(self, text, request):
        """The message that the server reads in the text."""
        answer = self.server.handle_chat_completions({**request, "logit_bias": [[self.tokens[text], 2000], [END, 1000]], "presence_penalty": 5000, "temperature": 0, "max_tokens": 2})  # the text, then the end
        if "choices" not in answer:
            raise ValueError(json.dumps(answer))
        choice = answer["choices"][0]
        if choice["finish_reason"] == "length":
            raise ValueError("the grammar wants more than the text")
        return choice["message"]
