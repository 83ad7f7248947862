package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

func newTasksShow(w *world) *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a task is, its levels, a problem as a model sees it, and what near misses earn",
		Long: `Show prints what a task is and how hard its levels are; one problem with the messages
that a model reads; a solution; and what texts near that solution earn, and why.`,
		Example: "  quintain tasks show countdown --level 2 --seed 5",
		Args:    oneArg("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			d.task = args[0]
			t, err := d.open()
			if err != nil {
				return err
			}
			s, err := newSpecimen(c.Context(), t, d.draw(0))
			if err != nil {
				return err
			}
			return s.print(w.stdout)
		},
	}
	d.flags(c)
	return c
}

// A specimen is a problem with all that there is to show of it.
type specimen struct {
	info     quintain.Info
	fact     fact
	problem  quintain.Problem
	messages []quintain.Message // that a model reads
	solution string
	nears    []judged // the solution first
}

// A judged is an answer with its verdict.
type judged struct {
	task.Near
	quintain.Verdict
}

// newSpecimen makes the problem that d names, and derives the rest from it.
func newSpecimen(ctx context.Context, t quintain.Task, d quintain.Draw) (s specimen, err error) {
	s.info = t.Info()
	measured, err := facts()
	if err != nil {
		return s, err
	}
	s.fact = measured[s.info.Name]
	if s.problem, err = t.Problem(d); err != nil {
		return s, err
	}
	how := defaultScenario()
	sc, err := how.over(t)
	if err != nil {
		return s, err
	}
	asked, err := sc.Problem(d)
	if err != nil {
		return s, err
	}
	env, err := sc.Env(asked)
	if err != nil {
		return s, err
	}
	if s.messages, err = env.Open(ctx); err != nil {
		return s, err
	}
	if err := env.Close(); err != nil {
		return s, err
	}
	return s, s.judge(t, d)
}

// judge solves the problem and grades what is near the solution.
func (s *specimen) judge(t quintain.Task, d quintain.Draw) (err error) {
	if s.solution, err = t.Solve(s.problem); err != nil {
		return err
	}
	d.Index++
	next, err := t.Problem(d)
	if err != nil {
		return err
	}
	other, err := t.Solve(next)
	if err != nil {
		return err
	}
	for _, near := range append([]task.Near{{Kind: "as it is", Answer: s.solution}}, task.Nears(s.solution, other)...) {
		v, err := t.Grade(s.problem, near.Answer)
		if err != nil {
			return err
		}
		s.nears = append(s.nears, judged{near, v})
	}
	return nil
}

// print writes all of it.
func (s *specimen) print(out io.Writer) error {
	fmt.Fprintf(out, "%s (version %d)\n%s\nSource: %s\nScoring: %s\n\n", s.info.Name, s.info.Version, s.info.Doc, s.info.Source, explain(scoring(s.info, s.fact)))
	for level, params := range s.info.Levels {
		fmt.Fprintf(out, "level %d  %s%s\n", level, params, s.measured(level))
	}
	fmt.Fprintf(out, "\nproblem %s\n", s.problem.ID())
	for _, m := range s.messages {
		fmt.Fprintf(out, "\n--- what the model reads: %s ---\n%s\n", m.Role, m.Content)
	}
	fmt.Fprintf(out, "\n--- a solution, which scores %v ---\n%s\n\n--- what texts near it earn ---\n", s.nears[0].Score, s.solution)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, n := range s.nears {
		reason := n.Reason
		switch {
		case n.Score == 1:
			reason = "right"
		case n.Malformed:
			reason = "malformed: " + reason
		}
		fmt.Fprintf(table, "%.3g\t%s\t%s\t%s\n", n.Score, n.Kind, quoted(n.Answer, 40), reason)
	}
	return table.Flush()
}

// measured tells the guess rate and the size of a level, where they are known.
func (s *specimen) measured(level int) string {
	if s.problem.Level == quintain.OwnParams || !s.fact.known(s.info) {
		return ""
	}
	l := s.fact.Levels[level]
	return fmt.Sprintf("  (guess rate %.3f; %s problems)", l.GuessRate, roughly(l.Space))
}

// quoted writes text in one line, of at most n characters and an ellipsis.
func quoted(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return fmt.Sprintf("%q…", string(runes[:n]))
	}
	return strings.ReplaceAll(fmt.Sprintf("%q", text), "\t", " ")
}
