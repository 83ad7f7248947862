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
			var all []script
			for index := range episodes {
				all = append(all, uniform(b, of, quintain.Draw{Seed: 1, Level: level, Index: index}))
			}
			together(b, all)
		})
	}
}

// BenchmarkTenThousand steps ten thousand episodes at once, of all games and levels.
func BenchmarkTenThousand(b *testing.B) {
	const episodes = 10_000
	var scenarios []quintain.Scenario
	for _, g := range catalog.Games() {
		of, err := g.Scenario.Over(g.Task, nil)
		if err != nil {
			b.Fatal(err)
		}
		scenarios = append(scenarios, of)
	}
	var all []script
	for n := range episodes {
		of := scenarios[n%len(scenarios)]
		levels := len(of.TaskInfo().Levels)
		all = append(all, uniform(b, of, quintain.Draw{Seed: 1, Level: n / len(scenarios) % levels, Index: n}))
	}
	together(b, all)
}

// A script is an episode that was written down.
type script struct {
	of      quintain.Scenario
	problem quintain.Problem
	replies []quintain.Reply
}

// uniform writes an episode of uniform legal play down.
func uniform(b *testing.B, of quintain.Scenario, d quintain.Draw) script {
	b.Helper()
	p, err := of.Problem(d)
	if err != nil {
		b.Fatal(err)
	}
	said := []quintain.Reply{}
	env, err := of.Env(p)
	if err != nil {
		b.Fatal(err)
	}
	advised, ok := env.(interface{ Advice() quintain.Advice })
	if !ok {
		b.Fatalf("%s gives no advice", p.Task)
	}
	r := rng.New(uint64(p.Index), "uniform")
	for {
		moves := advised.Advice().Allowed
		if len(moves) == 0 {
			return script{of, p, said}
		}
		said = append(said, quintain.Reply{Text: rng.Pick(r, moves), Finish: quintain.Stop})
		if _, err := env.Step(b.Context(), said[len(said)-1]); err != nil {
			b.Fatal(err)
		}
	}
}

// together plays episodes at once, and reports the time of a step.
func together(b *testing.B, all []script) {
	b.Helper()
	steps, spent := 0, int64(0)
	for b.Loop() {
		envs := make([]quintain.Env, len(all))
		for i, one := range all {
			var err error
			if envs[i], err = one.of.Env(one.problem); err != nil {
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
				if turn >= len(all[i].replies) {
					continue
				}
				if _, err := env.Step(b.Context(), all[i].replies[turn]); err != nil {
					b.Fatal(err)
				}
				steps, more = steps+1, true
			}
		}
		spent += onProcessor(b) - begun
	}
	b.ReportMetric(float64(spent)/float64(steps), "ns/step")
	b.ReportMetric(0, "ns/op")
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
