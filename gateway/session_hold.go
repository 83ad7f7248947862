package gateway

import (
	"errors"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// held tells the bytes of tokens and texts in memory, and their last use.
func (s *session) held() (bytes int, used time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.Size, s.used
}

// giveUp has an idle session give up its tokens and texts, and returns the bytes that they took.
func (s *session) giveUp() (bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isIdle() {
		return 0
	}
	bytes = s.tree.Size
	s.tree.Release()
	return bytes
}

// isIdle reports whether nobody reads the session's tokens and texts.
func (s *sessionState) isIdle() bool { return len(s.underway) == 0 && s.waiting == 0 && s.readers == 0 }

// whole calls use while the session is locked, and its tokens and texts are in memory. If they
// cannot be read back, it returns why, and calls nothing.
func (s *session) whole(use func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.Released {
		if err := s.readBack(); err != nil {
			return err
		}
	}
	use()
	return nil
}

// readBack reads the session's tokens and texts. s.mu is held, but not while the disk is read.
func (s *session) readBack() error {
	s.readers++
	s.mu.Unlock()
	calls, err := s.gateway.book.calls(s.id)
	s.mu.Lock()
	s.readers--
	if err == nil {
		err = s.tree.Restore(calls)
	}
	if s.unread = err; err != nil && !errors.Is(err, errForgotten) {
		s.gateway.config.Log.Error("the calls of a session cannot be read back", "session", s.id, "err", err)
	}
	return err
}

// played returns a session as an episode, as it is now.
func (s *session) played() (t quintain.Trajectory, err error) {
	err = s.whole(func() {
		if s.state != Sealed {
			s.tree.JudgeUse()
		}
		t = s.trajectory(s.id, &s.gateway.config.Settings)
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
func (s *session) final(id string) (t quintain.Trajectory) {
	err := s.whole(func() { t = s.trajectory(id, &s.gateway.config.Settings) })
	if err == nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome, s.why = s.fate()
	return s.trajectory(id, &s.gateway.config.Settings)
}
