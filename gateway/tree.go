package gateway

import (
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
)

// Classes of calls: how the messages of a call relate to those of earlier ones.
const (
	Root     = "root"     // they continue no call
	Extends  = "extends"  // they continue a call that nothing continued before
	Branches = "branches" // they continue a call that another continues too
	Edited   = "edited"   // they repeat a call's reply, but changed
	Again    = "again"    // they are those of an earlier call
)

// Labels of branches that agents do not name themselves.
const (
	Compacted = "compacted" // begins anew with fewer tokens: a summary, perhaps
	Subagent  = "subagent"  // begins beside the main branch, with other instructions or tools
)

// Reasons for which an agent did not use a reply.
const (
	Undelivered = "undelivered" // it did not get all of it
	Abandoned   = "abandoned"   // it went on from another reply to the same messages
)

// A node is a committed call.
type node struct {
	id     string
	parent *node // nil: it begins a conversation
	index  int   // in the order of commits
	turn   quintain.Turn
	at     time.Time // of its commit

	whole      string // the reply as the model wrote it, with special tokens; empty: unknown
	completed  string // of a completion of a text: the text with the reply; empty: it is none
	asked      digest // of the messages before the reply
	end        digest // of the conversation with the reply
	start      digest // of the tools and variables
	system     digest // of the system messages
	tokens     int    // of the conversation with the reply
	lost       bool   // the client did not get all of it
	instructed bool   // its first message holds instructions that later calls do not carry over
	children   int
	reward     *float64 // for this reply alone
}

// message is the reply as the template gets it: as the model wrote it, so that the template
// need not find the same words for a tool call.
func (n *node) message() quintain.Message {
	if n.whole == "" {
		return n.turn.Message()
	}
	return quintain.Message{Role: quintain.RoleAssistant, Content: n.whole}
}

// path returns the nodes from the beginning of the conversation to n.
func (n *node) path() (all []*node) {
	for ; n != nil; n = n.parent {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

// A tree is the calls of a session.
type tree struct {
	canon *canon
	nodes []*node
	byID  map[string]*node
	byEnd map[digest][]*node
	asked map[digest]int // calls with these messages
}

func newTree(c *canon) *tree {
	return &tree{canon: c, byID: map[string]*node{}, byEnd: map[digest][]*node{}, asked: map[digest]int{}}
}

// A place is where a call belongs in a tree.
type place struct {
	parent        *node
	fresh         int // messages before the call's own
	start, system digest
	asked         digest
	class, branch string
	most          int // tokens of the main branch: a summary has fewer

	text []quintain.Token // to continue; nil: the call has messages
}

// find places messages. Anchors are the IDs of ours that the client sent back, one for each
// message: the ID of a call, or empty.
func (t *tree) find(start digest, talk []quintain.Message, anchors []string) place {
	each := t.canon.all(start, talk)
	p := place{start: start, asked: each[len(each)-1], class: Root}
	var system []quintain.Message
	for _, m := range talk {
		if m.Role == quintain.RoleSystem {
			system = append(system, m)
		}
	}
	if all := t.canon.all(digest{}, system); len(all) > 0 {
		p.system = all[len(all)-1]
	}
	for i := len(talk) - 2; i >= 0 && p.parent == nil; i-- {
		if talk[i].Role == quintain.RoleAssistant {
			p.parent, p.fresh = t.choose(t.byEnd[each[i]], anchorAt(anchors, i)), i+1
		}
	}
	if p.parent == nil {
		p.fresh = 0
	}
	switch {
	case t.asked[p.asked] > 0:
		p.class = Again
	case t.edits(p, talk, anchors):
		p.class = Edited
	case p.parent != nil && p.parent.children > 0:
		p.class = Branches
	case p.parent != nil:
		p.class = Extends
	}
	return p
}

// anchorAt returns an anchor; empty: none.
func anchorAt(anchors []string, i int) string {
	if i < len(anchors) {
		return anchors[i]
	}
	return ""
}

// choose returns the node of several with equal conversations: the one that the client
// names, else the last that it got; nil: there is none.
func (t *tree) choose(of []*node, anchor string) *node {
	if named := t.byID[anchor]; named != nil && slices.Contains(of, named) {
		return named
	}
	for _, n := range slices.Backward(of) {
		if !n.lost {
			return n
		}
	}
	if len(of) == 0 {
		return nil
	}
	return of[len(of)-1]
}

// edits reports whether a message names a call of this tree that its conversation does not
// continue: the client changed the reply.
func (t *tree) edits(p place, talk []quintain.Message, anchors []string) bool {
	for i := p.fresh; i < len(talk); i++ {
		if talk[i].Role == quintain.RoleAssistant && t.byID[anchorAt(anchors, i)] != nil {
			return true
		}
	}
	return false
}

// add adds a node.
func (t *tree) add(n *node) {
	n.index = len(t.nodes)
	t.nodes = append(t.nodes, n)
	t.byID[n.id] = n
	t.byEnd[n.end] = append(t.byEnd[n.end], n)
	t.asked[n.asked]++
	if n.parent != nil {
		n.parent.children++
	}
}

// main returns the last node of the main branch, that of the last call that was used; nil:
// there is none.
func (t *tree) main() *node {
	for _, n := range slices.Backward(t.nodes) {
		if n.turn.Call.Unused == "" {
			return n
		}
	}
	return nil
}

// context returns the exact tokens of the conversation up to and including n's reply.
func (n *node) context() []quintain.Token {
	out := make([]quintain.Token, 0, n.tokens)
	path := n.path()
	for i, at := range slices.Backward(path) {
		if at.turn.Fork {
			path = path[i:]
			break
		}
	}
	for _, at := range path {
		out = append(append(out, at.turn.Read...), at.turn.Wrote...)
	}
	return out
}

// judgeUse tells which replies the agent did not use. It returns the number of times that
// the session ended on several replies to the same messages, of which the last is taken.
func (t *tree) judgeUse() (ambiguous int) {
	siblings := map[siblingKey][]*node{}
	for _, n := range t.nodes {
		n.turn.Call.Unused = ""
		if n.lost && n.children == 0 {
			n.turn.Call.Unused = Undelivered
			continue
		}
		k := siblingKey{n.parent, n.asked}
		siblings[k] = append(siblings[k], n)
	}
	for _, all := range siblings {
		if len(all) < 2 {
			continue
		}
		continued := slices.ContainsFunc(all, func(n *node) bool { return n.children > 0 })
		if !continued {
			ambiguous++
			all = all[:len(all)-1]
		}
		for _, n := range all {
			if n.children == 0 {
				n.turn.Call.Unused = Abandoned
			}
		}
	}
	return ambiguous
}

// A siblingKey is shared by the replies to the same messages.
type siblingKey struct {
	parent *node
	asked  digest
}
