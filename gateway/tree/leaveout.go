package tree

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain"
)

// LeftOut is the reason for not training on the branches beyond the most sequences of a session.
const LeftOut = "left_out"

// LeaveOut leaves the shortest branches of an episode out, the main one never, until it
// gives at most so many sequences. Turns that another branch has too stay. It returns the
// number of branches left out.
func LeaveOut(t *quintain.Trajectory, most int) (out int) {
	for {
		all := t.Branches()
		total := 0
		for _, b := range all {
			total += sequencesOf(t, b)
		}
		if total <= most || len(all) < 2 {
			return out
		}
		slices.SortStableFunc(all[1:], func(a, b quintain.Branch) int { return cmp.Compare(sampledOf(t, b), sampledOf(t, a)) })
		stay := len(all)
		for ; stay > 1 && total > most; stay-- {
			total -= sequencesOf(t, all[stay-1])
		}
		out += len(all) - stay
		mark(t, all[:stay], all[stay:])
	}
}

// mark marks the turns of the branches that go, unless one that stays has them.
func mark(t *quintain.Trajectory, stay, gone []quintain.Branch) {
	kept := map[int]bool{}
	for _, b := range stay {
		for _, k := range b.Path {
			kept[k] = true
		}
	}
	for _, b := range gone {
		for _, k := range b.Path[b.First:] {
			if call := t.Turns[k].Call; !kept[k] && call.Unused == "" {
				call.Unused = LeftOut
			}
		}
	}
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
