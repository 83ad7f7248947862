package tasktest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// quickLimit limits the processor time to make, solve or score one problem. Any task needs
// far less, and benchmarks record how much, so a busy machine fails no test.
const quickLimit = 500 * time.Millisecond

// hostiles returns texts made to be expensive to read. One is built from the right answer.
func hostiles(right string) []string {
	const n = hostileText
	var list []string
	for _, s := range []string{
		"9", "0", "-", "1,", "1 ", "a ", "\n", "1\n", "٣", "\x00", "𝟙", "\u0301", "\xff", "\\", "\"", "'", "→", "¬", "*", "**", "+1", "1/", "1e", "0x",
		"(", "[", "{", "[[1],", "{\"a\":", "((1)+", "\\frac{", "sqrt(", "<answer>", "```\n", "a is a knight ", "x**", "-(", "[0, ", "0.", "a->b ", "1,234 ", "12:", "R'", "UP ", "#",
		right + " ", right + "\n", right + ",", right + ", ",
	} {
		list = append(list, strings.Repeat(s, n/len(s)))
	}
	return append(list,
		strings.Repeat("(", n/2)+"1"+strings.Repeat(")", n/2), strings.Repeat("[", n/2)+strings.Repeat("]", n/2),
		"("+strings.Repeat("9+", n/2)+"9)", strings.Repeat("2**", n/3)+"2", "9"+strings.Repeat("!", n), "0."+strings.Repeat("3", n), strings.Repeat("9", n)+"/"+strings.Repeat("7", n),
		strings.Repeat(" ", n)+right, right+strings.Repeat(" ", n), right+"\x00"+right,
		// a billion of something, in a few characters
		"9**9**9**9", "9^9^9^9", "1e999999999", "1e-999999999", "1E+1000000000j", "1000000000!", "2**1000000000", "1<<1000000000", "\"9\"*1000000000", "[0]*1000000000", "[[0]*1000000000]",
		"(1,)*10**9", "'a'.join(['b']*10**9)", "range(1000000000)", "a{1000000000}", "%1000000000d", "x^1000000000 + 1", "1000000000:00", "1000000000/1000000001", "0x"+strings.Repeat("f", n),
		"U1000000000", "1000000000 R", "(R U)1000000000", "A1000000000", "1_000_000_000", "\\rule{1000000000pt}{1000000000pt}", "&a [*a,*a]", "move 1000000000 from 1 to 2",
	)
}

// hostile: a verdict has bounded cost, whatever the text.
func hostile(t testing.TB, task quintain.Task) {
	p := problem(t, task, quintain.Draw{Seed: 1, Level: len(task.Info().Levels) - 1})
	for _, answer := range hostiles(solve(t, task, p)) {
		var v quintain.Verdict
		if spent := fastest(func() { v = grade(t, task, p, answer) }); spent > quickLimit {
			t.Errorf("%.20q… of %d bytes takes %v", answer, len(answer), spent)
		}
		if v.Score >= 1 && strings.TrimSpace(answer) != solve(t, task, p) {
			t.Errorf("%.20q… of %d bytes gets %v", answer, len(answer), v.Score)
		}
	}
}

// quick: making, solving and grading take at most quickLimit each. The limit is far above
// any task's needs, so only exploding costs exceed it every time.
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

// fastest returns the time of work: of one run, or the least of five if the first was over
// quickLimit.
func fastest(work func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 5 {
		if best = min(best, spend(work)); best <= quickLimit {
			break
		}
	}
	return best
}

// Bench measures making alone, and making and grading, for every task with the settings
// that With starts from.
func Bench(b *testing.B, tasks []quintain.Task) {
	for _, task := range tasks {
		own, err := task.With(json.RawMessage(`{}`))
		if err != nil {
			b.Fatal(err)
		}
		name := task.Info().Name
		b.Run("make/"+name, func(b *testing.B) {
			loop(b, func(i int) { problem(b, own, quintain.Draw{Seed: 1, Index: i}) })
		})
		b.Run("p99/"+name, func(b *testing.B) { slowest(b, task) })
		b.Run("hostile/"+name, func(b *testing.B) { worstHostile(b, task) })
		const n = 256
		var ps [n]quintain.Problem
		var right [n]string
		several := sync.OnceFunc(func() {
			for i := range ps {
				ps[i] = problem(b, own, quintain.Draw{Seed: 1, Index: i})
				right[i] = solve(b, own, ps[i])
			}
		})
		b.Run("solve/"+name, func(b *testing.B) {
			several()
			loop(b, func(i int) { solve(b, own, ps[i%n]) })
		})
		b.Run("score/"+name, func(b *testing.B) {
			several()
			loop(b, func(i int) { grade(b, own, ps[i%n], right[(i+i&1)%n]) }) // right and wrong in turn
		})
		b.Run("read/"+name, func(b *testing.B) { // a problem that came as JSON
			p := problem(b, own, quintain.Draw{Seed: 1})
			right := solve(b, own, p)
			p.Instance = quintain.RawRecord([]byte(p.Instance.String()))
			loop(b, func(int) { grade(b, own, p, right) })
		})
	}
}

// loop measures work, in processor time too, to exclude other programs. work gets the
// number of its earlier runs.
func loop(b *testing.B, work func(i int)) {
	b.ReportAllocs()
	begin := processTime()
	for i := 0; b.Loop(); i++ {
		work(i)
	}
	b.ReportMetric(float64(processTime()-begin)/float64(b.N), "cpu-ns/op")
}

// slowest reports, for each level, the mean and the 99th percentile of the processor time to
// make a problem. If that is long, it tries fewer problems.
func slowest(b *testing.B, task quintain.Task) {
	const n, longEnough = 1000, time.Second
	mean, p99 := make([]time.Duration, len(task.Info().Levels)), make([]time.Duration, len(task.Info().Levels))
	for b.Loop() {
		for level := range p99 {
			spent := make([]time.Duration, 0, n)
			for begin := time.Now(); len(spent) < n && (len(spent) < n/10 || time.Since(begin) < longEnough); {
				d := quintain.Draw{Seed: 3, Level: level, Index: len(spent)}
				spent = append(spent, spend(func() { problem(b, task, d) }))
			}
			slices.Sort(spent)
			mean[level] = 0
			for _, one := range spent {
				mean[level] += one / time.Duration(len(spent))
			}
			p99[level] = spent[len(spent)*99/100]
		}
	}
	for level, spent := range p99 {
		b.ReportMetric(float64(spent.Nanoseconds())/1e3, fmt.Sprintf("µs-p99-level-%d", level))
		b.ReportMetric(float64(mean[level].Nanoseconds())/1e3, fmt.Sprintf("µs-mean-level-%d", level))
	}
	b.ReportMetric(0, "ns/op")
}

// worstHostile reports the processor time to grade the most expensive hostile text.
func worstHostile(b *testing.B, task quintain.Task) {
	p := problem(b, task, quintain.Draw{Seed: 1, Level: len(task.Info().Levels) - 1})
	texts := hostiles(solve(b, task, p))
	worst := time.Duration(0)
	for b.Loop() {
		worst = 0
		for _, answer := range texts {
			best := time.Duration(math.MaxInt64)
			for range 3 {
				best = min(best, spend(func() { grade(b, task, p, answer) }))
			}
			worst = max(worst, best)
		}
	}
	b.ReportMetric(float64(worst.Nanoseconds())/1e6, "ms-worst")
	b.ReportMetric(0, "ns/op")
}
