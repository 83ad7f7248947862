//go:build amd64 || arm64

package native

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// BenchmarkPython starts Python plainly, in the sandbox, and from a zygote, in turn, and reports the
// medians.
func BenchmarkPython(b *testing.B) {
	box, warm, argv := benchBox(b, nil), benchBox(b, benched), slices.Concat(benched, []string{"-c", "pass"})
	boxed := func(box *Box, processes int) func() error {
		return func() error {
			_, err := box.Run(b.Context(), sandbox.Job{Argv: argv, Limits: sandbox.Limits{Processes: processes}})
			return err
		}
	}
	names := []string{"plain-ms", "one-process-ms", "several-ms", "zygote-ms"}
	starts := []func() error{
		func() error { return exec.CommandContext(b.Context(), argv[0], argv[1:]...).Run() },
		boxed(box, 1), boxed(box, 4), boxed(warm, 1),
	}
	took := make([][]time.Duration, len(starts))
	for b.Loop() {
		for i, start := range starts {
			began := time.Now()
			if err := start(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2].Seconds()*1000, names[i])
	}
}

// BenchmarkZygote runs jobs four at a time, and reports how many a second, and the time on the
// processor that each takes: its own, the zygote's and ours.
func BenchmarkZygote(b *testing.B) {
	box := benchBox(b, benched)
	job := sandbox.Job{
		Argv: slices.Concat(benched, []string{"prog.py"}), Stdin: []byte("3 4\n"),
		Files: map[string][]byte{"prog.py": []byte("import sys, math, collections\nprint(sum(map(int, sys.stdin.read().split())))\n")},
	}
	began, before := time.Now(), spentBeside(b, box)
	b.ResetTimer()
	var all sync.WaitGroup
	var cpu atomic.Int64
	for range 4 {
		all.Go(func() {
			for range b.N / 4 {
				got, err := box.Run(b.Context(), job)
				if err != nil || string(got.Stdout) != "7\n" {
					b.Errorf("%+v, error %v", got, err)
				}
				cpu.Add(int64(got.CPU))
			}
		})
	}
	all.Wait()
	n := float64(b.N / 4 * 4)
	b.ReportMetric(n/time.Since(began).Seconds(), "jobs/s")
	b.ReportMetric((time.Duration(cpu.Load())+spentBeside(b, box)-before).Seconds()*1000/n, "cpu-ms/job")
}

// spentBeside is the time on the processor of a box's first zygote and of ourselves.
func spentBeside(b *testing.B, box *Box) time.Duration {
	b.Helper()
	f, pid, err := box.fork()
	if err != nil {
		b.Fatal(err)
	}
	defer f.close()
	one, _ := readProcess(pid)
	return spent(one.Parent) + spent(os.Getpid())
}

// BenchmarkSessions opens sessions that stay, and reports the median of their first cells and how much
// memory each has when all are idle.
func BenchmarkSessions(b *testing.B) {
	box := benchBox(b, benched)
	var took []time.Duration
	var bytes int64
	sessions := make([]sandbox.Session, b.N)
	for i := range sessions {
		var err error
		if sessions[i], err = box.Open(b.Context(), sandbox.Spec{}); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		if got, err := sessions[i].Run(b.Context(), "import math\nx = [i * i for i in range(1000)]\nsum(x)", sandbox.Limits{}); err != nil || string(got.Stdout) != "332833500\n" {
			b.Fatalf("%+v, error %v", got, err)
		}
		took = append(took, time.Since(began))
	}
	for _, s := range sessions {
		bytes += share(b, s.(*session).pid)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "cell-ms")
	b.ReportMetric(float64(bytes)/float64(b.N)/(1<<20), "MiB/session")
	for _, s := range sessions {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}
}

// share is the memory of a process, of shared pages its share.
func share(b *testing.B, pid int) (bytes int64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "Pss: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	b.Fatalf("no share in %q", text)
	return 0
}

// benched is the interpreter of the benchmarks.
var benched = []string{"/usr/bin/python3", "-I", "-S"}

// benchBox opens a box that the benchmark closes.
func benchBox(b *testing.B, zygote []string) *Box {
	b.Helper()
	box, err := New(Config{Zygote: zygote})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := box.Close(); err != nil {
			b.Error(err)
		}
	})
	return box
}
