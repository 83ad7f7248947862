"""GRPO with TRL on a mixture of your own: tasks, weights and parameters, one reward, and a curve for each task."""

# %% [markdown]
# This one needs PyTorch and TRL beside the package: docs/examples/trl says how to install them. On a CPU it takes a minute, on busy cores a
# few, since its model is made here and has 160,000 parameters.
#
# The mixture: two problems of the first task for one of each other. `config` has a task's parameters, by reasoning-gym's names
# (`quintain tasks show NAME`); `level` may take its place. A file of the same form goes to `quintain run --mixture`.

# %%
import collections
import random
import tempfile

import quintain
import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, PrinterCallback, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

mixture = {
    "datasets": [
        {"name": "count_bits", "weight": 2, "config": {"min_n": 1, "max_n": 7}},
        {"name": "gcd", "weight": 1, "config": {"min_value": 1, "max_value": 9}},
        {"name": "chain_sum", "weight": 1, "config": {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}},
    ]
}
set_seed(1)
torch.set_num_threads(1)  # the model is too small for more
problems = quintain.task("composite", params=mixture).problems(seed=1, count=6000, chat=True)
print(collections.Counter(one["task"] for one in problems))
print(problems[0]["prompt"][-1]["content"])

# %% [markdown]
# A model: put your own in its place, `AutoModelForCausalLM.from_pretrained(…)` and its tokenizer, and leave out the next two cells. This
# one has a token for each word and digit, and reads only the question, without the system message that asks for the form of the reply.

# %%
split = pre_tokenizers.Split(Regex(r"</?\w+>|[A-Za-z]+|\d|\s|."), "isolated")
words = sorted({word for one in problems for word, _ in split.pre_tokenize_str(one["prompt"][-1]["content"])} | {*"0123456789-", "<answer>", "</answer>"})
words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(["<pad>", "<end>", "<other>", *words])}, "<other>"))
words.pre_tokenizer, words.decoder = split, decoders.Fuse()
template = "{% for m in messages if m.role != 'system' %}{{ m.content }}{% if m.role == 'assistant' %}<end>{% endif %}{% endfor %}"
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<end>", unk_token="<other>", chat_template=template)
config = LlamaConfig(
    vocab_size=len(tokenizer), hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=128,
    tie_word_embeddings=True, pad_token_id=tokenizer.pad_token_id, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
)  # fmt: skip
model = LlamaForCausalLM(config)

# %% [markdown]
# A new model answers nothing, so nothing could be rewarded. It first imitates the form of a reply: one answer in four is right, which
# the grader tells among the digits, and the others are random.

# %%
rows = problems[:4000]
replies = [f"<answer>{digit}</answer>" for digit in range(10)]
verdicts = quintain.judge_all([one["problem"] for one in rows for _ in replies], replies * len(rows))
imitated = []
for number, one in enumerate(rows):
    right = [reply for reply, verdict in zip(replies, verdicts[number * 10 :]) if verdict.score == 1]
    reply = right[0] if right and random.random() < 0.25 else random.choice(replies)
    imitated.append({"prompt": one["prompt"], "completion": [{"role": "assistant", "content": reply}]})
common = dict(output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none", save_strategy="no", disable_tqdm=True)
warm = SFTTrainer(model, SFTConfig(per_device_train_batch_size=64, max_steps=60, learning_rate=3e-3, **common), train_dataset=Dataset.from_list(imitated), processing_class=tokenizer)
warm.remove_callback(PrinterCallback)
warm.train()

# %% [markdown]
# GRPO. `quintain.rewards.grpo` grades each reply by the task of its own problem, so one function serves any mixture. TRL hands the
# columns of the data set to it: here `task` sorts the scores, to see how each task goes.

# %%
scores = collections.defaultdict(list)


def reward(prompts, completions, problem, task, **_):
    got = quintain.rewards.grpo(prompts, completions, problem)
    for name, score in zip(task, got):
        scores[name].append(score)
    return got


trainer = GRPOTrainer(
    model, reward,
    GRPOConfig(per_device_train_batch_size=128, num_generations=8, max_completion_length=8, max_steps=60, learning_rate=1e-3,
               lr_scheduler_type="constant", max_grad_norm=0.3, logging_steps=1, **common),
    train_dataset=Dataset.from_list(problems[4000:]), processing_class=tokenizer,
)  # fmt: skip
trainer.remove_callback(PrinterCallback)
trainer.train()

# %% [markdown]
# The mean reward of a mixture may rise by one task alone. So look at each.

# %%
for name, of in scores.items():
    part = len(of) // 5
    print(f"{name}: {sum(of[:part]) / part:.2f} in the first fifth of {len(of)} replies, {sum(of[-part:]) / part:.2f} in the last")
rewards = [row["reward"] for row in trainer.state.log_history if "reward" in row]
first, last = sum(rewards[:5]) / 5, sum(rewards[-5:]) / 5
print(f"mean reward {first:.2f} in the first five of {len(rewards)} steps, {last:.2f} in the last five")
assert last > first + 0.1
