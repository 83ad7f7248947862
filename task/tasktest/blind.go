//go:build heavy

package tasktest

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/prove/replies"
	"github.com/quintain-rl/quintain/task"
)

const (
	askedSeed = 5    // seed of the problems to answer, as in task.GuessRate
	otherSeed = 6    // seed of the problems with known solutions
	mostGuess = 0.55 // limit of the guess rate: a fair choice of two, and some chance
	mostAbove = 0.02 // margin of a blind answer above the guess rate

	longestBlind = 32 << 10 // limit of a blind answer in bytes, beyond what models write
)

// stages are the numbers of problems for blind answers. A strategy that earns too much on
// few is tried on more, so that chance fails no task.
var stages = []int{40, 400, 4000}

// blindAnswers: no way to answer without solving earns more, on average and with all its
// partial credit, than the guess rate of the level.
func blindAnswers(t testing.TB, of quintain.Task) { holdDown(t, of, strategies()) }

// strategies lists all ways to answer without solving.
func strategies() []replies.Strategy {
	list := replies.Strategies()
	for _, text := range replies.Constants() {
		list = append(list, replies.Strategy{Name: fmt.Sprintf("answering %q to all", text), Answer: func(*replies.Question) string { return text }})
	}
	return list
}

// Blind checks one more way to answer without solving against the bound that every task
// must keep: on average it earns at most the guess rate of the level plus 0.02. answer gets
// the prompt and the solution of another problem; an empty text means no answer.
func Blind(t *testing.T, of quintain.Task, name string, answer func(prompt, other string) string) {
	t.Helper()
	holdDown(t, of, []replies.Strategy{{Name: name, Answer: func(q *replies.Question) string { return answer(q.Prompt, q.Others[0]) }}})
}

// holdDown tries strategies at every level.
func holdDown(t testing.TB, of quintain.Task, all []replies.Strategy) {
	t.Helper()
	for level := range of.Info().Levels {
		suspects := all
		var faults []string
		for _, n := range stages {
			suspects, faults = tooGood(t, of, trial{level, n, suspects})
			if len(faults) == 0 {
				break
			}
		}
		for _, fault := range faults {
			t.Errorf("level %d: %s", level, fault)
		}
	}
}

// A trial tests strategies on the first n problems of a level.
type trial struct {
	level, n   int
	strategies []replies.Strategy
}

// tooGood returns the strategies that earn too much, and the faults of the level.
func tooGood(t testing.TB, of quintain.Task, try trial) (found []replies.Strategy, faults []string) {
	guess, err := task.GuessRate(of, try.level, try.n)
	if err != nil {
		t.Fatal(err)
	}
	if guess > mostGuess {
		faults = append(faults, fmt.Sprintf("the guess rate is %.3f, want at most %v", guess, mostGuess))
	}
	for i, e := range earnings(t, of, try) {
		if e.mean > guess+mostAbove {
			found = append(found, try.strategies[i])
			faults = append(faults, fmt.Sprintf("%s earns %.3f on average, and the guess rate is %.3f; for example %.200q", try.strategies[i].Name, e.mean, guess, e.example))
		}
	}
	return found, faults
}

// An earning is the mean score of a strategy, with an answer that earned something.
type earning struct {
	mean    float64
	example string
}

// earnings tries each strategy on each problem.
func earnings(t testing.TB, of quintain.Task, try trial) []earning {
	earned := make([]earning, len(try.strategies))
	var others []string
	for i := range 64 {
		others = append(others, solve(t, of, problem(t, of, quintain.Draw{Seed: otherSeed, Level: try.level, Index: i})))
	}
	for i := range try.n {
		p := problem(t, of, quintain.Draw{Seed: askedSeed, Level: try.level, Index: i})
		q := replies.NewQuestion(p.Prompt, others[i%32:][:32])
		for k, s := range try.strategies {
			answer := s.Answer(q)
			if answer == "" || len(answer) > longestBlind {
				continue
			}
			if score := grade(t, of, p, answer).Score; score > 0 {
				earned[k].mean += score / float64(try.n)
				earned[k].example = answer
			}
		}
	}
	return earned
}
