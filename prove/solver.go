package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A solution is how a problem is solved.
type solution struct {
	answer string
	plan   []quintain.ToolCall
	err    error // why there is none
}

// errUnsolvable says that nobody knows solutions.
var errUnsolvable = errors.New("no solution is known: the environment has no solve, and there is no --solver")

// advises reports whether the scenario advises in the course of an episode.
func (b *bench) advises() bool {
	_, is := b.subject.Scenario.(quintain.Adviser)
	return is && b.job.Solver == nil
}

// answers reports whether one answer solves a problem: it is known, and may be changed.
func (b *bench) answers() bool {
	_, is := b.subject.Scenario.(quintain.Solver)
	return (is || b.job.Solver != nil) && !b.advises()
}

// solve finds the solution of a problem, once.
func (b *bench) solve(ctx context.Context, p *quintain.Problem) solution {
	id := p.ID()
	b.lock.Lock()
	found, known := b.solved[id]
	b.lock.Unlock()
	if known {
		return found
	}
	found = b.find(ctx, p)
	b.lock.Lock()
	defer b.lock.Unlock()
	b.solved[id] = found
	return found
}

func (b *bench) find(ctx context.Context, p *quintain.Problem) (s solution) {
	if b.job.Solver != nil {
		e := b.begin(ctx, b.subject.Scenario, *p)
		b.close(e)
		s.answer, s.err = b.job.Solver(ctx, e.opening)
		return s
	}
	solver, is := b.subject.Scenario.(quintain.Solver)
	if !is {
		return solution{err: errUnsolvable}
	}
	if s.answer, s.err = solver.Solve(*p); s.err != nil {
		return s
	}
	if planner, plans := b.subject.Scenario.(quintain.Planner); plans {
		s.plan, s.err = planner.Plan(*p)
	}
	return s
}

// wrapped returns the forms in which environments take an answer, in the order in which they are tried.
func wrapped(answer string) []string {
	tagged := "<answer>" + answer + "</answer>"
	return []string{"<think>It is easy.</think>\n" + tagged, tagged, answer}
}

// wrap returns the reply that gives an answer.
func (b *bench) wrap(answer string) string {
	if strings.Contains(answer, "<answer>") {
		return answer
	}
	return wrapped(answer)[b.wraps]
}

// oracle returns who solves a problem. The error is errUnsolvable if nobody does.
func (b *bench) oracle(ctx context.Context, p *quintain.Problem) (speaker, error) {
	if b.advises() {
		return b.advised(ctx, func(a quintain.Advice) []string { return a.Best }), nil
	}
	s := b.solve(ctx, p)
	if s.err != nil {
		return nil, s.err
	}
	return b.gives(s, s.answer), nil
}

// gives returns who follows a plan, and then gives an answer.
func (b *bench) gives(s solution, answer string) speaker {
	return func(e *episode) quintain.Reply {
		if n := len(e.steps); n < len(s.plan) && len(e.tools) > 0 {
			call := s.plan[n]
			call.ID = fmt.Sprintf("call%05d", n)
			return quintain.Reply{Text: "I use a tool.", ToolCalls: []quintain.ToolCall{call}, Finish: quintain.Stop}
		}
		return reply(b.wrap(answer))
	}
}

// advised returns who follows the scenario's advice.
func (b *bench) advised(ctx context.Context, from func(quintain.Advice) []string) speaker {
	return func(e *episode) quintain.Reply {
		advice, err := b.subject.Scenario.(quintain.Adviser).Advise(ctx, e.problem, e.replies)
		if list := from(advice); err == nil && len(list) > 0 {
			return called(e, list[0])
		}
		return reply("")
	}
}

// called reads the calls out of a reply, if there are tools.
func called(e *episode, text string) quintain.Reply {
	if len(e.tools) == 0 {
		return reply(text)
	}
	read := toolcall.Plain().Parse(text, toolcall.Context{})
	r := quintain.Reply{Text: read.Content, ToolCalls: read.Calls, Finish: quintain.Stop}
	for i := range r.ToolCalls {
		r.ToolCalls[i].ID = fmt.Sprintf("call%05d", 10*len(e.steps)+i)
	}
	return r
}

// measure finds what an episode costs, the form of answers, and the range of rewards.
func (b *bench) measure(ctx context.Context) error {
	const episodes = 8
	if b.problem(0) == nil {
		_, err := b.subject.Scenario.Problem(quintain.Draw{Seed: b.job.Seed, Level: b.subject.Levels[0]})
		return &StartError{fmt.Errorf("it makes no problem: %w", err)}
	}
	began := time.Now()
	sums := make([]float64, len(wrapped("")))
	for _, p := range b.problems(episodes) {
		s := solution{err: errUnsolvable}
		if b.answers() {
			s = b.solve(ctx, &p)
		}
		for form := range sums {
			if s.err != nil && form > 0 {
				break
			}
			b.wraps = form
			say := says("")
			if s.err == nil {
				say = b.gives(s, s.answer)
			}
			e := b.play(ctx, p, say)
			if sums[form] += e.sum(); e.fault != "" {
				sums[form] -= 1e-3
			}
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
	b.wraps = slices.Index(sums, slices.Max(sums))
	b.cost = time.Since(began) / time.Duration(max(1, b.seen.episodes))
	return b.scale(ctx)
}

// scale finds the range of rewards: the declared one, or from 0, or the least seen, to the most that the solver or
// a senseless policy earns.
func (b *bench) scale(ctx context.Context) error {
	const problems = 16
	if of := b.subject.Range; of != nil {
		b.low, b.high = of[0], of[1]
		return nil
	}
	for _, p := range b.problems(problems) {
		say, err := b.oracle(ctx, &p)
		if err == nil {
			b.play(ctx, p, say)
		}
	}
	b.low, b.high = min(0, b.seen.low), max(b.seen.high, 0)
	if math.IsInf(b.low, 0) || math.IsInf(b.high, 0) || b.high <= b.low {
		b.low, b.high = min(0, b.low), 1
		if math.IsInf(b.low, 0) {
			b.low = 0
		}
	}
	return context.Cause(ctx)
}

// example returns an opening, and an episode of the solver, for people.
func example(ctx context.Context, b *bench) (opening string, oracle []string) {
	p := b.problem(0)
	e := b.begin(ctx, b.subject.Scenario, *p)
	b.close(e)
	opening = cut(talk(e.opening))
	say, err := b.oracle(ctx, p)
	if err != nil {
		return opening, nil
	}
	e = b.play(ctx, *p, say)
	for i, said := range e.show() {
		oracle = append(oracle, "policy: "+said)
		if i < len(e.steps) {
			oracle = append(oracle, fmt.Sprintf("environment: reward %v%s %s", e.steps[i].Reward, ending(e.steps[i]), cut(talk(e.steps[i].Observe))))
		}
	}
	return opening, short(oracle)
}
