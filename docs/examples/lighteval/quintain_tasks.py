"""Problems of Quintain as tasks of lighteval: those of a data set on disk, which docs/examples/hf-dataset/make.py writes.

    QUINTAIN_DATA=reasoning lighteval … quintain --custom-tasks docs/examples/lighteval/quintain_tasks.py
"""

import json
import os
import pathlib

import numpy
import quintain
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod


class Score(SampleLevelComputation):
    """The score of the whole reply by the problem's own task, from 0 to 1."""

    def compute(self, doc, model_response, **_):
        [verdict] = quintain.judge_all([doc.specific["problem"]], [model_response.text[0]])
        return verdict.score


def prompt(line, task_name):
    """A row of the data set. Its prompt asks for the answer between tags; choices are what lighteval shows as the answer."""
    asked = "\n\n".join(message["content"] for message in line["prompt"])
    return Doc(task_name=task_name, query=asked, choices=[line["answer"]], gold_index=0, specific={"problem": line["problem"]})


def tasks():
    """A task for each task and level of the data set: its test split has held-out questions alone."""
    folder = pathlib.Path(os.environ["QUINTAIN_DATA"]).resolve()
    with open(folder / "test.jsonl", encoding="utf-8") as rows:
        found = {(row["task"], row["level"]): None for row in map(json.loads, rows)}
    score = SampleLevelMetric("score", higher_is_better=True, category=SamplingMethod.GENERATIVE, sample_level_fn=Score(), corpus_level_fn=numpy.mean)
    return [
        LightevalTaskConfig(
            name=f"quintain:{task}:{level}", prompt_function=prompt, hf_repo=str(folder), hf_subset="default", metrics=[score],
            hf_filter=lambda row, of=(task, level): (row["task"], row["level"]) == of,
            hf_avail_splits=["train", "test"], evaluation_splits=["test"], generation_size=4096, stop_sequence=[],
        )
        for task, level in found
    ]  # fmt: skip


TASKS_TABLE = tasks()
