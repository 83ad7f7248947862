"""Batches as NumPy arrays, read from the form of docs/formats/arrays.md."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quintain.errors import Error

__all__ = ["Batch", "UNTRAINED", "parse"]

UNTRAINED = -100
"""The mask of an untrained token."""

DTYPES: dict[str, np.dtype[Any]] = {"BOOL": np.dtype("?"), "F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "I32": np.dtype("<i4")}
OF_TOKENS = ("tokens", "trained", "versions", "inference_logprobs", "ref_logprobs", "advantages")  # one value per token
FRAME = np.dtype([("number", "<u8"), ("size", "<u4")])


@dataclasses.dataclass
class Batch:
    """A batch of sequences. N counts all their tokens, one sequence after another. An array that no group has is
    read-only."""

    number: int
    """Number of the batch, used once in a run."""
    step: int
    """Batches handed out so far, added to the trainer's first step."""
    attempt: int
    """Times that the hub has handed out the batch since its start."""
    groups: list[dict[str, Any]]
    """The groups without their arrays: id and, if present, origin, messages, overrides and others."""
    group: NDArray[np.int32]
    """The group of each sequence, an index of groups."""
    lengths: NDArray[np.int32]
    """Tokens of each sequence."""
    scores: NDArray[np.float64]
    """Per sequence."""
    episodes: NDArray[np.int32]
    """Per sequence, the number of its episode within the group."""
    tokens: NDArray[np.int32]
    """N."""
    trained: NDArray[np.bool_]
    """N: whether the token is trained on."""
    versions: NDArray[np.int32]
    """N: version of the weights that sampled the token; -1: not sampled, or unknown."""
    logprobs: NDArray[np.float32]
    """N: natural logarithms, as sampled; 1: not sampled; NaN: unknown."""
    ref_logprobs: NDArray[np.float32]
    """N: by the reference model; NaN: none."""
    advantages: NDArray[np.float32]
    """N; NaN: none."""
    odd_masks: NDArray[np.int32] | None
    """N: the masks of the batch, if some are neither their token nor UNTRAINED."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def masked(self) -> NDArray[np.bool_]:
        """Per sequence: the environment says not to train on it (``set_advantage_to_zero``), nor to compare others
        with its score."""
        sizes = np.bincount(self.group, minlength=len(self.groups))
        rules = [rule for group, size in zip(self.groups, sizes) for rule in group.get("overrides") or [None] * int(size)]
        return np.array([bool((rule or {}).get("set_advantage_to_zero")) for rule in rules], np.bool_)

    @property
    def masks(self) -> NDArray[np.int32]:
        """N: the token if it is trained on, otherwise UNTRAINED; libraries call them labels."""
        if self.odd_masks is not None:
            return self.odd_masks
        return np.where(self.trained, self.tokens, np.int32(UNTRAINED))

    def rows(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """The values of each sequence, as views into an array of N."""
        return np.split(values, np.cumsum(self.lengths)[:-1])

    def padded(self, values: NDArray[Any], fill: float = 0, length: int | None = None) -> NDArray[Any]:
        """An array of N as a matrix, one row per sequence, padded on the right and cut to the longest sequence or to
        the given length."""
        width = int(self.lengths.max(initial=0)) if length is None else length
        there = np.arange(width) < self.lengths[:, None]
        matrix = np.full(there.shape, fill, values.dtype)
        if length is not None and self.lengths.max(initial=0) > length:
            places = np.arange(len(values)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
            values = values[places < length]
        matrix[there] = values
        return matrix


def parse(body: bytes | bytearray | memoryview, number: int = 0, step: int = 0, attempt: int = 0) -> Batch:
    """Read a batch. A damaged one raises an :class:`quintain.Error`."""
    view = memoryview(body)
    try:
        files = [_file(part) for part in _frames(view)]
        return _join(files, number, step, attempt)
    except (ValueError, KeyError, IndexError, TypeError) as fault:
        raise Error(f"the batch is damaged: {fault}") from fault


def _frames(view: memoryview) -> list[memoryview]:
    parts, at = [], 0
    while at < len(view):
        size = int(np.frombuffer(view, FRAME, 1, at)["size"][0])
        at += FRAME.itemsize
        if at + size > len(view):
            raise ValueError("it ends in the middle of a group")
        parts.append(view[at : at + size])
        at += size
    return parts


def _file(view: memoryview) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the texts of a safetensors file."""
    size = int.from_bytes(view[:8], "little")
    head = json.loads(bytes(view[8 : 8 + size]))
    texts = head.pop("__metadata__", {})
    values = view[8 + size :]
    arrays = {}
    for name, entry in head.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(values[begin:end], DTYPES[entry["dtype"]])
        if arrays[name].shape != tuple(entry["shape"]):
            raise ValueError(f"{name} has {arrays[name].shape[0]} values, want {entry['shape']}")
    return arrays, {name: text if name == "id" else json.loads(text) for name, text in texts.items()}


class _Room:
    """The memory for the numbers of all tokens, in one piece: the fresh pages of many pieces take longer than the
    copies."""

    def __init__(self, tokens: int, widths: Mapping[str, int]):
        self._room = np.empty((tokens + 8) * sum(widths.values()), np.uint8)
        self._filled = 0

    def take(self, dtype: Any, size: int) -> NDArray[Any]:
        begin, end = self._filled, self._filled + size * np.dtype(dtype).itemsize
        self._filled = -(-end // 8) * 8
        return self._room[begin:end].view(dtype)


def _join(files: Sequence[tuple[dict[str, NDArray[Any]], dict[str, Any]]], number: int, step: int, attempt: int) -> Batch:
    all_arrays = [arrays for arrays, _ in files]
    sequences = [len(arrays["lengths"]) for arrays in all_arrays]
    totals = [int(arrays["lengths"].sum()) for arrays in all_arrays]
    room = _Room(sum(totals), {name: values.itemsize for arrays in all_arrays for name, values in arrays.items() if name in OF_TOKENS})

    def join(name: str, dtype: Any, sizes: list[int], absent: float | None = None) -> NDArray[Any]:
        found = [arrays.get(name) if absent is not None else arrays[name] for arrays in all_arrays]
        if all(values is None for values in found):  # one value in memory, for all places
            return np.broadcast_to(np.array(absent or 0, dtype), sum(sizes))
        joined = room.take(dtype, sum(sizes)) if sizes is totals else np.empty(sum(sizes), dtype)
        at = 0
        for values, size in zip(found, sizes):
            joined[at : at + size] = absent if values is None else values
            at += size
        return joined

    nan = float("nan")
    episodes = [arrays.get("episodes", np.arange(size)) for arrays, size in zip(all_arrays, sequences)]
    masks = None
    if any("masks" in arrays for arrays in all_arrays):
        plain = [np.where(arrays["trained"], arrays["tokens"], np.int32(UNTRAINED)) for arrays in all_arrays]
        masks = np.concatenate([arrays.get("masks", labels) for arrays, labels in zip(all_arrays, plain)])
    return Batch(
        number=number, step=step, attempt=attempt,
        groups=[texts for _, texts in files],
        group=np.repeat(np.arange(len(files), dtype=np.int32), sequences),
        lengths=join("lengths", np.int32, sequences),
        scores=join("scores", np.float64, sequences),
        episodes=np.concatenate([*episodes, np.empty(0)]).astype(np.int32),
        tokens=join("tokens", np.int32, totals),
        trained=join("trained", np.bool_, totals),
        versions=join("versions", np.int32, totals, -1),
        logprobs=join("inference_logprobs", np.float32, totals, nan),
        ref_logprobs=join("ref_logprobs", np.float32, totals, nan),
        advantages=join("advantages", np.float32, totals, nan),
        odd_masks=masks,
    )  # fmt: skip
