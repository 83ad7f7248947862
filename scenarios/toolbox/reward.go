package toolbox

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/settings"
)

// What an episode earns for a right result falls with each call beyond the plan, down to a floor.
const (
	callCost = 0.02
	floor    = 0.8
)

// judge ends a step with the judgement of the state and of the answer.
func (e *env) judge(step *quintain.Step) {
	found := e.world.Judge(e.answer)
	worth := found.Share
	if found.State == "" && found.Answer == "" {
		worth = 1
	}
	if stray := e.stray(); stray != "" {
		found.State, worth = stray, 0
	}
	step.Observe, step.End, step.Answer = nil, quintain.Terminated, e.answer
	step.Right = found.State == "" && found.Answer == ""
	extra := max(e.made-e.needed, 0)
	step.Reward = worth * max(1-callCost*float64(extra), floor)
	if !e.ended() {
		step.Why += " No calls are left."
	}
	step.Why += " State: " + verdict(found.State) + ". Answer: " + verdict(found.Answer) + "."
	if extra > 0 {
		step.Why += fmt.Sprintf(" Calls beyond the %d that are needed: %d.", e.needed, extra)
	}
}

// verdict tells a fault.
func verdict(fault string) string {
	if fault == "" {
		return "right"
	}
	return fault
}

// stray names an entry that the goal is not about and that is not as it was; empty: there is none.
func (e *env) stray() string {
	now, before := e.world.State(), e.world.Untouched()
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, entry := range slices.Sorted(maps.Keys(all)) {
		if !e.world.Mine(entry) {
			if what := Differs(now, before, entry); what != "" {
				return what + ", which the task is not about"
			}
		}
	}
	return ""
}

// Differs tells how an entry of a state differs from what is wanted; empty: it does not.
func Differs(got, want State, entry string) string {
	text, has := got[entry]
	wanted, wants := want[entry]
	switch {
	case has && !wants:
		return fmt.Sprintf("there is %.60q", entry)
	case !has && wants:
		return fmt.Sprintf("%.60q is missing", entry)
	case text != wanted:
		return fmt.Sprintf("%.60q is %.60q, not %.60q", entry, text, wanted)
	}
	return ""
}

// FirstDifference tells how a state differs from another in the first of the entries that differ;
// empty: it does not.
func FirstDifference(got, want State) string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, entry := range slices.Sorted(maps.Keys(all)) {
		if what := Differs(got, want, entry); what != "" {
			return what
		}
	}
	return ""
}

// A play makes the episodes of an errand, which has no settings.
type play struct{ errand *Errand }

// Declare implements [settings.Declarer].
func (p *play) Declare(*settings.Section) {}

// Fits implements [scenario.Fitter].
func (p *play) Fits(t quintain.Task) error {
	if own := p.errand.Scenario.Name; t.Info().Name != own {
		return fmt.Errorf("it plays problems of its own: choose task %s, not %s", own, t.Info().Name)
	}
	return nil
}

// Env implements [scenario.Play].
func (p *play) Env(_ quintain.Task, problem quintain.Problem) (quintain.Env, error) {
	return p.env(problem)
}

// Advise implements [quintain.Adviser].
func (p *play) Advise(ctx context.Context, problem quintain.Problem, said []quintain.Reply) (advice quintain.Advice, err error) {
	e, err := p.env(problem)
	if err != nil {
		return advice, err
	}
	for _, reply := range said {
		if _, err := e.Step(ctx, reply); err != nil {
			return advice, err
		}
	}
	return e.Advice(), nil
}

func (p *play) env(problem quintain.Problem) (*env, error) {
	record, err := p.errand.deal(problem)
	if err != nil {
		return nil, err
	}
	start, wording := record.start()
	return newEnv(start, wording), nil
}

var _ scenario.Fitter = (*play)(nil)
