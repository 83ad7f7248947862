package watch

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
)

// An agentCall is a turn's place in the tree.
type agentCall struct {
	*quintain.Call
	Number  int      // from 1 on
	Parent  int      // number of the call that it continues; 0: none
	Depth   int      // of its branch: 0 the main one, at most 6
	Names   []string // of the tools offered, if they are not those of the parent
	Trained int      // number of the episode's sequence that trains on its tokens, from 1 on; 0: none
}

// mostDepth limits the depths.
const mostDepth = 6

// callsOf lays out the calls of an episode with a number of training sequences; nil: its turns are
// a line. No trace says how sequences were cut: there is one for each turn if their number
// says so.
func callsOf(t *quintain.Trajectory, sequences int) []agentCall {
	tree := false
	all := make([]agentCall, len(t.Turns))
	for k := range t.Turns {
		c := t.Turns[k].Call
		tree = tree || c != nil
		if c == nil {
			c = &quintain.Call{}
		}
		all[k] = agentCall{Call: c, Number: k + 1, Parent: t.Parent(k) + 1, Names: toolNames(c.Tools)}
	}
	if !tree {
		return nil
	}
	indentCalls(t, all)
	trained, n := rollout.WholeEpisodes.Trained(t)
	if each, m := rollout.EachTurn.Trained(t); sequences == m && sequences != n {
		trained = each
	}
	for k := range all {
		all[k].Trained = trained[k]
	}
	return all
}

// indentCalls sets the depths: a branch stands below the one that it leaves, and another
// conversation below the main branch.
func indentCalls(t *quintain.Trajectory, all []agentCall) {
	known := make([]bool, len(all))
	for i, branch := range t.Branches() {
		depth := min(i, 1)
		if branch.First > 0 {
			depth = all[branch.Path[branch.First-1]].Depth + 1
		}
		for _, k := range branch.Path[branch.First:] {
			all[k].Depth, known[k] = min(depth, mostDepth), true
		}
	}
	for k := range all {
		if parent := t.Parent(k); !known[k] && parent >= 0 {
			all[k].Depth = min(all[parent].Depth+1, mostDepth)
		}
	}
}

// toolNames returns the names of tools.
func toolNames(tools json.RawMessage) (list []string) {
	var all []struct {
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if len(tools) > 0 && strictjson.Unmarshal(tools, &all) != nil {
		return []string{"unreadable"}
	}
	for _, tool := range all {
		list = append(list, tool.Name+tool.Function.Name)
	}
	return list
}
