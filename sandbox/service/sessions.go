package service

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A table holds sessions by ID.
type table struct {
	most int
	idle time.Duration

	mu      sync.Mutex
	closed  bool
	opening int
	byID    map[string]*session
	ends    sync.WaitGroup // of idle sessions
}

// A session is one that ends when it is idle.
type session struct {
	inner sandbox.Session
	table *table
	id    string
	busy  int // cells that run or wait; of the table's mu
	timer *time.Timer
}

// errMany says that no more sessions may be open.
var errMany = fmt.Errorf("%w: as many sessions are open as may be", sandbox.ErrBusy)

// add opens a session, if another may be open.
func (t *table) add(id string, open func() (sandbox.Session, error)) error {
	t.mu.Lock()
	full := t.closed || len(t.byID)+t.opening >= t.most
	if !full {
		t.opening++
	}
	t.mu.Unlock()
	if full {
		return errMany
	}
	inner, err := open()
	t.mu.Lock()
	t.opening--
	late := t.closed
	if err == nil && !late {
		s := &session{inner: inner, table: t, id: id}
		t.byID[id] = s
		s.wait()
	}
	t.mu.Unlock()
	if err == nil && late {
		return errors.Join(errMany, inner.Close())
	}
	return err
}

// wait has the session end if it stays idle. The caller must hold the table's mu.
func (s *session) wait() {
	s.timer = time.AfterFunc(s.table.idle, func() {
		s.table.mu.Lock()
		idle := s.busy == 0 && s.table.byID[s.id] == s
		if idle {
			delete(s.table.byID, s.id)
			s.table.ends.Add(1)
		}
		s.table.mu.Unlock()
		if idle {
			defer s.table.ends.Done()
			_ = s.inner.Close() // nobody is there to hear of an error
		}
	})
}

// get returns a session, which does not end before rest; nil: there is none.
func (t *table) get(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s != nil {
		s.busy++
		s.timer.Stop()
	}
	return s
}

// rest follows get.
func (s *session) rest() {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if s.busy--; s.busy == 0 && s.table.byID[s.id] == s {
		s.wait()
	}
}

// end ends a session, if there is one.
func (t *table) end(id string) error {
	t.mu.Lock()
	s := t.byID[id]
	delete(t.byID, id)
	if s != nil {
		s.timer.Stop()
	}
	t.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.inner.Close()
}

// count is the number of open sessions.
func (t *table) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}

// close ends all sessions, and lets no other begin.
func (t *table) close() (err error) {
	t.mu.Lock()
	t.closed = true
	ids := make([]string, 0, len(t.byID))
	for id := range t.byID {
		ids = append(ids, id)
	}
	t.mu.Unlock()
	for _, id := range ids {
		err = errors.Join(err, t.end(id))
	}
	t.ends.Wait()
	return err
}
