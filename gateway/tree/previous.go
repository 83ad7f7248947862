package tree

import (
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

// Expand puts the messages in the place of those that a client only refers to: of the reply
// before, with its conversation, and of single replies.
func (t *Tree) Expand(req *dialect.Request) error {
	for i, m := range req.Messages {
		if m.Role != "" {
			continue
		}
		n := t.named(AnchorAt(req.Anchors, i))
		if n == nil {
			return &dialect.Error{Status: http.StatusNotFound, Code: "not_found", Field: "input", Message: "there is no item " + AnchorAt(req.Anchors, i) + " in this session"}
		}
		req.Messages[i] = t.seen(n)
	}
	if req.Previous == "" {
		return nil
	}
	n := t.named(req.Previous)
	if n == nil {
		return &dialect.Error{Status: http.StatusNotFound, Code: "not_found", Field: "previous_response_id", Message: "there is no response " + req.Previous + " in this session"}
	}
	before, anchors := t.conversation(n)
	fresh, more := req.Messages, req.Anchors
	if req.Instructed {
		before, anchors = append(fresh[:1:1], before...), append([]string{""}, anchors...)
		fresh, more = fresh[1:], more[min(1, len(more)):]
	}
	req.Messages, req.Anchors = slices.Concat(before, fresh), slices.Concat(anchors, more)
	return nil
}

// AnchorsOf returns for each message the ID of the call that it repeats; empty: unknown.
func AnchorsOf(req *dialect.Request) []string {
	all := make([]string, len(req.Messages))
	for i, m := range req.Messages {
		if m.Role != quintain.RoleAssistant {
			continue
		}
		ids := []string{AnchorAt(req.Anchors, i)}
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
		if len(m.ToolCalls) == 0 {
			ids = append(ids, dialect.FindCall(m.Text()))
		}
		for _, id := range ids {
			if call, _, ok := dialect.Anchor(id); ok && all[i] == "" {
				all[i] = call
			}
		}
	}
	return all
}

// seen returns n's reply as its client got it, which may have asked for one tool call at most.
func (t *Tree) seen(n *Node) quintain.Message {
	m := n.Turn.Message()
	if len(m.ToolCalls) > 1 && t.canon.After(n.Asked, m) != n.End {
		m.ToolCalls = m.ToolCalls[:1]
	}
	return m
}

// named returns the node that an ID in a reply names; nil: none.
func (t *Tree) named(id string) *Node {
	call, _, _ := dialect.Anchor(id)
	return t.ByID[call]
}

// Call returns the node with an ID, as it is or as replies write it; nil: none.
func (t *Tree) Call(id string) *Node {
	if n := t.ByID[id]; n != nil {
		return n
	}
	return t.named(id)
}

// conversation returns the messages up to and including n's reply, and for each the ID of
// the call that it repeats, in the form of clients. Instructions are not carried over.
func (t *Tree) conversation(n *Node) (talk []quintain.Message, anchors []string) {
	for _, at := range n.Path() {
		talk = append(append(talk, at.Turn.Observed...), t.seen(at))
		for range at.Turn.Observed {
			anchors = append(anchors, "")
		}
		anchors = append(anchors, dialect.ResponseID(at.ID))
	}
	if n.Instructed {
		return talk[1:], anchors[1:]
	}
	return talk, anchors
}

// Completion returns the completion that a text goes on from, the longest, and the rest of the
// text; nil and all of it: there is none.
func (t *Tree) Completion(text string) (before *Node, rest string) {
	rest = text
	for _, n := range t.Nodes {
		if after, ok := strings.CutPrefix(text, n.Completed); ok && n.Completed != "" && after != "" && len(after) < len(rest) {
			before, rest = n, after
		}
	}
	return before, rest
}
