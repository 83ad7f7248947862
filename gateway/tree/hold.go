package tree

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// size is about the bytes of a node's tokens and texts.
func (n *Node) size() int {
	t := &n.Turn
	size := 4*(len(t.Read)+len(t.Wrote)+len(t.LogProbs)+len(t.Versions)) + len(n.Whole) + len(n.Completed) + len(t.Call.Tools) + sizeOf(t.Message())
	for _, m := range t.Observed {
		size += sizeOf(m)
	}
	return size
}

func sizeOf(m quintain.Message) int {
	size := len(m.Content) + len(m.Reasoning)
	for _, p := range m.Parts {
		size += len(p.Text) + len(p.Raw)
	}
	for _, c := range m.ToolCalls {
		size += len(c.Arguments) + len(c.Raw)
	}
	return size
}

// Release gives up the tokens and texts of all nodes, which [Tree.Restore] brings back; what
// places other calls stays.
func (t *Tree) Release() {
	for _, n := range t.Nodes {
		old := n.Turn
		old.Call.Tools = nil
		n.Turn = quintain.Turn{Finish: old.Finish, Fork: old.Fork, Realigned: old.Realigned, Malformed: old.Malformed, Call: old.Call}
		n.Whole, n.Completed, n.released = "", "", true
	}
	t.Size, t.Released = 0, len(t.Nodes) > 0
}

// Restore takes what Release gave up from nodes of the same calls, by their IDs. The error
// names a call that is not among them.
func (t *Tree) Restore(from map[string]*Node) error {
	for _, n := range t.Nodes {
		if !n.released {
			continue
		}
		whole := from[n.ID]
		if whole == nil {
			return fmt.Errorf("call %s is not there", n.ID)
		}
		call := n.Turn.Call
		call.Tools = whole.Turn.Call.Tools
		n.Turn, n.Whole, n.Completed, n.released = whole.Turn, whole.Whole, whole.Completed, false
		n.Turn.Call = call
		t.Size += n.size()
	}
	t.Released = false
	return nil
}
