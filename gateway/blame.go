package gateway

import (
	"errors"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
)

// A failure is a call that the policy failed. A session that has one at its end has no
// reward.
type failure struct {
	Parent string `json:"parent,omitempty"` // ID of the call that it continued
	Start  []byte `json:"start"`            // digests as of a node
	System []byte `json:"system"`
	Why    string `json:"why"`
}

// blame remembers that the policy failed a call, and returns the record that says so. s.mu
// is held.
func (s *session) blame(f *flight, err error) []journal.Record {
	refused, ok := errors.AsType[*dialect.Error](err)
	if ok && (refused.Status < http.StatusInternalServerError || refused.Code == codeAskAgain) {
		return nil
	}
	one := failure{Start: f.place.Start[:], System: f.place.System[:], Why: err.Error()}
	if f.place.Parent != nil {
		one.Parent = f.place.Parent.ID
	}
	s.failures = append(s.failures, one)
	return []journal.Record{recordOf(s.id, kindFailed, one)}
}

// forgive forgets the failures of calls that a later one of their branch made good: it
// continues the same call or, if they began a conversation, has the same instructions and
// tools. s.mu is held.
func (s *session) forgive(n *tree.Node) {
	if len(s.failures) == 0 {
		return
	}
	path := n.Path()
	s.failures = slices.DeleteFunc(s.failures, func(one failure) bool {
		if one.Parent == "" {
			return string(one.Start) == string(n.Start[:]) && string(one.System) == string(n.System[:])
		}
		return slices.ContainsFunc(path, func(at *tree.Node) bool { return at.ID == one.Parent })
	})
}
