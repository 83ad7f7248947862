package gateway

import (
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

// expand puts the messages in the place of those that a client only refers to: of the reply
// before, with its conversation, and of single replies.
func (t *tree) expand(req *dialect.Request) error {
	for i, m := range req.Messages {
		if m.Role != "" {
			continue
		}
		n := t.named(anchorAt(req.Anchors, i))
		if n == nil {
			return &dialect.Error{Status: http.StatusNotFound, Code: "not_found", Field: "input", Message: "there is no item " + anchorAt(req.Anchors, i) + " in this session"}
		}
		req.Messages[i] = n.turn.Message()
	}
	if req.Previous == "" {
		return nil
	}
	n := t.named(req.Previous)
	if n == nil {
		return &dialect.Error{Status: http.StatusNotFound, Code: "not_found", Field: "previous_response_id", Message: "there is no response " + req.Previous + " in this session"}
	}
	before, anchors := n.conversation()
	fresh, more := req.Messages, req.Anchors
	if req.Instructed {
		before, anchors = append(fresh[:1:1], before...), append([]string{""}, anchors...)
		fresh, more = fresh[1:], more[min(1, len(more)):]
	}
	req.Messages, req.Anchors = append(before, fresh...), append(anchors, more...)
	return nil
}

// named returns the node that an ID in a reply names; nil: none.
func (t *tree) named(id string) *node {
	call, _, _ := dialect.Anchor(id)
	return t.byID[call]
}

// call returns the node with an ID, as it is or as replies write it; nil: none.
func (t *tree) call(id string) *node {
	if n := t.byID[id]; n != nil {
		return n
	}
	return t.named(id)
}

// conversation returns the messages up to and including n's reply, and for each the ID of
// the call that it repeats, in the form of clients. Instructions are not carried over.
func (n *node) conversation() (talk []quintain.Message, anchors []string) {
	for _, at := range n.path() {
		talk = append(append(talk, at.turn.Observed...), at.turn.Message())
		for range at.turn.Observed {
			anchors = append(anchors, "")
		}
		anchors = append(anchors, dialect.ResponseID(at.id))
	}
	if n.path()[0].instructed {
		return talk[1:], anchors[1:]
	}
	return talk, anchors
}

// over puts the sampling that an agent asks for in the place of the run's: for sessions that
// are not trained on.
func over(s *quintain.Sampling, asked dialect.Asked) {
	if asked.Temperature != nil {
		s.Temperature = *asked.Temperature
	}
	if asked.TopP != nil {
		s.TopP = *asked.TopP
	}
	if asked.TopK != nil {
		s.TopK = *asked.TopK
	}
}

// completion returns the completion that a text goes on from, the longest, and the rest of the
// text; nil and all of it: there is none.
func (t *tree) completion(text string) (before *node, rest string) {
	rest = text
	for _, n := range t.nodes {
		if after, is := strings.CutPrefix(text, n.completed); is && n.completed != "" && after != "" && len(after) < len(rest) {
			before, rest = n, after
		}
	}
	return before, rest
}
