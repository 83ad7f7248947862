package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// today is a time that the clock may tell.
func today() time.Time { return written().Add(time.Hour) }

// syncs is a disk's times, all the same.
func syncs(d time.Duration) []time.Duration { return []time.Duration{d, d, d} }

func TestJudgements(t *testing.T) {
	t.Parallel()
	const ms, us = time.Millisecond, time.Microsecond
	for _, c := range []struct {
		why   string
		got   Finding
		level Level
		says  string // in what was found, or in the remedy
	}{
		{"a processor of today", judgeKernels("AVX-512", "amd64"), OK, "AVX-512"},
		{"an old or virtual processor", judgeKernels("portable", "amd64"), Warn, "-cpu host"},
		{"a build without assembly", judgeKernels("portable", "arm64"), Warn, "purego"},
		{"a processor without kernels", judgeKernels("portable", "386"), Warn, "386"},

		{"all processors", judgeProcessors(8, 8), OK, "8"},
		{"a container's share", judgeProcessors(2, 8), OK, "2 of 8"},
		{"one of many", judgeProcessors(1, 8), Warn, "give it two"},
		{"more threads than processors", judgeProcessors(8, 2), Warn, "GOMAXPROCS"},
		{"enough memory", judgeMemory(8 << 30), OK, "8.0 GiB"},
		{"a small container", judgeMemory(256 << 20), Warn, "256 MiB"},

		{"many files", judgeFiles(1 << 20), OK, "1048576"},
		{"just enough files", judgeFiles(10240), OK, "10240"},
		{"a default of long ago", judgeFiles(1024), Warn, "room for 768"},
		{"too few for the store", judgeFiles(100), Fail, "ulimit -n"},
		{"no limit is known", judgeFiles(0), OK, "no limit"},

		{"a good clock", judgeClock(ticking{0, 50, today(), true, true}), OK, "50ns"},
		{"a clock that jumped ahead", judgeClock(ticking{time.Hour, 50, today(), true, true}), Warn, "jumped by 1h0m0s"},
		{"a clock that jumped back", judgeClock(ticking{-time.Hour, 50, today(), true, true}), Warn, "jumped by -1h0m0s"},
		{"a coarse clock", judgeClock(ticking{0, 55 * ms, today(), true, true}), Warn, "coarse"},
		{"a battery is empty", judgeClock(ticking{0, 50, time.Unix(0, 0), true, true}), Fail, "1970"},
		{"nothing sets the clock", judgeClock(ticking{0, 50, today(), false, true}), Warn, "chrony"},
		{"the system does not tell", judgeClock(ticking{0, 50, today(), false, false}), OK, "steps"},

		{"a disk", judgeFolder(volume{dir: "d", kind: "ext4", locks: true}), OK, "ext4"},
		{"an unknown disk", judgeFolder(volume{dir: "d", locks: true}), OK, "d can be written"},
		{"a file system in memory", judgeFolder(volume{dir: "d", kind: "tmpfs", locks: true}), Warn, "loses everything"},
		{"a file system on the network", judgeFolder(volume{dir: "d", kind: "nfs", locks: true}), Warn, "export it sync"},
		{"a layer of a container", judgeFolder(volume{dir: "d", kind: "overlay", locks: true}), Warn, "mount a volume"},
		{"a bridge to another system", judgeFolder(volume{dir: "d", kind: "9p", locks: true}), Warn, "bridge"},
		{"locks that do not hold", judgeFolder(volume{dir: "d", kind: "nfs"}), Warn, "second process"},
		{"room", judgeSpace(volume{free: 10 << 30, total: 20 << 30, measured: true}), OK, "10.0 GiB of 20.0 GiB"},
		{"a full disk", judgeSpace(volume{free: 10 << 20, total: 20 << 30, measured: true}), Warn, "507"},
		{"a system that does not tell", judgeSpace(volume{}), OK, "not known"},
		{"an SSD", judgeSync(volume{syncs: []time.Duration{300 * us, 400 * us, 9 * ms}, kind: "ext4"}), OK, "400µs for 4 KiB, at most 9ms in 3"},
		{"a disk that turns", judgeSync(volume{syncs: syncs(30 * ms), kind: "ext4"}), Warn, "acknowledgement waits"},
		{"a disk that does not sync", judgeSync(volume{syncs: syncs(2 * us), kind: "ext4"}), Warn, "eatmydata"},
		{"memory is fast by nature", judgeSync(volume{syncs: syncs(2 * us), kind: "tmpfs"}), OK, "2µs"},

		{"a server with tokens", judgeServer(&engines.Report{Server: "vllm", Model: "m", Can: policy.Abilities{TokensOut: true, LogProbs: true}}, ms), OK, "vllm"},
		{"a server without log-probabilities", judgeServer(&engines.Report{Server: "openai"}, ms), Warn, "trainer"},
		{"a server without tokens", judgeServer(&engines.Report{Can: policy.Abilities{LogProbs: true}}, ms), Warn, "tokenizes"},
		{"a server that cannot all it should", judgeServer(&engines.Report{Can: policy.Abilities{TokensOut: true, LogProbs: true}, Notes: []string{"tokens: none"}}, ms), Warn, "tokens: none"},
		{"a server that samples nothing", judgeServer(&engines.Report{Fault: errors.New("no"), Notes: []string{"chat completions: no"}}, ms), Fail, "chat completions: no"},

		{"NATS that syncs", judgeNATS(nats.Report{Version: "2.12.0", SyncsAlways: true, Tells: true}), OK, "2.12.0"},
		{"the next NATS", judgeNATS(nats.Report{Version: "3.0.1-beta", SyncsAlways: true, Tells: true}), OK, "3.0.1"},
		{"NATS that does not sync", judgeNATS(nats.Report{Version: "2.14.3", Tells: true}), Warn, "sync_interval"},
		{"NATS that does not tell", judgeNATS(nats.Report{Version: "2.14.3"}), Warn, "does not tell"},
		{"an old NATS", judgeNATS(nats.Report{Version: "2.9.20", SyncsAlways: true, Tells: true}), Fail, "2.12"},
		{"NATS without a version", judgeNATS(nats.Report{SyncsAlways: true, Tells: true}), Fail, "2.12"},
	} {
		if c.got.Level != c.level || !strings.Contains(c.got.Found+c.got.Remedy, c.says) {
			t.Errorf("%s: %+v, want %s and %q", c.why, c.got, c.level, c.says)
		}
		if (c.got.Level == OK) != (c.got.Remedy == "") {
			t.Errorf("%s: level %s with the remedy %q", c.why, c.got.Level, c.got.Remedy)
		}
	}
}

// A jump is told from the noise of a busy machine.
func TestJumped(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, c := range []struct {
		why   string
		apart []time.Duration
		want  time.Duration
	}{
		{"nothing was measured", nil, 0},
		{"the clocks agree", []time.Duration{0, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
		{"the process had to wait twice", []time.Duration{0, 90 * ms, 0, 0, 0, 0, -40 * ms, 0, 0}, 0},
		{"the clock was set ahead", []time.Duration{0, 0, 0, 0, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour}, time.Hour},
		{"the clock was set back", []time.Duration{0, 0, 0, 0, 0, -time.Hour, -time.Hour, -time.Hour, -time.Hour}, -time.Hour},
	} {
		if got := jumped(c.apart); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// find returns the finding of a check.
func find(t *testing.T, found []Finding, check string) Finding {
	t.Helper()
	for _, f := range found {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("%s was not checked: %v", check, found)
	return Finding{}
}

// A data folder that is not there yet is tried where it would be, and nothing is left.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	found := Examine(t.Context(), Settings{Data: filepath.Join(above, "a", "b")})
	for _, check := range []string{"kernels", "processors", "memory", "clock", "disk space", "disk sync", "open files", "sandbox"} {
		if f := find(t, found, check); f.Level == Fail || f.Found == "" {
			t.Errorf("%+v", f)
		}
	}
	if f := find(t, found, "data folder"); f.Level == Fail || !strings.HasPrefix(f.Found, above+" can be written") {
		t.Errorf("%+v, want %s", f, above)
	}
	if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := dead.Addr().String()
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why   string
		of    Settings
		check string
		says  string
	}{
		{"the data folder is a file", Settings{Data: file}, "data folder", "is a file, want a folder"},
		{"the data folder is below a file", Settings{Data: filepath.Join(file, "data")}, "data folder", "file"},
		{"no inference server is there", Settings{URLs: []string{"http://" + nobody}}, "server", "refused"},
		{"the file of its key is missing", Settings{URLs: []string{"http://" + nobody}, KeyFile: file + "s"}, "server", "policy.key_file"},
		{"no NATS server is there", Settings{NATS: "nats://" + nobody}, "NATS", "-js"},
		{"another program listens", Settings{Ports: []string{taken.Addr().String()}}, "port", "in use"},
		{"the port is none", Settings{Ports: []string{"99999"}}, "port", "99999"},
		{"the chosen sandbox is none", Settings{Sandbox: backend.Settings{Where: "http://" + nobody}, Needed: true}, "sandbox", "docs/sandbox.md"},
	} {
		if c.of.Data == "" {
			c.of.Data = t.TempDir()
		}
		found := Examine(t.Context(), c.of)
		f := find(t, found, c.check)
		if f.Level != Fail || !strings.Contains(f.Found+f.Remedy, c.says) || f.Remedy == "" || Failed(found) != 1 {
			t.Errorf("%s: %+v, want a failure that says %q, and no other", c.why, f, c.says)
		}
	}
}

// A sandbox that nobody has asked for is no failure, since most tasks run no program.
func TestSandboxThatNobodyChose(t *testing.T) {
	t.Parallel()
	if f := sandbox(t.Context(), backend.Settings{Where: "http://127.0.0.1:1"}, false); f.Level != Warn {
		t.Errorf("%+v, want a warning", f)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	good, weak, bad := ok("kernels", "AVX2"), ok("memory", "1 MiB").as(Warn, "buy some"), ok("port", "taken").as(Fail, "take another")
	for _, c := range []struct {
		why  string
		of   []Finding
		want string
	}{
		{"all is well", []Finding{good}, "ok  kernels  AVX2\nEverything works.\n"},
		{"a warning", []Finding{weak}, "warn  memory  1 MiB\n              → buy some\nEverything works; see the warnings.\n"},
		{"a server that writes to the terminal", []Finding{ok("server", "a\x1b[2J\nb\tc")}, "ok  server  a [2J b c\nEverything works.\n"},
		{"a failure", []Finding{good, weak, bad}, "ok    kernels  AVX2\nwarn  memory   1 MiB\n               → buy some\nFAIL  port     taken\n               → take another\n1 of 3 checks failed.\n"},
	} {
		var text, data bytes.Buffer
		if err := Write(&text, c.of); err != nil || text.String() != c.want {
			t.Errorf("%s: error %v\n%swant\n%s", c.why, err, text.String(), c.want)
		}
		var got struct {
			Failed int
			Checks []Finding
		}
		err := WriteJSON(&data, c.of)
		if err = errors.Join(err, json.Unmarshal(data.Bytes(), &got)); err != nil || got.Failed != Failed(c.of) || len(got.Checks) != len(c.of) || got.Checks[0] != c.of[0] {
			t.Errorf("%s: %+v, error %v", c.why, got, err)
		}
	}
}
