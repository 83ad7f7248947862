package quintain

import (
	"encoding/json"
	"slices"
)

// A Branch is a way through the tree of an episode's turns, from the beginning of a
// conversation to its last turn. The turns of a line are one branch.
type Branch struct {
	Path  []int // indices of its turns; read only
	First int   // index in Path of the first turn that no earlier branch has: these and the later ones are its own
}

// Branches returns the branches: first the main one, whose last turn is the last of all, then
// the others in the order of their last turns. They leave out turns that are unused, unless a
// used one continues them. If all are unused, there is none.
func (t *Trajectory) Branches() []Branch {
	if n := len(t.Turns); n > 0 && !slices.ContainsFunc(t.Turns, func(turn Turn) bool { return turn.Call != nil }) {
		return []Branch{{Path: t.Path(n - 1)}}
	}
	kept, continued := make([]bool, len(t.Turns)), make([]bool, len(t.Turns))
	var ends []int
	for k := len(t.Turns) - 1; k >= 0; k-- {
		kept[k] = kept[k] || t.Turns[k].Used()
		if !kept[k] {
			continue
		}
		if !continued[k] {
			ends = append(ends, k)
		}
		if p := t.Parent(k); p >= 0 {
			kept[p], continued[p] = true, true
		}
	}
	all := make([]Branch, len(ends))
	clear(continued) // from here on: the turns that a branch has
	for i := range ends {
		end := ends[0]
		if i > 0 {
			end = ends[len(ends)-i]
		}
		b := Branch{Path: t.Path(end)}
		for b.First < len(b.Path) && continued[b.Path[b.First]] {
			b.First++
		}
		for _, k := range b.Path[b.First:] {
			continued[k] = true
		}
		all[i] = b
	}
	return all
}

// Last returns the index of the last turn of the main branch, or of all turns if all are
// unused; -1: there is no turn.
func (t *Trajectory) Last() int {
	for k := len(t.Turns) - 1; k >= 0; k-- {
		if t.Turns[k].Used() {
			return k
		}
	}
	return len(t.Turns) - 1
}

// Used reports whether the reply may be trained on: see [Call].
func (t *Turn) Used() bool { return t.Call == nil || t.Call.Unused == "" }

// Offered returns the tools that the last of turns, a path, was offered; nil: none.
func (t *Trajectory) Offered(turns []int) json.RawMessage {
	for _, k := range slices.Backward(turns) {
		turn := &t.Turns[k]
		if turn.Tools != nil {
			return turn.Tools
		}
		if call := turn.Call; call != nil && call.Tools != nil {
			return call.Tools
		}
	}
	return t.Tools
}

// Talk returns the messages of turns, of a path for example.
func (t *Trajectory) Talk(turns []int) []Message {
	talk := slices.Grow([]Message(nil), 2*len(turns))
	for _, k := range turns {
		talk = append(append(talk, t.Turns[k].Observed...), t.Turns[k].Message())
	}
	return talk
}
