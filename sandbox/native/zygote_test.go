package native

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// What a fork of a zygote would not run as a fresh interpreter does is left to a fresh one.
func TestWarm(t *testing.T) {
	files := map[string][]byte{
		"a.py": []byte("print(1)"), "b": []byte("print(1)"), "sub/c.py": nil, "-x.py": nil, "zip.py": []byte("PK\x05\x06" + strings.Repeat("\x00", 18)),
	}
	for _, c := range []struct {
		argv      string
		processes int
		seed      uint64
		isolated  bool // what is warm with -I
		seeded    bool // with -s -P in its place
	}{
		{argv: "python3 FLAGS a.py", isolated: true, seeded: true},
		{argv: "python3 FLAGS a.py x -y", isolated: true, seeded: true},
		{argv: "python3 FLAGS sub/c.py", isolated: true, seeded: true},
		{argv: "python3 FLAGS -c pass x", isolated: true, seeded: true},
		{argv: "python3 FLAGS a.py", processes: 1, isolated: true, seeded: true},
		{argv: "python3 FLAGS a.py", seed: 7, isolated: true},
		{argv: "python3 FLAGS a.py", processes: 2},
		{argv: "python3 FLAGS ./a.py"},
		{argv: "python3 FLAGS none.py"},
		{argv: "python3 FLAGS b"},
		{argv: "python3 FLAGS zip.py"},
		{argv: "python3 FLAGS -x.py"},
		{argv: "python3 FLAGS -u a.py"},
		{argv: "python3 FLAGS -m json"},
		{argv: "python3 FLAGS -c"},
		{argv: "python3 FLAGS -c \xff"},
		{argv: "python3 FLAGS -"},
		{argv: "python3 FLAGS"},
		{argv: "python3 a.py"},
		{argv: "/usr/bin/python3 FLAGS a.py"},
		{argv: ""},
	} {
		for flags, want := range map[string]bool{"-I": c.isolated, "-s -P": c.seeded} {
			b := &Box{config: Config{Zygote: strings.Fields("python3 " + flags)}}
			job := sandbox.Job{
				Files: files, Argv: strings.Fields(strings.ReplaceAll(c.argv, "FLAGS", flags)),
				Limits: sandbox.Limits{Processes: c.processes}, Seed: c.seed,
			}
			if got := b.warm(job); got != want {
				t.Errorf("%q, %d processes, seed %d: %v", job.Argv, c.processes, c.seed, got)
			}
		}
	}
	for _, limits := range []sandbox.Limits{{Memory: 20 << 20}, {Open: 3}} {
		b := &Box{config: Config{Zygote: []string{"python3", "-I"}}}
		if b.warm(sandbox.Job{Argv: []string{"python3", "-I", "-c", "pass"}, Limits: limits}) {
			t.Errorf("warm within %+v", limits)
		}
	}
	if (&Box{}).warm(sandbox.Job{Argv: []string{"-c", "pass"}}) {
		t.Error("a box without zygote is warm")
	}
}

// No report breaks its reader, and one that is read makes sense.
func FuzzReport(f *testing.F) {
	f.Add([]byte("f\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("x\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("e"))
	f.Fuzz(func(t *testing.T, packet []byte) {
		r, err := parseReport(packet)
		if err == nil && (r.cpu < 0 || r.kind != reportUnforked && r.pid <= 0 || r.kind != packet[0]) {
			t.Errorf("%+v", r)
		}
	})
}
