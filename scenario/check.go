package scenario

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// maxTurns is more than any scenario plays: a longer episode counts as endless.
const maxTurns = 1000

// senseless are replies that every environment must be able to judge.
var senseless = []string{
	"", " ", "42", "<answer>42</answer>", "<think>a</think><answer>b</answer>", "<answer>", "\x00\xff",
	`\boxed{7}`, strings.Repeat("9", 10_000), strings.Repeat("<answer>", 1000),
}

// A Check plays problems of a scenario with right and with senseless replies, and finds the
// promises of [quintain.Scenario] and [quintain.Env] that it breaks.
type Check struct {
	// First and Second are the same scenario in two processes, or one scenario twice. They
	// play the same problems with the same replies, in opposite orders.
	First, Second quintain.Scenario

	Seed     uint64
	Problems int // of each level, 1 or more
}

// Faults returns the broken promises, a sentence each: none if all are kept. Unless First is
// a [quintain.Solver], no reply is right. The error is the cause of ctx's end.
func (c Check) Faults(ctx context.Context) ([]string, error) {
	problems, faults := c.problems()
	first, err := playAll(ctx, c.First, problems)
	if err != nil {
		return nil, err
	}
	slices.Reverse(problems)
	second, err := playAll(ctx, c.Second, problems)
	if err != nil {
		return nil, err
	}
	slices.Reverse(second)
	for i, p := range first {
		differ := p.differences(second[i])
		if len(differ) == 0 { // else the other faults may follow from it
			differ = p.faults()
		}
		faults = append(faults, differ...)
	}
	return append(faults, c.repeated(first)...), nil
}

// problems makes the problems to play.
func (c Check) problems() (problems []quintain.Problem, faults []string) {
	for level := range c.First.TaskInfo().Levels {
		for index := range c.Problems {
			p, err := c.First.Problem(quintain.Draw{Seed: c.Seed, Level: level, Index: index})
			if err != nil {
				faults = append(faults, fmt.Sprintf("level %d, index %d: %v", level, index, err))
				break
			}
			problems = append(problems, p)
		}
	}
	return problems, faults
}

// repeated finds the levels whose problems all ask the same and have the same solution.
func (c Check) repeated(all []played) (faults []string) {
	for len(all) > 0 {
		level := all[0].problem.Level
		n := slices.IndexFunc(all, func(p played) bool { return p.problem.Level != level })
		if n < 0 {
			n = len(all)
		}
		same := func(p played) bool {
			return p.solution != all[0].solution || !reflect.DeepEqual(p.opening(), all[0].opening())
		}
		if n > 1 && all[0].solved && !slices.ContainsFunc(all[:n], same) {
			faults = append(faults, fmt.Sprintf("level %d: its first %d problems ask the same and have the same solution", level, n))
		}
		all = all[n:]
	}
	return faults
}

// A played is a problem with the episodes that were played of it.
type played struct {
	problem  quintain.Problem
	solution string
	solved   bool      // there is a solution, and the first episode says it in every turn
	unsolved error     // why the solver failed
	episodes []episode // one for the solution, if there is one, and one for each of senseless
}

// playAll plays problems of s.
func playAll(ctx context.Context, s quintain.Scenario, problems []quintain.Problem) ([]played, error) {
	var all []played
	for _, p := range problems {
		one := played{problem: p}
		one.solve(s)
		if one.solved {
			right := "<think>It is easy.</think>\n<answer>" + one.solution + "</answer>"
			one.episodes = append(one.episodes, play(ctx, s, p, func(int) string { return right }))
		}
		for i := range senseless {
			one.episodes = append(one.episodes, play(ctx, s, p, func(turn int) string { return senseless[(i+turn)%len(senseless)] }))
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		all = append(all, one)
	}
	return all, nil
}

// solve asks s for the solution, if it is a [quintain.Solver] that knows one.
func (p *played) solve(s quintain.Scenario) {
	solver, ok := s.(quintain.Solver)
	if !ok {
		return
	}
	p.solution, p.unsolved = solver.Solve(p.problem)
	p.solved = p.unsolved == nil
}

// opening is what the policy reads first.
func (p played) opening() []quintain.Message { return p.episodes[0].opening }

// faults returns the promises that the episodes break one by one.
func (p played) faults() (faults []string) {
	add := func(format string, args ...any) {
		faults = append(faults, p.problem.ID()+": "+fmt.Sprintf(format, args...))
	}
	best := math.Inf(1)
	rest := p.episodes
	if p.unsolved != nil {
		add("it is not solved: %v", p.unsolved)
	}
	if p.solved {
		best, rest = rest[0].reward(), rest[1:]
		if rest := p.episodes[0]; rest.fault == "" && best <= 0 {
			add("the solution, %.40q, earns %v", p.solution, best)
		}
	}
	for i, e := range rest {
		if got := e.reward(); got > best+1e-9 {
			add("senseless replies from %.20q on earn %v, but the solution %v", senseless[i], got, best)
		}
	}
	for _, e := range p.episodes {
		if e.fault != "" {
			add("%s", e.fault)
			return faults // the other episodes would repeat it
		}
	}
	return faults
}

// differences compares the episodes with those of the same problem, played again.
func (p played) differences(again played) []string {
	const remedy = "take all chance from the problem, which is the same in every process"
	differ := func(format string, args ...any) []string {
		return []string{p.problem.ID() + ": " + fmt.Sprintf(format, args...) + "; " + remedy}
	}
	if p.solution != again.solution {
		return differ("the solution is %.40q, and %.40q when asked again", p.solution, again.solution)
	}
	for i, a := range p.episodes[:min(len(p.episodes), len(again.episodes))] {
		b := again.episodes[i]
		if a.fault != "" || b.fault != "" {
			continue
		}
		if !reflect.DeepEqual(a.opening, b.opening) {
			return differ("it opens differently when played again")
		}
		for turn := range min(len(a.steps), len(b.steps)) {
			x, y := a.steps[turn], b.steps[turn]
			if x.Reward != y.Reward || x.End != y.End {
				return differ("reply %d, %.40q, earns %v%s, and %v%s when played again",
					turn+1, a.replies[turn], x.Reward, ending(x), y.Reward, ending(y))
			}
			if !reflect.DeepEqual(x.Observe, y.Observe) {
				return differ("after reply %d, %.40q, it goes on differently when played again", turn+1, a.replies[turn])
			}
		}
	}
	return nil
}

// ending tells of the end of a step.
func ending(s quintain.Step) string {
	if s.End == quintain.Going {
		return ""
	}
	return " (" + string(s.End) + ")"
}

// An episode is one as it was played.
type episode struct {
	opening []quintain.Message
	replies []string
	steps   []quintain.Step
	fault   string // the promise that it broke; empty: none
}

// reward is the sum of the rewards.
func (e episode) reward() (sum float64) {
	for _, s := range e.steps {
		sum += s.Reward
	}
	return sum
}

// play plays one episode.
func play(ctx context.Context, s quintain.Scenario, p quintain.Problem, reply func(turn int) string) (played episode) {
	e, err := s.Env(p)
	if err != nil {
		return episode{fault: err.Error()}
	}
	defer func() {
		if err := e.Close(); err != nil && played.fault == "" {
			played.fault = "closing: " + err.Error()
		}
	}()
	if played.opening, err = e.Open(ctx); err != nil {
		return episode{fault: err.Error()}
	}
	if n := len(played.opening); n == 0 || played.opening[n-1].Role == quintain.RoleAssistant {
		return episode{fault: fmt.Sprintf("it opens with %+v, want the policy's turn next", played.opening)}
	}
	for turn := range maxTurns {
		said := reply(turn)
		step, err := e.Step(ctx, quintain.Reply{Text: said, Finish: quintain.Stop})
		if err != nil {
			played.fault = fmt.Sprintf("the reply %.40q causes an error: %v", said, err)
			return played
		}
		played.replies, played.steps = append(played.replies, said), append(played.steps, step)
		if played.fault = stepFault(step); played.fault != "" || step.End != quintain.Going {
			return played
		}
	}
	played.fault = fmt.Sprintf("no end after %s", stats.Count(maxTurns, "reply"))
	return played
}

// stepFault returns the promise that a step breaks; empty: none.
func stepFault(s quintain.Step) string {
	if err := quintain.CheckReward(s.Reward); err != nil {
		return err.Error()
	}
	switch {
	case s.End == quintain.Going && len(s.Observe) == 0:
		return "the episode goes on without a message"
	case s.End != quintain.Going && len(s.Observe) > 0:
		return fmt.Sprintf("the episode has ended with the message %+v", s.Observe)
	}
	return ""
}
