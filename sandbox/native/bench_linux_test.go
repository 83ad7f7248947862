//go:build amd64 || arm64

package native

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// BenchmarkPython starts Python plainly and in the sandbox, in turn, and reports the medians.
func BenchmarkPython(b *testing.B) {
	box, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	argv := []string{"/usr/bin/python3", "-I", "-S", "-c", "pass"}
	boxed := func(processes int) func() error {
		return func() error {
			_, err := box.Run(b.Context(), sandbox.Job{Argv: argv, Limits: sandbox.Limits{Processes: processes}})
			return err
		}
	}
	names := []string{"plain-ms", "one-process-ms", "several-ms"}
	starts := []func() error{
		func() error { return exec.CommandContext(b.Context(), argv[0], argv[1:]...).Run() }, boxed(1), boxed(4),
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
