package gateway

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/web"
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
		h.session.mu.Lock()
		if h.session.isIdle() {
			h.session.tree.Release()
			total -= int64(h.bytes)
		}
		h.session.mu.Unlock()
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
		h.session.mu.Lock()
		if h.bytes = h.session.tree.Size; h.session.used.After(h.since) {
			h.since = h.session.used
		}
		h.session.mu.Unlock()
	}
	return slices.DeleteFunc(all, func(h held) bool { return h.bytes == 0 })
}

// isIdle reports whether nobody reads the session's tokens and texts. s.mu is held.
func (s *session) isIdle() bool { return len(s.underway) == 0 && s.waiting == 0 && s.readers == 0 }

// whole calls use while the session is locked, and its tokens and texts are in memory. If they
// cannot be read back, it returns why, and calls nothing.
func (s *session) whole(g *Gateway, use func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.Released {
		if err := s.readBack(g); err != nil {
			return err
		}
	}
	use()
	return nil
}

// readBack reads the session's tokens and texts. s.mu is held, but not while the disk is read.
func (s *session) readBack(g *Gateway) error {
	s.readers++
	s.mu.Unlock()
	calls, err := g.book.calls(s.id)
	s.mu.Lock()
	s.readers--
	if err == nil {
		err = s.tree.Restore(calls)
	}
	if s.unread = err; err != nil && !errors.Is(err, errForgotten) {
		g.config.Log.Error("the calls of a session cannot be read back", "session", s.id, "err", err)
	}
	return err
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

// played returns a session as an episode, as it is now.
func (s *session) played(g *Gateway) (t quintain.Trajectory, err error) {
	err = s.whole(g, func() {
		if s.state != Sealed {
			s.tree.JudgeUse()
		}
		t = s.trajectory(s.id, &g.config.Settings)
	})
	switch {
	case errors.Is(err, errForgotten):
		return t, web.Errorf(http.StatusGone, "%v", err)
	case err != nil:
		return t, web.Fault(http.StatusServiceUnavailable, err)
	}
	return t, nil
}

// final returns a sealed session as an episode of its group. What cannot be read back has no
// reward.
func (s *session) final(g *Gateway, id string) (t quintain.Trajectory) {
	err := s.whole(g, func() { t = s.trajectory(id, &g.config.Settings) })
	if err == nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome, s.why = s.fate()
	return s.trajectory(id, &g.config.Settings)
}
