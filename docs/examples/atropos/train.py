"""Atropos' example trainer, unchanged, with Quintain instead of run-api and the ReasoningGym environment.

Four programs run: `quintain policy fake`, which stands in for vLLM, `quintain hub`, `quintain env serve`, and the
trainer of the package atroposlib, on the CPU, with a new model of 160,000 parameters.
"""

import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

from quintain.program import path
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

STEPS = 5
TEMPLATE = "{% for m in messages %}{{ m.role + ': ' + m.content }}<end>{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"


def make_model(folder):
    """A model with a token for each byte."""
    vocabulary = {word: i for i, word in enumerate(["<pad>", "<end>", *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>", chat_template=TEMPLATE).save_pretrained(folder)
    LlamaForCausalLM(LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=64, intermediate_size=192, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=4096,
        pad_token_id=0, bos_token_id=None, eos_token_id=1,
    )).save_pretrained(folder)  # fmt: skip


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(log, *command):
    """A program that runs until the block ends; its output goes to a file."""
    with log.open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as program:
        try:
            yield program
        finally:
            program.terminate()


def main():
    server, hub = free_port(), free_port()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as programs:
        folder = pathlib.Path(name)
        make_model(folder / "model")
        (folder / "replies.jsonl").write_text("".join(json.dumps({"text": f"<answer>{n}</answer>"}) + "\n" for n in range(1, 5)))
        for command in (
            ["policy", "fake", "--port", str(server), "--tokenizer", folder / "model", "--first-token", "0s", "--rate", "0", "--replies", folder / "replies.jsonl"],
            ["hub", "--port", str(hub), "--data", folder / "hub"],
            ["env", "serve", "--tasks", "gcd,count_bits", "--data", folder / "env", "--env.rollout_server_url", f"http://127.0.0.1:{hub}",
             "--env.tokenizer_name", folder / "model", "--env.group_size", "8", "--openai.base_url", f"http://127.0.0.1:{server}/v1",
             "--openai.model_name", "fake", "--openai.server_type", "vllm"],
        ):  # fmt: skip
            programs.enter_context(running(folder / f"{command[0]}.log", path(), *command))
        done = subprocess.run([
            sys.executable, "-m", "example_trainer.grpo", "--model-name", folder / "model", "--atropos-url", f"http://127.0.0.1:{hub}", "--device", "cpu",
            "--training-steps", str(STEPS), "--batch-size", "8", "--gradient-accumulation-steps", "2", "--optimizer", "adamw", "--lr", "1e-3",
            "--save-path", folder / "checkpoints", "--log-dir", folder / "logs",
            "--vllm-port", str(free_port()), "--vllm-restart-interval", "1000",  # it ends the process on the port, and begins its own vLLM there
        ], check=False)  # fmt: skip
        if done.returncode:
            raise SystemExit("".join(log.read_text() for log in folder.glob("*.log")))
        before, after = (LlamaForCausalLM.from_pretrained(folder / part).state_dict() for part in ("model", "checkpoints/final_model"))
    changed = sum(not before[weight].equal(after[weight].float()) for weight in before)
    print(f"{STEPS} steps changed {changed} of {len(before)} weights")
    return 0 if changed else 1


if __name__ == "__main__":
    sys.exit(main())
