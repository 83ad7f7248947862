package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// The benchmarks compare every task at every level with the unavoidable work: making its
// problems, or grading problems that came as JSON, in a loop on the same cores. They report
// the least and the median share of that rate over all levels, and the lines per second of
// the slowest and the fastest level. With -v they print a line for each level.
//
//	go test ./tasks/catalog -run '^$' -bench 'Export|Grade' -benchtime 1x -timeout 30m

// BenchmarkExport writes problems to a pipe.
func BenchmarkExport(b *testing.B) {
	eachFormat(b, func(b *testing.B, f pipe.Format, t quintain.Task, level int) (limit, reached work) {
		d := quintain.Draw{Seed: 1, Level: level}
		limit = onAllCores(func() func(n int) error {
			return func(n int) error {
				d := d
				d.Index = n
				_, err := t.Problem(d)
				return err
			}
		})
		reached = func(n int) error {
			return throughPipe(func(out io.Writer) error {
				_, err := pipe.Export{Task: t, First: d, Count: n, Format: f}.Write(b.Context(), out)
				return err
			})
		}
		return limit, reached
	})
}

// BenchmarkGrade grades right answers from memory, and writes to a pipe.
func BenchmarkGrade(b *testing.B) {
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		b.Fatal(err)
	}
	eachFormat(b, func(b *testing.B, f pipe.Format, t quintain.Task, level int) (limit, reached work) {
		lines, problems, answers := questions(b, f, t, level)
		limit = onAllCores(func() func(n int) error {
			return func(n int) error {
				_, err := t.Grade(problems[n%len(problems)], answers[n%len(answers)])
				return err
			}
		})
		reached = func(n int) error {
			var in []io.Reader
			for rest := n; rest > 0; rest -= len(lines) {
				in = append(in, bytes.NewReader(bytes.Join(lines[:min(rest, len(lines))], nil)))
			}
			return throughPipe(func(out io.Writer) error {
				return pipe.Grader{Tasks: tasks, Format: f}.Grade(b.Context(), io.MultiReader(in...), out)
			})
		}
		return limit, reached
	})
}

// A work does something n times.
type work func(n int) error

// eachFormat compares two works on every task at every level, in every format.
func eachFormat(b *testing.B, works func(b *testing.B, f pipe.Format, t quintain.Task, level int) (limit, reached work)) {
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range pipe.Formats {
		b.Run(f.Name, func(b *testing.B) {
			var shares, rates []float64
			for b.Loop() {
				for _, t := range tasks.All() {
					for level := range t.Info().Levels {
						limit, reached := works(b, f, t, level)
						most, got := compare(b, limit, reached)
						shares, rates = append(shares, got/most), append(rates, got)
						if testing.Verbose() {
							fmt.Printf("%s %s level %d: %.0f of %.0f a second, %.2f\n", b.Name(), t.Info().Name, level, got, most, got/most)
						}
					}
				}
			}
			slices.Sort(shares)
			slices.Sort(rates)
			b.ReportMetric(shares[len(shares)/2], "share-median")
			b.ReportMetric(shares[0], "share-least")
			b.ReportMetric(rates[len(rates)-1], "lines/s-fastest")
			b.ReportMetric(rates[len(rates)/2], "lines/s-median")
			b.ReportMetric(rates[0], "lines/s-slowest")
		})
	}
}

// compare returns the best rates of two works per second. They take turns.
func compare(b *testing.B, limit, reached work) (most, got float64) {
	const rounds, long = 3, 100 * time.Millisecond
	n := 64
	for {
		began := time.Now()
		if err := limit(n); err != nil {
			b.Fatal(err)
		}
		if spent := time.Since(began); spent > long/4 {
			n = max(n/8, int(float64(n)*float64(long)/float64(spent)))
			break
		}
		n *= 4
	}
	rate := func(w work) float64 {
		runtime.GC()
		began := time.Now()
		if err := w(n); err != nil {
			b.Fatal(err)
		}
		return float64(n) / time.Since(began).Seconds()
	}
	for range rounds {
		most = max(most, rate(limit))
		got = max(got, rate(reached))
	}
	return most, got
}

// onAllCores returns the work of doing n things in a loop on each core.
func onAllCores(worker func() func(n int) error) work {
	return func(n int) error {
		cores := runtime.GOMAXPROCS(0)
		errs := make([]error, cores)
		var wg sync.WaitGroup
		for core := range cores {
			wg.Go(func() {
				do := worker()
				for i := core * n / cores; i < (core+1)*n/cores && errs[core] == nil; i++ {
					errs[core] = do(i)
				}
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// throughPipe calls write with a pipe of the operating system, and reads from it.
func throughPipe(write func(out io.Writer) error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		part := make([]byte, 128<<10)
		for err := error(nil); err == nil; {
			_, err = r.Read(part)
		}
		r.Close()
	})
	err = write(w)
	w.Close()
	wg.Wait()
	return err
}

// questions returns problems of a level as lines to grade, and as problems from JSON with
// their answers.
func questions(b *testing.B, f pipe.Format, t quintain.Task, level int) (lines [][]byte, problems []quintain.Problem, answers []string) {
	const n = 500
	var exported bytes.Buffer
	if _, err := (pipe.Export{Task: t, First: quintain.Draw{Seed: 1, Level: level}, Count: n, Format: f}).Write(context.Background(), &exported); err != nil {
		b.Fatal(err)
	}
	name := map[string]string{"quintain": "problem", "reasoning-gym": "entry"}[f.Name]
	for i, line := range bytes.Split(bytes.TrimSpace(exported.Bytes()), []byte("\n")) {
		p, err := t.Problem(quintain.Draw{Seed: 1, Level: level, Index: i})
		if err != nil {
			b.Fatal(err)
		}
		answer, err := t.Solve(p)
		if err != nil {
			b.Fatal(err)
		}
		p.Instance = quintain.RawRecord([]byte(p.Instance.String()))
		problems, answers = append(problems, p), append(answers, answer)
		quoted, err := json.Marshal(answer)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, fmt.Appendf(nil, "{%q:%s,\"answer\":%s}\n", name, line, quoted))
	}
	return lines, problems, answers
}
