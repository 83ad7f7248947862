package gateway

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain"
)

// LeftOut is the reason for not training on the branches beyond [Settings].MaxSequences.
const LeftOut = "left_out"

// leaveOut leaves the shortest branches of an episode out, the main one never, until it
// gives at most so many sequences. It returns the number of branches left out.
func leaveOut(t *quintain.Trajectory, most int) (out int) {
	all := t.Branches()
	total := 0
	for _, b := range all {
		total += sequencesOf(t, b)
	}
	if total <= most || len(all) < 2 {
		return 0
	}
	others := all[1:]
	slices.SortStableFunc(others, func(a, b quintain.Branch) int { return cmp.Compare(sampledOf(t, a), sampledOf(t, b)) })
	for _, b := range others {
		if total <= most {
			break
		}
		total -= sequencesOf(t, b)
		out++
		for _, k := range b.Path[b.First:] {
			if call := t.Turns[k].Call; call.Unused == "" {
				call.Unused = LeftOut
			}
		}
	}
	return out
}

// sequencesOf is the number of sequences that a branch's own turns give.
func sequencesOf(t *quintain.Trajectory, b quintain.Branch) int {
	n := 1
	for i, k := range b.Path[b.First:] {
		if i > 0 && t.Turns[k].Fork {
			n++
		}
	}
	return n
}

// sampledOf is the number of tokens sampled in a branch's own turns.
func sampledOf(t *quintain.Trajectory, b quintain.Branch) int {
	n := 0
	for _, k := range b.Path[b.First:] {
		n += len(t.Turns[k].Wrote)
	}
	return n
}
