package gateway

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
)

// A held session has tokens and texts in memory.
type held struct {
	session *session
	since   time.Time // its last use
	bytes   int
}

// makeRoom has the sessions that are idle the longest give up their tokens and texts, which the
// journal has too, if those of all take more memory than they may.
func makeRoom(g *Gateway) {
	if g.book.journal == nil {
		return
	}
	most, total := g.config.Settings.Hold, int64(0)
	all := heldSessions(g)
	for _, h := range all {
		total += int64(h.bytes)
	}
	if total <= most {
		return
	}
	slices.SortFunc(all, func(a, b held) int { return a.since.Compare(b.since) })
	for _, h := range all {
		if total <= most-most/4 {
			return
		}
		total -= int64(h.session.giveUp())
	}
}

// heldSessions returns the sessions with something in memory.
func heldSessions(g *Gateway) (all []held) {
	g.mu.Lock()
	for _, s := range g.sessions {
		all = append(all, held{s, s.group.doneAt, 0})
	}
	g.mu.Unlock()
	for i := range all {
		h := &all[i]
		var used time.Time
		if h.bytes, used = h.session.held(); used.After(h.since) {
			h.since = used
		}
	}
	return slices.DeleteFunc(all, func(h held) bool { return h.bytes == 0 })
}

// errForgotten says that the journal has nothing of a session: its group is finished.
var errForgotten = errors.New("the session is finished, and its calls are not kept any more")

// calls reads the calls of a session from the journal, by their IDs.
func (b book) calls(session string) (map[string]*tree.Node, error) {
	records, err := b.journal.Read(session)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errForgotten
	}
	all := map[string]*tree.Node{}
	for _, r := range records {
		if r.Kind != kindCall {
			continue
		}
		n, _, err := tree.Decode(r.Data)
		if err != nil {
			return nil, err
		}
		all[n.ID] = n
	}
	return all, nil
}

// unreadable refuses a call of a session whose earlier calls cannot be read back. The log says
// why; the outcome of the session does too.
func unreadable(err error) error {
	if errors.Is(err, errForgotten) {
		return sessionEnded(err.Error())
	}
	return &dialect.Error{Status: http.StatusServiceUnavailable, Code: codeAskAgain, Message: "the earlier calls of the session cannot be read back from the disk"}
}
