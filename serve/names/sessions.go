package names

import (
	"container/list"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
)

// Limits bounds the sessions of a server.
type Limits struct {
	Most int           // at once
	Idle time.Duration // after which an unused session ends
}

// A Table holds sessions by name. Many goroutines may use it at once.
type Table[V io.Closer] struct {
	limits Limits

	mu     sync.Mutex
	byName map[string]*list.Element
	used   list.List // of *entry[V]: least recently used first
}

// An entry is a session.
type entry[V io.Closer] struct {
	name  string
	value V
	last  time.Time // last use
}

// NewTable returns a table of sessions. It closes idle ones when another begins.
func NewTable[V io.Closer](limits Limits) *Table[V] {
	return &Table[V]{limits: limits, byName: make(map[string]*list.Element)}
}

// Add adds a session, which it closes in the end, or at once if there is an error. The error
// is one that a route may return: there are too many, or one has the name.
func (t *Table[V]) Add(name string, v V) error {
	if err := t.closeStale(); err != nil {
		return errors.Join(err, v.Close())
	}
	if err := t.put(name, v); err != nil {
		return errors.Join(err, v.Close())
	}
	return nil
}

// put adds a session.
func (t *Table[V]) put(name string, v V) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[name] != nil {
		return web.Errorf(http.StatusConflict, "there is a session %.100q already", name)
	}
	if len(t.byName) >= t.limits.Most {
		return web.Errorf(http.StatusServiceUnavailable, "there are %d sessions already, as many as serve.max_sessions allows: close some, or wait", t.limits.Most)
	}
	t.byName[name] = t.used.PushBack(&entry[V]{name, v, time.Now()})
	return nil
}

// closeStale closes sessions that were idle for too long.
func (t *Table[V]) closeStale() (err error) {
	for _, old := range t.takeStale() {
		err = errors.Join(err, old.Close())
	}
	return err
}

// takeStale removes and returns them.
func (t *Table[V]) takeStale() (all []V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at := t.used.Front(); at != nil; at = t.used.Front() {
		e, _ := at.Value.(*entry[V])
		if time.Since(e.last) < t.limits.Idle {
			break
		}
		t.remove(at)
		all = append(all, e.value)
	}
	return all
}

// remove removes a session. The caller holds t.mu.
func (t *Table[V]) remove(at *list.Element) V {
	e, _ := t.used.Remove(at).(*entry[V])
	delete(t.byName, e.name)
	return e.value
}

// Get returns the named session, if there is one, and marks it as used.
func (t *Table[V]) Get(name string) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.byName[name]
	if at == nil {
		return v, false
	}
	e, _ := at.Value.(*entry[V])
	e.last = time.Now()
	t.used.MoveToBack(at)
	return e.value, true
}

// End removes the named session, if there is one, and closes it.
func (t *Table[V]) End(name string) error {
	v, ok := t.take(name)
	if !ok {
		return nil
	}
	return v.Close()
}

// take removes the named session, if there is one, and returns it.
func (t *Table[V]) take(name string) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.byName[name]
	if at == nil {
		return v, false
	}
	return t.remove(at), true
}
