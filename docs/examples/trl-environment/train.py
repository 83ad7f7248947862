"""TRL's GRPOTrainer with a task as its environment: a model of 160,000 parameters, made here, answers by calling a
tool.

The model is first taught the form of a call. One in four of the answers that it imitates is right, the others are
random: it learns right answers from the rewards.
"""

import json
import random
import sys
import tempfile
import time

import quintain
import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, PrinterCallback, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

WARM, STEPS = 60, 40  # steps of the warm-up, with 64 replies each, and of GRPO
# The form of a call. The model is not told of its tools: the warm-up teaches it the only one.
TEMPLATE = """\
{%- for m in messages -%}
{%- if m.role == 'assistant' %}<assistant>{{ m.content or '' }}
{%- for call in m.tool_calls or [] %}<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{% endfor %}<end>
{%- elif m.role == 'tool' %}<tool>{{ m.content }}</tool>
{%- else %}{{ m.content }}{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}<assistant>{% endif -%}"""
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<assistant>",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>", "close_pattern": "</tool_call>", "repeats": True, "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": "<end>", "content": "text"},
    },
}  # fmt: skip
CALL = '<tool_call>{"name": "submit_answer", "arguments": {"answer": "'
DONE = '"}}</tool_call>'


def make_tokenizer(texts):
    """A token for each word, digit and sign of the texts, and for the two halves of a call."""
    split = pre_tokenizers.Split(Regex(r'<tool_call>\{"name": "submit_answer", "arguments": \{"answer": "|"\}\}</tool_call>|</?\w+>|[A-Za-z]+|\d+|\s|.'), "isolated")
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)} | {*"0123456789.", CALL, DONE, "<assistant>", "<tool>", "</tool>"})
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(["<pad>", "<end>", "<other>", *words])}, "<other>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = split, decoders.Fuse()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>", unk_token="<other>", chat_template=TEMPLATE)
    fast.response_template = RESPONSE
    return fast


def make_model(tokenizer):
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=128,
        tie_word_embeddings=True, pad_token_id=tokenizer.pad_token_id, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
    ))  # fmt: skip
    print(f"{model.num_parameters():,} parameters, {len(tokenizer)} tokens")
    return model


def imitated(problem):
    """A row of the warm-up: a call, its result, and nothing more to say."""
    solution = json.loads(problem["problem"])["instance"]["solution"]
    answer = solution if random.random() < 0.25 else random.randint(0, 9)
    return {"prompt": problem["prompt"] + "<assistant>", "completion": f"{CALL}{answer}{DONE}<end><tool>The answer is submitted.</tool><assistant>"}


def main():
    set_seed(1)
    torch.set_num_threads(1)  # the model is too small for more
    problems = quintain.task("count_bits", params={"min_n": 1, "max_n": 7}).problems(count=64 * WARM)
    tokenizer = make_tokenizer([p["prompt"] for p in problems] + ["The answer is submitted."])
    model = make_model(tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        common = dict(output_dir=folder, use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none", save_strategy="no", disable_tqdm=True)
        warm = SFTTrainer(
            model, SFTConfig(per_device_train_batch_size=64, max_steps=WARM, learning_rate=3e-3, **common),
            train_dataset=Dataset.from_list([imitated(p) for p in problems]), processing_class=tokenizer)
        warm.remove_callback(PrinterCallback)
        warm.train()
        trainer = GRPOTrainer(
            model, environment_factory=quintain.TaskEnvironment,
            args=GRPOConfig(per_device_train_batch_size=128, num_generations=8, max_completion_length=24, max_tool_calling_iterations=2, max_steps=STEPS,
                            learning_rate=1e-3, lr_scheduler_type="constant", max_grad_norm=0.3, logging_steps=1, **common),
            train_dataset=Dataset.from_list(quintain.environments.rows(problems)), processing_class=tokenizer)
        trainer.remove_callback(PrinterCallback)
        began = time.monotonic()
        trainer.train()
    log = [row for row in trainer.state.log_history if "reward" in row]
    first, last = (sum(row["reward"] for row in part) / 5 for part in (log[:5], log[-5:]))
    calls, failed = log[-1]["tools/call_frequency"], log[-1]["tools/failure_frequency"]
    print(f"{calls:.2f} calls for each reply of the last step, {failed:.2f} of them failed")
    print(f"mean reward {first:.2f} in the first five of {len(log)} steps, {last:.2f} in the last five, {time.monotonic() - began:.0f} s")
    return 0 if last > first + 0.1 and calls > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
