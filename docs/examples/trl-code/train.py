"""TRL's GRPOTrainer with programs as answers, which tests judge in the sandbox of this machine, on a model of 160,000
parameters made here.

The model is first taught the form of a program. One in four of the programs that it imitates is right, the others answer
another question: it learns right ones from the rewards.
"""

import contextlib
import json
import random
import socket
import sys
import tempfile
import time

import quintain
import torch
from datasets import Dataset
from quintain import program
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, PrinterCallback, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

WARM, STEPS, ROWS = 300, 40, 2048  # steps of the warm-up, with 64 programs each, and of GRPO; rows of the data set
TEMPLATE = "{% for m in messages %}{{ m.content }}{% if m.role == 'assistant' %}<end>{% endif %}{% endfor %}"
QUESTIONS = {
    "sum": "a + b", "difference": "a - b", "product": "a * b", "larger one": "max(a, b)", "smaller one": "min(a, b)",
    "first one": "a", "second one": "b", "distance": "abs(a - b)",
}  # fmt: skip


@contextlib.contextmanager
def serving():
    """Run quintain serve, and give its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = program.start("serve", f"--port={port}", "--log-level=error")
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def reply(question):
    """A reply with the right program for a question."""
    return f"```python\na = int(input())\nb = int(input())\nprint({QUESTIONS[question]})\n```"


def row(question):
    """A row of the data set: the prompt, and tests as docs/code-problems.md describes them."""
    cases = []
    for a, b in ((2, 5), (7, 3), (-4, 6), (9, -1)):
        cases.append({"input": f"{a}\n{b}\n", "output": str(eval(QUESTIONS[question], {"a": a, "b": b}))})
    ask = f"Write a program in Python that reads two numbers and prints the {question}.\n"
    return {"prompt": [{"role": "user", "content": ask}], "tests": json.dumps({"language": "python", "kind": "stdin", "cases": cases}), "question": question}


def imitated(one):
    """A row of the warm-up."""
    question = one["question"] if random.random() < 0.25 else random.choice(list(QUESTIONS))
    return {"prompt": one["prompt"], "completion": [{"role": "assistant", "content": reply(question)}]}


def make_tokenizer(texts):
    """A token for each line of a program, and for each word and sign of a question."""
    split = pre_tokenizers.Split(Regex(r"```(python)?|[ab] = .+|print.+|[A-Za-z]+|\s|."), "isolated")
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(["<pad>", "<end>", "<other>", *words])}, "<other>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = split, decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>", unk_token="<other>", chat_template=TEMPLATE)


def make_model(tokenizer):
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=64,
        tie_word_embeddings=True, initializer_range=0.1, pad_token_id=tokenizer.pad_token_id, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
    ))  # fmt: skip
    print(f"{model.num_parameters():,} parameters, {len(tokenizer)} tokens")
    return model


def main():
    set_seed(1)
    torch.set_num_threads(1)  # the model is too small for more
    rows = [row(question) for question in random.choices(list(QUESTIONS), k=ROWS)]
    tokenizer = make_tokenizer([one["prompt"][0]["content"] for one in rows] + [reply(question) for question in QUESTIONS])
    model = make_model(tokenizer)
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        common = dict(output_dir=folder, use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none", save_strategy="no", disable_tqdm=True)
        warm = SFTTrainer(
            model, SFTConfig(per_device_train_batch_size=64, max_steps=WARM, learning_rate=2e-3, lr_scheduler_type="constant", **common),
            train_dataset=Dataset.from_list([imitated(one) for one in rows]), processing_class=tokenizer)
        warm.remove_callback(PrinterCallback)
        warm.train()
        trainer = GRPOTrainer(
            model, quintain.code_reward(url),
            GRPOConfig(per_device_train_batch_size=128, num_generations=8, max_completion_length=12, max_steps=STEPS, learning_rate=1e-3,
                       lr_scheduler_type="constant", max_grad_norm=0.3, logging_steps=1, **common),
            train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
        trainer.remove_callback(PrinterCallback)
        began = time.monotonic()
        trainer.train()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    first, last = (sum(part) / 5 for part in (rewards[:5], rewards[-5:]))
    print(f"mean reward {first:.2f} in the first five of {len(rewards)} steps, {last:.2f} in the last five, {time.monotonic() - began:.0f} s")
    return 0 if last > first + 0.2 else 1


if __name__ == "__main__":
    sys.exit(main())
