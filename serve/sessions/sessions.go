// Package sessions has the table in which the protocols of a server keep the sessions of their
// clients: how many may be open, how long one may be idle, whose it is, and how it ends. A
// protocol adds its forms and its statuses.
package sessions

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
)

// Limits bounds the sessions of a table.
type Limits struct {
	Most int           // open at once
	Each int           // of them, of one key; 0: Most
	Idle time.Duration // without a call, after which a session ends
	Full error         // refuses a session beyond Most or Each; nil: an error of status 503 that names the setting
}

// An AnyTable is a table of any protocol.
type AnyTable interface {
	Count() int   // of open sessions
	Close() error // ends all, and lets no other open
}

// A Table holds the open sessions of a protocol by name. Each belongs to an owner, the
// [web.Call.Owner] of the call that opened it: others do not find it. Many goroutines may use a
// table at once.
type Table[V io.Closer] struct {
	limits Limits
	serial bool

	mu      sync.Mutex
	closed  bool
	byName  map[string]*session[V]
	byOwner map[string]int // how many
	ends    sync.WaitGroup // of idle sessions
}

// A session is an entry of a table, whose mutex guards the fields from open on.
type session[V io.Closer] struct {
	name, owner string
	value       V

	turn  chan struct{} // has one element while a call is under way, in a serial table
	ended bool          // whose turn it is guards it

	open  bool // value is there
	calls int  // under way or waiting; its opening is one
	used  time.Time
	idle  *time.Timer
}

// New returns a table whose sessions take any number of calls at once. The Close of a session
// ends those under way.
func New[V io.Closer](limits Limits) *Table[V] {
	limits.Each = cmp.Or(limits.Each, limits.Most)
	return &Table[V]{limits: limits, byName: map[string]*session[V]{}, byOwner: map[string]int{}}
}

// NewSerial returns a table whose sessions take one call at a time; others wait. A session is
// closed after the call under way.
func NewSerial[V io.Closer](limits Limits) *Table[V] {
	t := New[V](limits)
	t.serial = true
	return t
}

// Open adds the session that open returns, if there may be another: else it does not call open.
// The error is that of open, or one that a route may return: the table is full, or the name is
// taken (409).
func (t *Table[V]) Open(name, owner string, open func() (V, error)) (err error) {
	s := &session[V]{name: name, owner: owner, turn: make(chan struct{}, 1), calls: 1}
	if err := t.enter(s); err != nil {
		return err
	}
	defer t.leave(s)
	if s.value, err = open(); err != nil {
		return err
	}
	t.mu.Lock()
	s.open = !t.closed
	t.mu.Unlock()
	if !s.open {
		return errors.Join(t.full("it has", t.limits.Most, "serve.max_sessions"), s.value.Close())
	}
	return nil
}

// enter takes a place for a session that is about to open.
func (t *Table[V]) enter(s *session[V]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.byName[s.name] != nil:
		return web.Errorf(http.StatusConflict, "there is a session %.100q already", s.name)
	case t.closed || len(t.byName) >= t.limits.Most:
		return t.full("it has", t.limits.Most, "serve.max_sessions")
	case s.owner != "" && t.byOwner[s.owner] >= t.limits.Each:
		return t.full("this key has", t.limits.Each, "serve.max_sessions_per_key")
	}
	t.byName[s.name] = s
	t.byOwner[s.owner]++
	return nil
}

// full is the refusal of one session too many.
func (t *Table[V]) full(there string, most int, setting string) error {
	if t.limits.Full != nil {
		return t.limits.Full
	}
	return web.Errorf(http.StatusServiceUnavailable, "%s %s already, as many as %s allows: close some, or wait", there, stats.Count(most, "session"), setting)
}

// join returns an open session of an owner, which is not idle before leave; nil: there is none.
func (t *Table[V]) join(name, owner string) *session[V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byName[name]
	if s == nil || !s.open || s.owner != owner {
		return nil
	}
	s.calls++
	return s
}

// leave follows join, and the opening. A session that did not open goes.
func (t *Table[V]) leave(s *session[V]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.calls--
	s.used = time.Now()
	switch {
	case t.byName[s.name] != s:
	case !s.open:
		t.remove(s)
	case s.idle == nil:
		s.idle = time.AfterFunc(t.limits.Idle, func() { t.expire(s) })
	default:
		s.idle.Reset(t.limits.Idle)
	}
}

// remove takes a session out, and reports whether it was in: who took it out closes it. t.mu is held.
func (t *Table[V]) remove(s *session[V]) bool {
	if t.byName[s.name] != s {
		return false
	}
	delete(t.byName, s.name)
	if t.byOwner[s.owner]--; t.byOwner[s.owner] == 0 {
		delete(t.byOwner, s.owner)
	}
	if s.idle != nil {
		s.idle.Stop()
	}
	return true
}

// expire ends a session if it is idle. Nobody is there to hear of an error.
func (t *Table[V]) expire(s *session[V]) {
	t.mu.Lock()
	idle := s.calls == 0 && time.Since(s.used) >= t.limits.Idle && t.remove(s)
	if idle {
		t.ends.Add(1)
	}
	t.mu.Unlock()
	if idle {
		defer t.ends.Done()
		_ = t.end(s)
	}
}

// end closes a session that was taken out.
func (t *Table[V]) end(s *session[V]) error {
	if t.serial {
		s.turn <- struct{}{}
		defer func() { <-s.turn }()
		s.ended = true
	}
	return s.value.Close()
}

// Get returns a session of an owner, if there is one, and counts as a call of it.
func (t *Table[V]) Get(name, owner string) (v V, ok bool) {
	s := t.join(name, owner)
	if s == nil {
		return v, false
	}
	t.leave(s)
	return s.value, true
}

// Call calls f with a session of an owner, and ends the session if f says that it is over. It
// reports whether there is such a session; the error is that of f, or of the end.
func (t *Table[V]) Call(name, owner string, f func(V) (over bool, err error)) (ok bool, err error) {
	s := t.join(name, owner)
	if s == nil {
		return false, nil
	}
	defer t.leave(s)
	if t.serial {
		s.turn <- struct{}{}
		defer func() { <-s.turn }()
		if s.ended {
			return false, nil
		}
	}
	over, err := f(s.value)
	if !over {
		return true, err
	}
	t.mu.Lock()
	over = t.remove(s)
	t.mu.Unlock()
	if over {
		s.ended = true
		err = errors.Join(err, s.value.Close())
	}
	return true, err
}

// End ends a session of an owner, if there is one.
func (t *Table[V]) End(name, owner string) error {
	_, err := t.Call(name, owner, func(V) (over bool, err error) { return true, nil })
	return err
}

// Count is the number of open sessions.
func (t *Table[V]) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byName)
}

// Close ends all sessions, and lets no other open.
func (t *Table[V]) Close() (err error) {
	t.mu.Lock()
	t.closed = true
	var all []*session[V]
	for _, s := range t.byName {
		if s.open && t.remove(s) { // what is still opening closes itself
			all = append(all, s)
		}
	}
	t.mu.Unlock()
	for _, s := range all {
		err = errors.Join(err, t.end(s))
	}
	t.ends.Wait()
	return err
}
