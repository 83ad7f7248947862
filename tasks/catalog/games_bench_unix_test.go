//go:build unix

package catalog_test

import (
	"syscall"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// BenchmarkSteps steps many episodes of each game at once, a step of each in turn, by uniform legal
// play that was written down before: ns/step is the time of a step on the processor, its exact value included, garbage
// collection too. Level 2 of each; episodes are those of different problems.
func BenchmarkSteps(b *testing.B) {
	const episodes, level = 500, 2
	for _, g := range catalog.Games() {
		b.Run(g.Task.Info().Name, func(b *testing.B) {
			of, err := g.Scenario.Over(g.Task, nil)
			if err != nil {
				b.Fatal(err)
			}
			var problems []quintain.Problem
			var replies [][]quintain.Reply
			for index := range episodes {
				p, err := of.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
				if err != nil {
					b.Fatal(err)
				}
				problems, replies = append(problems, p), append(replies, uniform(b, of, p))
			}
			steps, spent := 0, int64(0)
			for b.Loop() {
				n, took := together(b, of, problems, replies)
				steps, spent = steps+n, spent+took
			}
			b.ReportMetric(float64(spent)/float64(steps), "ns/step")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// uniform returns the replies of uniform legal play.
func uniform(b *testing.B, of quintain.Scenario, p quintain.Problem) (said []quintain.Reply) {
	b.Helper()
	env, err := of.Env(p)
	if err != nil {
		b.Fatal(err)
	}
	advised, is := env.(interface{ Advice() quintain.Advice })
	if !is {
		b.Fatalf("%s gives no advice", p.Task)
	}
	r := rng.New(uint64(p.Index), "uniform")
	for {
		moves := advised.Advice().Allowed
		if len(moves) == 0 {
			return said
		}
		said = append(said, quintain.Reply{Text: rng.Pick(r, moves), Finish: quintain.Stop})
		if _, err := env.Step(b.Context(), said[len(said)-1]); err != nil {
			b.Fatal(err)
		}
	}
}

// together plays episodes at once, and returns the number of steps and their time.
func together(b *testing.B, of quintain.Scenario, problems []quintain.Problem, replies [][]quintain.Reply) (steps int, spent int64) {
	b.Helper()
	envs := make([]quintain.Env, len(problems))
	for i, p := range problems {
		var err error
		if envs[i], err = of.Env(p); err != nil {
			b.Fatal(err)
		}
		if _, err := envs[i].Open(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	begun := onProcessor(b)
	for turn, more := 0, true; more; turn++ {
		more = false
		for i, env := range envs {
			if turn < len(replies[i]) {
				if _, err := env.Step(b.Context(), replies[i][turn]); err != nil {
					b.Fatal(err)
				}
				steps, more = steps+1, true
			}
		}
	}
	return steps, onProcessor(b) - begun
}

// onProcessor returns the nanoseconds that this process was on a processor.
func onProcessor(b *testing.B) int64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
