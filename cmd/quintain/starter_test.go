package main

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/curriculum"
	"github.com/quintain-rl/quintain/starter"
)

// Every problem of the ladder, with its solution, must fit into the context of the embedded
// model, and the solution into the tokens that it may write.
func TestTheStarterCanReadAndAnswerItsProblems(t *testing.T) {
	c := defaults(kindTiny)
	c.Curriculum.Mode = curriculum.Adaptive
	streams, err := c.runStreams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		longest, answer := 0, 0
		for index := range 2000 {
			p, err := s.Scenario.Problem(quintain.Draw{Seed: 1, Level: s.Level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			solution, err := s.Scenario.(quintain.Solver).Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			e, err := starter.Example(t.Context(), s.Scenario, p, solution)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, len(e.Tokens))
			answer = max(answer, len(solution)+3) // the tags, and the end
		}
		if longest > c.Model.Context || answer > c.Policy.Sampling.MaxTokens {
			t.Errorf("%s %s: a problem with its solution has %d tokens, want at most %d; an answer %d, want at most %d", s.Course,
				s.Scenario.TaskInfo().Levels[s.Level], longest, c.Model.Context, answer, c.Policy.Sampling.MaxTokens)
		}
	}
}
