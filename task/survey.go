package task

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/answer"
)

// The seeds of a survey. Blind answers come from the second.
const (
	askedSeed = 5
	blindSeed = 6
)

// A sample is problems of one level, each with its solution.
type sample struct {
	problems  []quintain.Problem
	solutions []string
}

// draw makes the first n problems of a level.
func draw(t quintain.Task, d quintain.Draw, n int) (s sample, err error) {
	for i := range n {
		p, err := t.Problem(quintain.Draw{Seed: d.Seed, Level: d.Level, Index: i})
		if err != nil {
			return sample{}, err
		}
		solution, err := t.Solve(p)
		if err != nil {
			return sample{}, err
		}
		s.problems = append(s.problems, p)
		s.solutions = append(s.solutions, solution)
	}
	return s, nil
}

// A Credit says which answers earn partial credit.
type Credit string

// The kinds of partial credit. Each includes those before it.
const (
	Whole     Credit = "whole"     // none: an answer is right or earns nothing
	Contained Credit = "contained" // a sentence that states the solution and nothing else earns its share of the length
	Parts     Credit = "parts"     // a partly right or close answer earns something too
)

// CreditOf finds out which answers earn partial credit, by the [Nears] of n problems of
// each level of t.
func CreditOf(t quintain.Task, n int) (Credit, error) {
	found := Whole
	for level := range t.Info().Levels {
		s, err := draw(t, quintain.Draw{Seed: askedSeed, Level: level}, n)
		if err != nil {
			return "", err
		}
		for i, p := range s.problems {
			credit, err := creditOn(t, p, s.solutions[i], s.solutions[(i+1)%n])
			if err != nil || credit == Parts {
				return credit, err
			}
			if credit == Contained {
				found = Contained
			}
		}
	}
	return found, nil
}

// creditOn is CreditOf for one problem.
func creditOn(t quintain.Task, p quintain.Problem, solution, other string) (Credit, error) {
	found := Whole
	for _, near := range Nears(solution, other) {
		v, err := t.Grade(p, near.Answer)
		if err != nil {
			return "", err
		}
		if v.Score <= 0 || v.Score >= 1 {
			continue
		}
		share := answer.Share(solution, near.Answer)
		if d := v.Score - share; d > 1e-9 || d < -1e-9 || !strings.Contains(near.Answer, solution) {
			return Parts, nil
		}
		found = Contained
	}
	return found, nil
}

// GuessRate measures how often an answer given without a look at the problem is fully
// right. It tries the solution of another problem of the level, a new one each time; and
// constant answers: the best of the eight most frequent and, if problems have many right
// answers, of the eight that are right for most of the others. If the prompt leaves few
// answers to choose from ([Chooser]), it tries a random choice too. The answers come from n
// other problems, and are tried on n. Partial credit does not count.
func GuessRate(t quintain.Task, level, n int) (float64, error) {
	asked, err := draw(t, quintain.Draw{Seed: askedSeed, Level: level}, n)
	if err != nil {
		return 0, err
	}
	blind, err := draw(t, quintain.Draw{Seed: blindSeed, Level: level}, n)
	if err != nil {
		return 0, err
	}
	best, err := rightShare(t, asked.problems, func(i int) string { return blind.solutions[i] })
	if err != nil {
		return 0, err
	}
	byChoice, err := choiceRate(t, asked.problems)
	if err != nil {
		return 0, err
	}
	best = max(best, byChoice)
	candidates := mostFrequent(blind.solutions, 8)
	if t.Info().Many {
		widest, err := mostRight(t, blind, 8)
		if err != nil {
			return 0, err
		}
		candidates = append(candidates, widest...)
	}
	for _, fixed := range candidates {
		share, err := rightShare(t, asked.problems, func(int) string { return fixed })
		if err != nil {
			return 0, err
		}
		best = max(best, share)
	}
	return best, nil
}

// choiceRate returns how often a random choice among the answers that a prompt leaves is
// right.
func choiceRate(t quintain.Task, problems []quintain.Problem) (float64, error) {
	chooser, can := t.(quintain.Chooser)
	if !can {
		return 0, nil
	}
	sum := 0.
	for _, p := range problems {
		n, err := chooser.Choices(p)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			sum += 1 / float64(n)
		}
	}
	return sum / float64(len(problems)), nil
}

// rightShare returns the share of problems to which answer gives a fully right answer.
func rightShare(t quintain.Task, problems []quintain.Problem, answer func(i int) string) (float64, error) {
	right := 0
	for i, p := range problems {
		v, err := t.Grade(p, answer(i))
		if err != nil {
			return 0, err
		}
		if v.Score == 1 {
			right++
		}
	}
	return float64(right) / float64(len(problems)), nil
}

// mostFrequent returns the n most frequent texts, ties in alphabetical order.
func mostFrequent(texts []string, n int) []string {
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	ranked := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	return ranked[:min(n, len(ranked))]
}

// mostRight returns the n solutions in s that are right for most of its problems.
func mostRight(t quintain.Task, s sample, n int) ([]string, error) {
	const most = 200 // problems, and solutions
	problems := s.problems[:min(most, len(s.problems))]
	share := map[string]float64{}
	for _, solution := range s.solutions[:len(problems)] {
		if _, known := share[solution]; known {
			continue
		}
		right, err := rightShare(t, problems, func(int) string { return solution })
		if err != nil {
			return nil, err
		}
		share[solution] = right
	}
	ranked := slices.SortedFunc(maps.Keys(share), func(a, b string) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), strings.Compare(a, b))
	})
	return ranked[:min(n, len(ranked))], nil
}

// A Space estimates how many different problems a level has: a level with that many, all
// equally likely, would repeat itself as often as the draws did. If some problems are
// likelier than others, there are more.
type Space struct {
	Problems float64 `json:"problems"`
	AtLeast  bool    `json:"at_least,omitempty"` // no two draws were equal: Problems is a lower bound, with 95 % confidence

	// Trained and HeldOut count the different problems on each side of the split, if there are
	// fewer than 1,000 to train on or 64 held out among five times as many draws.
	Trained int `json:"trained,omitempty"`
	HeldOut int `json:"held_out,omitempty"`

	// Constant is the answer that is right for most of the different problems, a share of Constants. It is
	// empty if that share is below 0.02.
	Constant  string  `json:"constant,omitempty"`
	Constants float64 `json:"constants,omitempty"`
}

// The least number of different problems on each side that a level needs for a curve.
const enoughTrained, enoughHeldOut = 1000, 64

// SpaceOf estimates the number of problems of a level from repeats among n draws (the
// birthday problem). Two draws are equal if they have one canonical form.
func SpaceOf(t quintain.Task, level, n int) (s Space, err error) {
	seen, met, solutions := map[quintain.Key]int{}, 0, []string(nil)
	for i := 0; i < n || i < 5*n && (s.Trained < enoughTrained || s.HeldOut < enoughHeldOut); i++ {
		p, err := t.Problem(quintain.Draw{Seed: askedSeed, Level: level, Index: i})
		if err != nil {
			return s, err
		}
		key, err := quintain.KeyOf(t, p)
		if err != nil {
			return s, err
		}
		if i < n {
			met += seen[key]
		}
		if seen[key]++; seen[key] > 1 {
			continue
		}
		if key.HeldOut() {
			s.HeldOut++
		} else {
			s.Trained++
		}
		if len(solutions) < enoughTrained {
			solution, err := t.Solve(p)
			if err != nil {
				return s, err
			}
			solutions = append(solutions, solution)
		}
	}
	s.constant(solutions)
	if s.Trained >= enoughTrained && s.HeldOut >= enoughHeldOut {
		s.Trained, s.HeldOut = 0, 0
	}
	pairs := float64(n) * float64(n-1) / 2
	if s.Problems = pairs / float64(met); met == 0 {
		s.Problems, s.AtLeast = pairs/3, true // no event in pairs trials: at most three expected
	}
	return s, nil
}

// constant finds the most frequent of the solutions of different problems.
func (s *Space) constant(solutions []string) {
	best, count := mostFrequent(solutions, 1)[0], 0
	for _, solution := range solutions {
		if solution == best {
			count++
		}
	}
	if share := float64(count) / float64(len(solutions)); share >= 0.02 {
		s.Constant, s.Constants = best, math.Round(share*1000)/1000
	}
}
