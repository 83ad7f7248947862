// Package tree keeps the model calls of an agent's session as a tree: it finds the call that
// the messages of another continue, whatever a client changed in passing, and knows which
// replies the agent used.
package tree

import (
	"slices"
	"strings"
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

// A Node is a committed call.
type Node struct {
	ID     string
	Parent *Node // nil: it begins a conversation
	Index  int   // in the order of commits
	Turn   quintain.Turn
	At     time.Time // of its commit

	Whole      string   // the reply as the model wrote it, with special tokens; empty: unknown
	Completed  string   // of a completion of a text: the text with the reply; empty: it is none
	Continues  string   // ID of the completion whose text it goes on from; empty: none
	Asked      Digest   // of the messages before the reply
	End        Digest   // of the conversation with the reply
	Start      Digest   // of the tools and variables
	System     Digest   // of the system messages
	Tokens     int      // of the conversation with the reply
	Lost       bool     // the client did not get all of it
	News       int      // changes of Lost, by which their records are told apart
	Ignored    bool     // see [Place]
	Unforced   bool     // the client wanted a tool called, and the model was free
	Instructed bool     // the first message before it holds instructions that later calls do not carry over
	Children   int      // calls that go on from it, or from its text
	Reward     *float64 // for this reply alone

	released bool // see [Tree.Release]
}

// Message is the reply as the template gets it: as the model wrote it, so that the template
// need not find the same words for a tool call.
func (n *Node) Message() quintain.Message {
	if n.Whole == "" {
		return n.Turn.Message()
	}
	return quintain.Message{Role: quintain.RoleAssistant, Content: n.Whole}
}

// Path returns the nodes from the beginning of the conversation to n.
func (n *Node) Path() (all []*Node) {
	for ; n != nil; n = n.Parent {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

// A Tree is the calls of a session.
type Tree struct {
	canon *Canon
	Nodes []*Node
	ByID  map[string]*Node

	Size     int  // about the bytes of tokens and texts
	Released bool // some nodes are without theirs, see [Tree.Release]

	byEnd map[Digest][]*Node
	asked map[Digest]int // calls with these messages
}

// New returns an empty tree.
func New(c *Canon) *Tree {
	return &Tree{canon: c, ByID: map[string]*Node{}, byEnd: map[Digest][]*Node{}, asked: map[Digest]int{}}
}

// A Place is where a call belongs in a tree.
type Place struct {
	Parent        *Node
	Fresh         int // messages before the call's own
	Start, System Digest
	Asked         Digest
	Class, Branch string
	Ignored       bool // its system messages are those of Parent but for what makes no difference
	Most          int  // tokens of the main branch: a summary has fewer

	Text      []quintain.Token // to continue; nil: the call has messages
	Continues string           // ID of the completion that Text goes on from; empty: none
}

// Find places messages. Anchors are the IDs of ours that the client sent back, one for each
// message: the ID of a call, or empty.
func (t *Tree) Find(start Digest, talk []quintain.Message, anchors []string) Place {
	each := t.canon.all(start, talk)
	p := Place{Start: start, Asked: each[len(each)-1], Class: Root}
	var system []quintain.Message
	for _, m := range talk {
		if m.Role == quintain.RoleSystem {
			system = append(system, m)
		}
	}
	if all := t.canon.all(Digest{}, system); len(all) > 0 {
		p.System = all[len(all)-1]
	}
	for i := len(talk) - 2; i >= 0 && p.Parent == nil; i-- {
		if talk[i].Role == quintain.RoleAssistant {
			p.Parent, p.Fresh = t.choose(t.byEnd[each[i]], AnchorAt(anchors, i)), i+1
		}
	}
	if p.Parent == nil {
		p.Fresh = 0
	} else {
		p.Ignored = p.Parent.changed(talk[:p.Fresh])
	}
	switch {
	case t.asked[p.Asked] > 0:
		p.Class = Again
	case t.edits(p, talk, anchors):
		p.Class = Edited
	case p.Parent != nil && p.Parent.Children > 0:
		p.Class = Branches
	case p.Parent != nil:
		p.Class = Extends
	}
	return p
}

// changed reports whether messages that repeat the conversation up to and including n's reply
// have other system messages, which count as equal.
func (n *Node) changed(talk []quintain.Message) bool {
	for ; n != nil; n = n.Parent {
		talk = talk[:len(talk)-1] // its reply
		from := len(talk) - len(n.Turn.Observed)
		for i, m := range n.Turn.Observed {
			if m.Role == quintain.RoleSystem && strings.TrimSpace(m.Text()) != strings.TrimSpace(talk[from+i].Text()) {
				return true
			}
		}
		talk = talk[:from]
	}
	return false
}

// AnchorAt returns an anchor; empty: none.
func AnchorAt(anchors []string, i int) string {
	if i < len(anchors) {
		return anchors[i]
	}
	return ""
}

// choose returns the node of several with equal conversations: the one that the client
// names, else the last that it got; nil: there is none.
func (t *Tree) choose(of []*Node, anchor string) *Node {
	if named := t.ByID[anchor]; named != nil && slices.Contains(of, named) {
		return named
	}
	for _, n := range slices.Backward(of) {
		if !n.Lost {
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
func (t *Tree) edits(p Place, talk []quintain.Message, anchors []string) bool {
	for i := p.Fresh; i < len(talk); i++ {
		if talk[i].Role == quintain.RoleAssistant && t.ByID[AnchorAt(anchors, i)] != nil {
			return true
		}
	}
	return false
}

// Add adds a node.
func (t *Tree) Add(n *Node) {
	n.Index = len(t.Nodes)
	t.Nodes = append(t.Nodes, n)
	t.ByID[n.ID] = n
	t.byEnd[n.End] = append(t.byEnd[n.End], n)
	t.asked[n.Asked]++
	t.Size += n.size()
	if n.Parent != nil {
		n.Parent.Children++
	}
	if before := t.ByID[n.Continues]; before != nil {
		before.Children++
	}
}

// Main returns the last node of the main branch, that of the last call that was used; nil:
// there is none.
func (t *Tree) Main() *Node {
	for _, n := range slices.Backward(t.Nodes) {
		if n.Turn.Call.Unused == "" {
			return n
		}
	}
	return nil
}

// Context returns the exact tokens of the conversation up to and including n's reply.
func (n *Node) Context() []quintain.Token {
	out := make([]quintain.Token, 0, n.Tokens)
	path := n.Path()
	for i, at := range slices.Backward(path) {
		if at.Turn.Fork {
			path = path[i:]
			break
		}
	}
	for _, at := range path {
		out = append(append(out, at.Turn.Read...), at.Turn.Wrote...)
	}
	return out
}

// JudgeUse tells which replies the agent did not use. It returns the number of times that
// the session ended on several replies to the same messages, of which the last is taken.
func (t *Tree) JudgeUse() (ambiguous int) {
	siblings := map[siblingKey][]*Node{}
	for _, n := range t.Nodes {
		n.Turn.Call.Unused = ""
		if n.Lost && n.Children == 0 {
			n.Turn.Call.Unused = Undelivered
			continue
		}
		k := siblingKey{n.Parent, n.Asked}
		siblings[k] = append(siblings[k], n)
	}
	for _, all := range siblings {
		if len(all) < 2 {
			continue
		}
		continued := slices.ContainsFunc(all, func(n *Node) bool { return n.Children > 0 })
		if !continued {
			ambiguous++
			all = all[:len(all)-1]
		}
		for _, n := range all {
			if n.Children == 0 {
				n.Turn.Call.Unused = Abandoned
			}
		}
	}
	return ambiguous
}

// A siblingKey is shared by the replies to the same messages.
type siblingKey struct {
	parent *Node
	asked  Digest
}

// Label is what the branch of a call seems to be, of one that its agent does not name, with so many
// calls under way.
func (t *Tree) Label(p Place, underway int) string {
	switch main := t.Main(); {
	case p.Parent != nil:
		return p.Parent.Turn.Call.Branch
	case main == nil:
		return ""
	case (underway > 1 || len(main.Turn.ToolCalls) > 0 && main.Children == 0) && (p.System != main.System || p.Start != main.Start):
		return Subagent
	case p.Class == Root && underway <= 1 && (p.System == main.System || p.Start == main.Start):
		return Compacted
	}
	return ""
}
