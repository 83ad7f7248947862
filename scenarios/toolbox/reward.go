package toolbox

import (
	"fmt"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
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
	if e.ended() || step.Right { // what counts is the end, not the calls before it
		step.Illegal, step.Malformed = false, false
	}
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
