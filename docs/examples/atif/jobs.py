"""Trials of Harbor's tasks as folders of a job, as Harbor's viewer and analyses read them.

    python docs/examples/atif/jobs.py quintain-data JOBS --drop kept

The job has the name of the data folder. What follows the two names are flags of quintain export.
"""

import datetime
import json
import pathlib
import sys
import uuid

import trajectories


def trial(problem, episode):
    """The record of a trial: that of the last turn that has one; none: it did not come to its tests."""
    of = [turn["record"] for turn in episode["turns"] or [] if "changed" in (turn.get("record") or {})]
    return of[-1] if of else {"task": problem["params"]["task"]}


def exception(episode, at):
    kind, _, why = episode.get("error", "").partition(": ")
    return {"exception_type": kind[:80], "exception_message": why, "exception_traceback": "", "occurred_at": at}


def result(problem, episode, version, name):
    """Harbor's result of a trial."""
    of, params = trial(problem, episode), problem["params"]
    began = datetime.datetime.fromisoformat(episode["started"])
    ended = (began + datetime.timedelta(microseconds=episode["took"] / 1000)).isoformat()
    path, failed = {"path": params["task"]}, episode["outcome"] not in trajectories.REWARDED
    return {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, episode["id"])), "task_name": params.get("name", params["task"]), "trial_name": name, "trial_uri": episode["id"],
        "task_id": path, "task_checksum": params["hash"], "config": {"task": path, "trial_name": name}, "agent_info": {"name": "quintain", "version": version},
        "verifier_result": None if failed else {"rewards": {"reward": of.get("reward", 0), **of.get("rewards", {})}},
        "exception_info": exception(episode, ended) if failed else None, "started_at": began.isoformat(), "finished_at": ended,
    }  # fmt: skip


def write(folder, record, version):
    """The folders of a group's trials, and how many there are."""
    problem = record["problem"]
    by = {}
    for one in trajectories.trajectories(record, version):
        by.setdefault(one["session_id"], one)
    for episode in record["episodes"]:
        name = f"{pathlib.PurePosixPath(problem['params']['task']).name}__{uuid.uuid5(uuid.NAMESPACE_URL, episode['id']).hex[:8]}"
        of, got = trial(problem, episode), result(problem, episode, version, name)
        files = {"result.json": got, "config.json": got["config"]}
        if episode["id"] in by:
            files["agent/trajectory.json"] = by[episode["id"]]
        if got["verifier_result"]:
            files["verifier/reward.json"] = got["verifier_result"]["rewards"]
        files["verifier/test-stdout.txt"] = of.get("tests", {}).get("output", "")
        for file, content in files.items():
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    return len(record["episodes"])


def main():
    if len(sys.argv) < 3:
        raise SystemExit("usage: jobs.py DATA JOBS [FLAG of quintain export]…")
    data, jobs, *flags = sys.argv[1:]
    folder, version = pathlib.Path(jobs) / pathlib.Path(data).resolve().name, trajectories.version()
    count = sum(write(folder, record, version) for record in trajectories.records(data, flags))
    print(f"{count} trials in {folder}")


if __name__ == "__main__":
    main()
