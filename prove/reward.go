package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/prove/replies"
)

func rewardChecks() []Check {
	return []Check{
		{ID: "reward.oracle", OpenEnv: []string{"semantic.oracle_max"}, Question: "Does the right solution earn the most there is?",
			Remedy: "compare the solution of the witness with what the verifier wants: a label or the verifier is wrong", Quick: true, Least: 16, Wanted: 100, run: checkOracle},
		{ID: "reward.floor", OpenEnv: []string{"semantic.floor_gap"}, Question: "Does doing nothing earn nothing?",
			Remedy: "give no reward to an empty reply, to a refusal, or for ending early", Quick: true, Least: 64, Wanted: 200, Chance: true, run: checkFloor},
		{ID: "reward.constant", OpenEnv: []string{"statistical.adversarial_floor"}, Question: "Does one reply to all problems earn little?",
			Remedy: "make answers differ: balance the labels, and give no partial reward that a constant collects", Quick: true, Least: 300, Wanted: 1500, Chance: true, run: checkConstant},
		{ID: "reward.panel", OpenEnv: []string{"statistical.adversarial_floor"}, Question: "Do policies that solve nothing earn little?",
			Remedy: "look at what the policy of the witness copies, and give no reward for it", Least: 300, Wanted: 1500, Chance: true, run: checkPanel},
		{ID: "reward.precision", Question: "Are wrong answers refused?",
			Remedy: "compare the whole answer, in the form that the prompt asks for, and take one answer only", Least: 64, Wanted: 300, Chance: true, run: checkPrecision},
		{ID: "reward.recall", Question: "Is a right answer taken in every harmless form?",
			Remedy: "strip white space, thoughts and marks, and compare numbers by value; or say in the prompt which form is refused", Least: 64, Wanted: 300, Chance: true, run: checkRecall},
	}
}

func checkOracle(ctx context.Context, b *bench, r *Result) {
	top := b.high
	sum, n := 0.0, 0
	for _, p := range b.problems(b.n) {
		say, err := b.oracle(ctx, &p)
		if err != nil {
			unsolved(b, &p, err, r)
			return
		}
		e := b.play(ctx, p, say)
		n++
		sum += b.share(e)
		switch got := e.sum(); {
		case e.lost:
		case e.fault != "":
			r.fail("an episode of the solver fails", e.witness("the solution is judged", "%s", e.fault))
		case b.advises():
			followed(e, r)
		case got < top-1e-9:
			r.fail("a solution earns less than the most", e.witness(fmt.Sprintf("a reward of %v in all", top), "%v: %s", got, e.last().Why))
		case got <= b.low:
			r.fail("the solution earns nothing", e.witness("more than the least reward", "%v: %s", got, e.last().Why))
		}
	}
	r.measure("earned", sum/float64(max(1, n)))
	if b.advises() && sum <= 0 {
		r.fail("the advised replies earn nothing", nil)
	}
}

// unsolved tells why the solver does not solve a problem.
func unsolved(b *bench, p *quintain.Problem, err error, r *Result) {
	if errors.Is(err, errUnsolvable) || b.job.Solver != nil {
		r.not(err.Error())
		return
	}
	r.fail("a problem is not solved", &Witness{Problem: p.ID(), Replies: []string{}, Expected: "a solution", Observed: err.Error()})
}

// followed looks at an episode in which a policy followed the scenario's advice: what the best play earns never falls.
func followed(e *episode, r *Result) {
	value := math.NaN()
	for i, s := range e.steps {
		if s.Illegal || s.Malformed {
			r.fail("the scenario advises a reply that it refuses", e.witness("a legal reply", "reply %d: %s", i+1, s.Why))
			return
		}
		if s.Value == nil {
			continue
		}
		if *s.Value < value-1e-9 {
			r.fail("the scenario's best reply loses value", e.witness(fmt.Sprintf("a value of %.4f still", value), "%.4f after reply %d", *s.Value, i+1))
			return
		}
		value = *s.Value
	}
}

// A policy is a way to talk, without a solution.
type policy struct {
	name string
	say  speaker
	sum  float64 // shares earned
	n    int     // episodes
	best *episode
}

// mean is what the policy earns on average.
func (p *policy) mean() float64 { return p.sum / float64(max(1, p.n)) }

// try plays problems with a policy, and counts what it earns.
func (b *bench) try(ctx context.Context, p *policy, problems []quintain.Problem) {
	for i := range problems {
		e := b.play(ctx, problems[i], p.say)
		share := b.share(e)
		p.sum, p.n = p.sum+share, p.n+1
		if p.best == nil || share > b.share(p.best) {
			p.best = e
		}
	}
}

func checkFloor(ctx context.Context, b *bench, r *Result) {
	const tenth = 0.05
	var all []*policy
	for _, text := range replies.Quits() {
		all = append(all, &policy{name: fmt.Sprintf("%q", text), say: says(text)})
	}
	all = append(all, &policy{name: "an empty call", say: func(e *episode) quintain.Reply {
		if len(e.tools) == 0 {
			return reply("")
		}
		call := quintain.ToolCall{ID: fmt.Sprintf("call%05d", len(e.steps)), Name: e.tools[len(e.steps)%len(e.tools)].Name, Arguments: "{}"}
		return quintain.Reply{ToolCalls: []quintain.ToolCall{call}, Finish: quintain.Stop}
	}})
	problems := b.problems(max(8, b.n/len(all)))
	for _, p := range all {
		b.try(ctx, p, problems)
	}
	best := slices.MaxFunc(all, func(x, y *policy) int { return cmp.Compare(x.mean(), y.mean()) })
	judge(r, best, bounds{doing: "doing nothing", fail: tenth, declared: declared(b, true)})
}

// bounds are the shares of the range above which a policy earns too much.
type bounds struct {
	doing      string // what it does
	fail, warn float64
	declared   string // why more is earned by nature; empty: no reason is given
}

// judge compares what a policy earns with the bounds: it fails if all of the interval is above.
func judge(r *Result, p *policy, of bounds) {
	within := stats.Exact(p.sum, p.n, confidence)
	r.Interval = &within
	r.measure("mean", p.mean())
	r.limit("mean", of.fail)
	if p.best == nil {
		return
	}
	found := fmt.Sprintf("%s (%s) earns %.3f of the range (%.3f to %.3f, %s)", of.doing, p.name, p.mean(), within.Low, within.High, stats.Count(p.n, "episode"))
	w := p.best.witness(fmt.Sprintf("at most %.3g of the range on average", of.fail), "%v in this episode; %.3f on average", p.best.sum(), p.mean())
	switch {
	case within.Low > of.fail && of.declared != "":
		r.warn(found+"; the environment says: "+of.declared, w)
	case within.Low > of.fail:
		r.fail(found, w)
	case p.mean() > of.warn+1e-9 && within.Low > of.warn:
		r.warn(found, w)
	default:
		r.Found = found
	}
}

// declared is why guesses earn much by nature, in the environment's own words; empty: it gives no reason. Floor: they do
// nothing at all.
func declared(b *bench, floor bool) string {
	guess := 0.0
	if b.subject.Guess != nil {
		for _, level := range b.subject.Levels {
			guess = max(guess, b.subject.Guess(level))
		}
	}
	switch {
	case guess > 0:
		return fmt.Sprintf("its documents say that guesses earn %.3g", guess)
	case floor:
		return ""
	}
	return b.subject.surface()
}

// chance is the rate of a guess among few answers: one by the number of different answers of a level, if they are
// few; and a half of that, if there is no solution. 0: they are many.
func chance(ctx context.Context, b *bench) (rate float64) {
	const asked, most = 48, 12
	if !b.answers() {
		return 0
	}
	for _, level := range b.subject.Levels {
		different := map[string]bool{}
		for i := range asked {
			if p := b.problemAt(level, i); p != nil {
				different[b.solve(ctx, p).answer] = true
			}
		}
		if n := len(different); n > 1 && n <= most {
			rate = max(rate, 1/float64(n))
		}
	}
	return rate
}

// candidates are replies that may be right for many problems: constants, the most frequent solutions, and what the
// opening quotes.
func candidates(ctx context.Context, b *bench) (all []string) {
	const openings, solutions = 4, 64
	times := map[string]int{}
	if b.answers() {
		for _, p := range b.problems(solutions) {
			if s := b.solve(ctx, &p); s.err == nil {
				times[s.answer]++
			}
		}
	}
	frequent := byTimes(times)
	for _, text := range frequent[:min(12, len(frequent))] {
		all = append(all, b.wrap(text))
	}
	for _, p := range b.problems(openings) {
		e := b.begin(ctx, b.subject.Scenario, p)
		b.close(e)
		all = append(all, quoted(talk(e.opening))...)
	}
	for _, text := range replies.Constants() {
		all = append(all, b.wrap(text))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// byTimes returns texts, the most frequent first.
func byTimes(times map[string]int) (all []string) {
	for text := range times {
		all = append(all, text)
	}
	slices.SortFunc(all, func(x, y string) int { return cmp.Or(cmp.Compare(times[y], times[x]), cmp.Compare(x, y)) })
	return all
}

// quotedRE finds what stands in marks.
var quotedRE = regexp.MustCompile("\\[([^\\]\n]{1,40})\\]|`([^`\n]{1,40})`|'([^'\n]{1,40})'|\"([^\"\n]{1,40})\"|<([^>\n]{1,40})>")

// quoted returns what an opening has in marks: forms of moves, mostly; with brackets, also numbers in brackets.
func quoted(text string) (all []string) {
	const most = 200
	for _, found := range quotedRE.FindAllStringSubmatch(text, most) {
		if found[1] != "" {
			all = append(all, found[0])
		}
		all = append(all, strings.Join(found[1:], ""))
	}
	for n := range 21 {
		if strings.Contains(text, "[") {
			all = append(all, fmt.Sprintf("[%d]", n))
		}
	}
	return all
}

// choose finds the policy that earns most on one half of the problems, by rounds that keep ever fewer, and
// measures it on the other half.
func choose(ctx context.Context, b *bench, all []*policy) *policy {
	if len(all) == 0 {
		return &policy{name: "nothing"}
	}
	n := max(b.n, len(all))
	first := 0
	half := func(from, count int) (problems []quintain.Problem) {
		levels := b.subject.Levels
		for i := range count {
			if p := b.problemAt(levels[i%len(levels)], from+(2*(i/len(levels)))); p != nil {
				problems = append(problems, *p)
			}
		}
		return problems
	}
	for rest := n / 2; len(all) > 1 && rest > 0; {
		each := max(1, min(rest, n/5)/len(all))
		problems := half(first, each)
		first += 2 * each
		for _, p := range all {
			b.try(ctx, p, problems)
		}
		rest -= each * len(all)
		slices.SortStableFunc(all, func(x, y *policy) int { return cmp.Compare(y.mean(), x.mean()) })
		all = all[:max(1, len(all)/3)]
	}
	best := &policy{name: all[0].name, say: all[0].say}
	b.try(ctx, best, half(1, max(16, n/5)))
	return best
}

func checkConstant(ctx context.Context, b *bench, r *Result) {
	var all []*policy
	for _, text := range candidates(ctx, b) {
		all = append(all, &policy{name: fmt.Sprintf("%.60q to all", text), say: says(text)})
	}
	chance := chance(ctx, b)
	r.measure("chance", chance)
	judge(r, choose(ctx, b, all), above("one reply", chance, declared(b, false)))
}

// above returns the bounds of a policy that guesses.
func above(doing string, chance float64, declared string) bounds {
	of := bounds{doing: doing, fail: 0.25, warn: 0.1, declared: declared}
	if chance > 0 {
		of.fail, of.warn = max(of.fail, chance+0.15), max(of.warn, chance+0.1)
	}
	return of
}

func checkPanel(ctx context.Context, b *bench, r *Result) {
	all := []*policy{
		{name: "repeating what it read", say: func(e *episode) quintain.Reply { return reply(b.wrap(latest(e))) }},
		{name: "repeating the last line", say: func(e *episode) quintain.Reply { return reply(b.wrap(lastLine(latest(e)))) }},
	}
	list := candidates(ctx, b)
	all = append(all, &policy{name: "constants in turn", say: func(e *episode) quintain.Reply {
		return reply(list[(len(e.steps)+e.problem.Index)%len(list)])
	}})
	for _, s := range replies.Strategies() {
		all = append(all, &policy{name: s.Name, say: func(e *episode) quintain.Reply {
			return reply(b.wrap(s.Answer(replies.NewQuestion(latest(e), []string{""}))))
		}})
	}
	chance := chance(ctx, b)
	judge(r, choose(ctx, b, all), above("a policy that solves nothing", chance, declared(b, false)))
}

// latest is what the policy read last.
func latest(e *episode) string {
	if n := len(e.steps); n > 0 {
		return talk(e.steps[n-1].Observe)
	}
	return e.opening[len(e.opening)-1].Text()
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
