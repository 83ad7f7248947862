package tasktest

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// quickLimit is for making, for solving and for scoring one problem. It is many
// times what any task needs, and what is measured stands in the benchmarks, so that
// a busy machine fails no test.
const quickLimit = 100 * time.Millisecond

// hostile: the cost of a verdict is bounded, whatever the text.
func hostile(t testing.TB, task quintain.Task) {
	p := problem(t, task, quintain.Draw{Seed: 1, Level: len(task.Info().Levels) - 1})
	right := solve(t, task, p)
	const n = 100_000
	for _, answer := range []string{
		strings.Repeat("9", n), strings.Repeat("(", n), strings.Repeat("[", n), strings.Repeat("{\"a\":", n/5),
		strings.Repeat("-", n), strings.Repeat("1,", n/2), strings.Repeat("a ", n/2), strings.Repeat("\n", n),
		strings.Repeat("٣", n/2), strings.Repeat("\x00", n), strings.Repeat("𝟙", n/4), strings.Repeat(right+" ", n/(len(right)+1)),
		"9**9**9**9", "1e999999999", "1e-999999999", "(" + strings.Repeat("9+", n/2) + "9)", strings.Repeat("2**", n/3) + "2", "9" + strings.Repeat("!", n),
	} {
		v := grade(t, task, p, answer)
		if spent := fastest(func() { grade(t, task, p, answer) }); spent > quickLimit {
			t.Errorf("%.20q… of %d bytes takes %v", answer, len(answer), spent)
		}
		if v.Score >= 1 {
			t.Errorf("%.20q… of %d bytes gets %v", answer, len(answer), v.Score)
		}
	}
}

// quick: making, solving and grading take at most quickLimit each. What a busy
// machine delays is tried again: the limit is many times what any task needs, so
// that only one whose cost explodes is over it each time.
func quick(t testing.TB, task quintain.Task) {
	each(t, task, func(p quintain.Problem) {
		answer := solve(t, task, p)
		for _, work := range []struct {
			name string
			do   func()
		}{
			{"making", func() { problem(t, task, quintain.Draw{Seed: p.Seed, Level: p.Level, Index: p.Index}) }},
			{"solving", func() { solve(t, task, p) }},
			{"grading", func() { grade(t, task, p, answer) }},
		} {
			if spent := fastest(work.do); spent > quickLimit {
				t.Errorf("%s: %s takes %v", p.ID(), work.name, spent)
			}
		}
	})
}

// fastest returns how long work takes: once, or the least of five times where the
// first was over quickLimit.
func fastest(work func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 5 {
		start := time.Now()
		work()
		if best = min(best, time.Since(start)); best <= quickLimit {
			break
		}
	}
	return best
}

// Bench measures making, and making and grading, of every task with the settings
// that With has where it is told nothing.
func Bench(b *testing.B, tasks []quintain.Task) {
	for _, task := range tasks {
		own, err := task.With(json.RawMessage(`{}`))
		if err != nil {
			b.Fatal(err)
		}
		name := task.Info().Name
		b.Run("make/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				problem(b, own, quintain.Draw{Seed: 1, Index: i})
			}
		})
		b.Run("p99/"+name, func(b *testing.B) { slowest(b, task) })
		b.Run("solve/"+name, func(b *testing.B) {
			b.ReportAllocs()
			p := problem(b, own, quintain.Draw{Seed: 1})
			for b.Loop() {
				solve(b, own, p)
			}
		})
		b.Run("score/"+name, func(b *testing.B) {
			b.ReportAllocs()
			const n = 256
			var ps [n]quintain.Problem
			var right [n]string
			for i := range ps {
				ps[i] = problem(b, own, quintain.Draw{Seed: 1, Index: i})
				right[i] = solve(b, own, ps[i])
			}
			for i := 0; b.Loop(); i++ {
				grade(b, own, ps[i%n], right[(i+i&1)%n]) // right and another problem's in turn
			}
		})
		b.Run("read/"+name, func(b *testing.B) { // score a problem that came as JSON
			b.ReportAllocs()
			p := problem(b, own, quintain.Draw{Seed: 1})
			right := solve(b, own, p)
			p.Instance = quintain.RawRecord([]byte(p.Instance.String()))
			for b.Loop() {
				grade(b, own, p, right)
			}
		})
	}
}

// slowest reports how long all but one in a hundred problems take at most to make,
// at the level that takes longest.
func slowest(b *testing.B, task quintain.Task) {
	const n = 1000
	worst := time.Duration(0)
	for b.Loop() {
		for level := range task.Info().Levels {
			spent := make([]time.Duration, n)
			for i := range spent {
				start := time.Now()
				problem(b, task, quintain.Draw{Seed: 3, Level: level, Index: i})
				spent[i] = time.Since(start)
			}
			slices.Sort(spent)
			worst = max(worst, spent[n*99/100])
		}
	}
	b.ReportMetric(float64(worst.Microseconds()), "µs-p99")
	b.ReportMetric(0, "ns/op")
}
