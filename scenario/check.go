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

// A Check plays problems of a scenario with right, wrong and senseless replies, and finds the
// promises of [quintain.Scenario] and [quintain.Env] that it breaks.
type Check struct {
	// First and Second are the same scenario in two processes, or one scenario twice. They
	// play the same problems with the same replies, in opposite orders.
	First, Second quintain.Scenario

	Seed     uint64
	Problems int // of each level, 1 or more
}

// A Finding is what a [Check] found.
type Finding struct {
	Faults   []string // the broken promises, a sentence each
	Episodes int      // that each process played
	Replies  int      // of the longest of them

	// What the solution earned at least, and at most what the solution of another problem of the level and senseless
	// replies earned; NaN: there are none.
	Right, Wrong, Senseless float64

	Told int // problems whose first messages contain their solution
}

// Run plays. Unless First is a [quintain.Solver], no reply is right. The error is the cause of ctx's end.
func (c Check) Run(ctx context.Context) (*Finding, error) {
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
	f := &Finding{Right: math.NaN(), Wrong: math.NaN(), Senseless: math.NaN()}
	for i, p := range first {
		differ := p.differences(second[i])
		if len(differ) == 0 { // else the other faults may follow from it
			differ = p.faults()
		}
		faults = append(faults, differ...)
		f.count(p)
	}
	f.Faults = slices.Concat(faults, c.repeated(first))
	return f, nil
}

// count adds the episodes of a problem.
func (f *Finding) count(p played) {
	f.Episodes += len(p.episodes)
	for _, e := range p.episodes {
		f.Replies = max(f.Replies, len(e.replies))
		switch earned := e.reward(); {
		case e.says == right && !(f.Right < earned):
			f.Right = earned
		case e.says == wrong && !(f.Wrong > earned):
			f.Wrong = earned
		case e.says == nonsense && !(f.Senseless > earned):
			f.Senseless = earned
		}
	}
	if p.solved && len(p.solution) > 2 && slices.ContainsFunc(p.opening(), func(m quintain.Message) bool { return strings.Contains(m.Content, p.solution) }) {
		f.Told++
	}
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
	wrong    string    // the solution of another problem of the level; empty: there is none that differs
	episodes []episode // one for the solution and two for wrong, if there are any, and one for each of senseless
}

// What the policy says in an episode.
const (
	right    = iota // the solution
	wrong           // that of another problem
	mended          // that of another problem, and then the solution
	nonsense        // senseless replies
)

// playAll plays problems of s.
func playAll(ctx context.Context, s quintain.Scenario, problems []quintain.Problem) ([]played, error) {
	all := make([]played, len(problems))
	for i, p := range problems {
		all[i].problem = p
		all[i].solve(s)
	}
	for i := range all {
		one := &all[i]
		one.mistake(all)
		one.play(ctx, s)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return all, nil
}

// mistake finds a wrong answer among the solutions of others.
func (p *played) mistake(all []played) {
	if !p.solved {
		return
	}
	for _, other := range all {
		if other.solved && other.problem.Level == p.problem.Level && other.solution != p.solution {
			if p.wrong == "" || other.solution < p.wrong { // the same in both orders
				p.wrong = other.solution
			}
		}
	}
}

// play plays the episodes.
func (p *played) play(ctx context.Context, s quintain.Scenario) {
	say := func(says int, reply func(turn int) string) {
		e := play(ctx, s, p.problem, reply)
		e.says = says
		p.episodes = append(p.episodes, e)
	}
	tagged := func(answer string) string { return "<think>It is easy.</think>\n<answer>" + answer + "</answer>" }
	if p.solved {
		say(right, func(int) string { return tagged(p.solution) })
	}
	if p.wrong != "" {
		say(wrong, func(int) string { return tagged(p.wrong) })
		say(mended, func(turn int) string {
			if turn == 0 {
				return tagged(p.wrong)
			}
			return tagged(p.solution)
		})
	}
	for i := range senseless {
		say(nonsense, func(turn int) string { return senseless[(i+turn)%len(senseless)] })
	}
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
	if p.unsolved != nil {
		add("it is not solved: %v", p.unsolved)
	}
	best := math.Inf(1)
	if p.solved {
		best = p.episodes[0].reward()
		if p.episodes[0].fault == "" && best <= 0 {
			add("the solution, %.40q, earns %v", p.solution, best)
		}
	}
	for _, e := range p.episodes {
		got := e.reward()
		switch {
		case got <= best+1e-9:
		case e.says == wrong:
			add("the solution of another problem, %.40q, earns %v, but its own solution %v", p.wrong, got, best)
		case e.says == mended:
			add("a wrong answer, %.40q, and then the solution earn %v, but the solution at once %v", p.wrong, got, best)
		case e.says == nonsense:
			add("senseless replies from %.20q on earn %v, but the solution %v", e.replies[0], got, best)
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
	says    int // right, wrong, mended or nonsense
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
