//go:build amd64 || arm64

package native

import (
	"os/exec"
	"slices"
	"sync"
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

// BenchmarkZygote runs jobs four at a time, and reports how many a second.
func BenchmarkZygote(b *testing.B) {
	box := benchBox(b, benched)
	job := sandbox.Job{
		Argv: slices.Concat(benched, []string{"prog.py"}), Stdin: []byte("3 4\n"),
		Files: map[string][]byte{"prog.py": []byte("import sys, math, collections\nprint(sum(map(int, sys.stdin.read().split())))\n")},
	}
	began := time.Now()
	b.ResetTimer()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range b.N / 4 {
				if got, err := box.Run(b.Context(), job); err != nil || string(got.Stdout) != "7\n" {
					b.Errorf("%+v, error %v", got, err)
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N/4*4)/time.Since(began).Seconds(), "jobs/s")
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
