"""Batches of a hub, even one that dies and restarts."""

import collections
import multiprocessing
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import numpy as np

import quintain
from quintain import arrays, program

NAN = float("nan")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def group(name, sequences=2):
    return {
        "id": name, "tokens": [[1, 2, 3 + i] + [7] * i for i in range(sequences)], "masks": [[-100, 2, 3 + i] + [7] * i for i in range(sequences)],
        "scores": [i / 2 for i in range(sequences)],
    }  # fmt: skip


def work(url, trainer, steps):
    """Take a number of batches, and return the names of their groups."""
    return [g["id"] for batch in quintain.Hub(url, trainer=trainer).batches(steps, timeout=60) for g in batch.groups]


class WithHub(unittest.TestCase):
    """Each test has a hub of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.port = folder.name, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()
        self.addCleanup(lambda: self.kill())
        self.hub = quintain.Hub(self.url, trainer="a")

    def start(self):
        self.process = program.start("hub", f"--port={self.port}", f"--data={self.folder}/data", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Hubs(WithHub):
    def test_a_batch_has_every_number(self):
        self.hub.register(batch_size=3)
        full = group("full") | {
            "tokens": np.array([[1, 2, 3], [4, 5, 6]], np.int64), "masks": np.array([[-100, 2, 3], [-100, -100, 6]]), "advantages": [[0.5], [-1.0, -2.0, -3.0]],
            "inference_logprobs": [[1.0, -0.25, -0.1], []], "ref_logprobs": np.array([[0, -1, -2], [0, -3, -4]], np.float32),
            "messages": [[{"role": "user", "content": "2 < 3 é"}], []], "group_overrides": {"x": 1},
        }  # fmt: skip
        self.assertEqual(self.hub.post([full, group("bare", 1)]), ["full", "bare"])
        batch = self.hub.batch()
        self.assertEqual((len(batch), batch.number, batch.step, batch.attempt), (3, 1, 1, 1))
        for name, want in {
            "group": [0, 0, 1], "lengths": [3, 3, 3], "scores": [0, 0.5, 0], "episodes": [0, 1, 0],
            "tokens": [1, 2, 3, 4, 5, 6, 1, 2, 3], "masks": [-100, 2, 3, -100, -100, 6, -100, 2, 3], "versions": [-1] * 9,
            "trained": [False, True, True, False, False, True, False, True, True],
            "logprobs": [1, -0.25, np.float32(-0.1)] + [NAN] * 6, "ref_logprobs": [0, -1, -2, 0, -3, -4] + [NAN] * 3, "advantages": [0.5] * 3 + [-1, -2, -3] + [NAN] * 3,
        }.items():  # fmt: skip
            np.testing.assert_array_equal(getattr(batch, name), np.array(want), name)
        self.assertEqual([g["id"] for g in batch.groups], ["full", "bare"])
        self.assertEqual((batch.groups[0]["messages"], batch.groups[0]["group_overrides"]), (full["messages"], {"x": 1}))
        with self.assertRaises(quintain.HubError) as caught:
            quintain.Hub(self.url, trainer="b").acknowledge(batch)
        self.assertEqual(caught.exception.status, 409)
        self.hub.acknowledge(batch)
        self.hub.acknowledge(batch)  # a second time is no fault
        self.assertIsNone(self.hub.batch(wait=0))

    def test_masks_may_be_labels_of_their_own(self):
        self.hub.register(batch_size=2)
        self.hub.post([group("odd", 1) | {"masks": [[-100, 9, 3]]}, group("plain", 1)])
        batch = self.hub.batch()
        self.assertEqual(batch.masks.tolist(), [-100, 9, 3, -100, 2, 3])
        self.assertEqual(batch.trained.tolist(), [False, True, True] * 2)

    def test_batches_share_no_memory(self):
        self.hub.register(batch_size=2)
        self.hub.post([group("a", 1) | {"inference_logprobs": [[-1, -2, -3]]}, group("b", 1), group("c", 2)])
        first, second = self.hub.batch(), self.hub.batch()
        before = first.tokens.copy()
        for batch in (first, second):
            for name in ("tokens", "trained", "logprobs", "scores"):
                values = getattr(batch, name)
                if values.flags.writeable:
                    values[:] = 1
        np.testing.assert_array_equal(first.lengths, [3, 3])
        np.testing.assert_array_equal(before, [1, 2, 3, 1, 2, 3])
        self.assertTrue(first.trained.all() and (first.tokens == 1).all() and (first.logprobs == 1).all())

    def test_rows_are_ragged_or_padded(self):
        self.hub.register(batch_size=3)
        self.hub.post([group("g", 3)])
        batch = self.hub.batch()
        self.assertEqual([row.tolist() for row in batch.rows(batch.tokens)], [[1, 2, 3], [1, 2, 4, 7], [1, 2, 5, 7, 7]])
        for why, args, want in [
            ("to the longest", (0, None), [[1, 2, 3, 0, 0], [1, 2, 4, 7, 0], [1, 2, 5, 7, 7]]),
            ("with another filling", (-1, None), [[1, 2, 3, -1, -1], [1, 2, 4, 7, -1], [1, 2, 5, 7, 7]]),
            ("further", (0, 6), [[1, 2, 3, 0, 0, 0], [1, 2, 4, 7, 0, 0], [1, 2, 5, 7, 7, 0]]),
            ("cut", (0, 4), [[1, 2, 3, 0], [1, 2, 4, 7], [1, 2, 5, 7]]),
        ]:
            self.assertEqual(batch.padded(batch.tokens, *args).tolist(), want, why)

    def test_what_a_loop_leaves_comes_again(self):
        self.hub.register(batch_size=2)
        self.hub.post([group(f"g{i}") for i in range(3)])
        for batch in self.hub.batches():
            first = batch
            break
        seen = []
        for batch in self.hub.batches(steps=3, timeout=10):
            seen += [g["id"] for g in batch.groups]
        self.assertEqual((first.groups[0]["id"], seen), ("g0", ["g0", "g1", "g2"]))
        with self.assertRaises(TimeoutError):
            next(self.hub.batches(timeout=0.1))

    def test_each_group_comes_once_though_the_hub_dies(self):
        self.hub.register(batch_size=4)
        names = [f"g{i}" for i in range(120)]
        trained = collections.Counter()

        def put():
            for name in names:
                self.hub.post([group(name)])

        putting = threading.Thread(target=put)
        putting.start()
        for at, batch in enumerate(self.hub.batches(steps=60, timeout=60)):
            trained.update(g["id"] for g in batch.groups)
            if at % 20 == 10:
                self.kill()
                threading.Timer(0.2, self.start).start()
        putting.join()
        self.assertEqual(trained, collections.Counter(names))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_forks_have_connections_of_their_own(self):
        self.hub.register(batch_size=2)
        self.hub.post([group(f"g{i}") for i in range(40)])
        with multiprocessing.get_context("fork").Pool(4) as pool:
            taken = pool.starmap(work, [(self.url, f"t{i}", 10) for i in range(4)])
        self.assertEqual(sorted(sum(taken, [])), sorted(f"g{i}" for i in range(40)))
        self.assertEqual(self.hub.stats()["run"], "default")
        child = os.fork()
        if child == 0:
            for _ in range(50):
                self.hub.stats()
            os._exit(0)
        for _ in range(50):
            self.assertEqual(self.hub.stats()["run"], "default")
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_what_a_trainer_had_that_died_comes_again(self):
        self.hub.register(batch_size=2)
        self.hub.post([group(f"g{i}") for i in range(3)])
        script = (
            f"import os, quintain; hub = quintain.Hub({self.url!r}, trainer='a'); loop = hub.batches()\n"
            "print([g['id'] for g in next(loop).groups], [g['id'] for g in next(loop).groups], flush=True); os.kill(os.getpid(), 9)"
        )
        if sys.platform == "win32":
            script = script.replace("os.kill(os.getpid(), 9)", "os._exit(9)")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "['g0'] ['g1']\n", done.stderr)
        self.hub.register(batch_size=2)  # like a restarted trainer of the same name
        seen = [([g["id"] for g in batch.groups], batch.attempt > 1) for batch in self.hub.batches(steps=2, timeout=10)]
        self.assertEqual(seen, [(["g1"], True), (["g2"], False)])
        self.assertIsNone(self.hub.batch(wait=0))

    @unittest.skipUnless(hasattr(signal, "setitimer"), "there are no timers")
    def test_signals_lose_no_batch(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        self.hub.register(batch_size=2)
        self.hub.post([group(f"g{i}") for i in range(30)])
        trained, batch, interrupted = collections.Counter(), None, 0
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            for n in range(10_000):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.0003 * (n % 8 + 1))
                    batch = batch or self.hub.batch(wait=0)
                    if batch is None:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                        self.hub.register(batch_size=2)  # batches lost by an interrupted request come again
                        batch = self.hub.batch(wait=0)
                        if batch is None:
                            break
                    self.hub.acknowledge(batch)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    trained.update(g["id"] for g in batch.groups)
                    batch = None
                except KeyboardInterrupt:
                    interrupted += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(trained, collections.Counter(f"g{i}" for i in range(30)))
        self.assertGreater(interrupted, 0)

    def test_faults_are_exceptions(self):
        with self.assertRaises(quintain.HubError) as caught:
            self.hub.batch(wait=0)
        self.assertEqual(caught.exception.status, 409)  # nobody has registered
        with self.assertRaises(quintain.HubError) as caught:
            self.hub.post([{"tokens": [[1]], "masks": [[1, 2]], "scores": [0]}])
        self.assertEqual(caught.exception.status, 422)
        with self.assertRaisesRegex(quintain.HubError, "does not answer") as caught:
            quintain.Hub(f"http://127.0.0.1:{free_port()}", patience=0.3).stats()
        self.assertEqual(caught.exception.status, 0)
        with self.assertRaises(ValueError):
            quintain.Hub("127.0.0.1:8000")

    def test_waiting_is_told(self):
        with unittest.mock.patch.object(quintain.hub, "SILENCE", 0.1), self.assertLogs("quintain") as logs, self.assertRaises(quintain.HubError):
            quintain.Hub(f"http://127.0.0.1:{free_port()}", patience=1).stats()
        self.assertRegex(" ".join(logs.output), "does not answer.*it is asked again for")
        self.hub.register(batch_size=4)
        self.hub.post([group("alone")])
        with unittest.mock.patch.object(quintain.hub, "WAIT", 0.1), self.assertLogs("quintain") as logs, self.assertRaises(TimeoutError):
            next(self.hub.batches(timeout=0.3))
        self.assertIn("no batch yet: 1 groups with 2 sequences wait at the hub", logs.output[0])

    def test_versions_are_told_for_single_servers(self):
        for servers, want in ({"http://b:1/v1": 4}, {"http://b:1": 4}), (None, {"http://b:1": 4}), ({}, None):
            self.hub.tell_version(5, servers)
            stats = self.hub.stats()
            self.assertEqual((stats["version"], stats.get("servers")), (5, want))

    def test_what_is_not_trained_on_is_told(self):
        self.hub.register(batch_size=4)
        self.hub.post([group("a"), dict(group("b"), overrides=[{"set_advantage_to_zero": True}, {}])])
        batch = next(self.hub.batches(timeout=30))
        self.assertEqual(sorted(batch.masked.tolist()), [False, False, False, True])
        self.assertEqual(batch.groups[batch.group[batch.masked][0]]["overrides"][0], {"set_advantage_to_zero": True})
        self.assertEqual(arrays.parse(b"").masked.tolist(), [])

    def test_a_damaged_batch_is_an_exception(self):
        head = b'{"lengths":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}'
        file = struct.pack("<Q", len(head)) + head + struct.pack("<i", 1)
        for why, body in {
            "half a frame": b"\0" * 5, "half a group": struct.pack("<QI", 1, 99) + b"x", "no head": struct.pack("<QI", 1, 8) + b"\xff" * 8,
            "no tokens": struct.pack("<QI", 1, len(file)) + file, "values are missing": struct.pack("<QI", 1, len(file) - 2) + file[:-2],
        }.items():  # fmt: skip
            with self.subTest(why), self.assertRaisesRegex(quintain.Error, "damaged"):
                arrays.parse(body)
        self.assertEqual(len(arrays.parse(b"")), 0)


if __name__ == "__main__":
    unittest.main()
