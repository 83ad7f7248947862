// Package lease keeps which problem of a run is given to which worker, as a function of a log:
// [Book] makes a record of each decision, and an equal list of records makes an equal book. It
// knows no clock, no network and no disk.
//
// A lease has a number that is never used twice. Only the newest lease of a problem is valid:
// what comes for another is fenced. So a problem is finished at most once, by whoever holds it.
package lease

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Remembered is how many finished leases a book answers for again.
const Remembered = 4096

// A Lease is a problem given to a worker.
type Lease struct {
	Number   uint64           `json:"n"`
	Attempt  int              `json:"a"` // at the problem, from 1
	Instance string           `json:"w"` // of the worker
	Problem  quintain.Problem `json:"p"` // what makes its ID: no prompt, no instance
}

// A Book keeps the leases of a run. Many goroutines may use it.
type Book struct {
	mu      sync.Mutex
	last    uint64            // number of the last lease
	open    map[uint64]*Lease // by number
	numbers []uint64          // of open, ascending, and of what was closed since they were listed
	tries   map[string]int    // workers that lost a problem, by its ID
	ended   map[uint64]string
	order   []uint64 // of ended, the oldest first
	logs    bool     // a snapshot was made
	changes []change // since then
}

// New returns an empty book.
func New() *Book { return After(0) }

// After returns an empty book whose first lease has the number after last.
func After(last uint64) *Book {
	return &Book{last: last, open: map[uint64]*Lease{}, tries: map[string]int{}, ended: map[uint64]string{}}
}

// A change is a decision, in the log.
type change struct {
	Op     op     `json:"op"`
	Lease  *Lease `json:"lease,omitempty"`  // of opGrant
	Number uint64 `json:"n,omitempty"`      // of the others
	Answer string `json:"answer,omitempty"` // of opFinish
}

type op string

const (
	opGrant  op = "grant"
	opFinish op = "finish" // the problem is finished, with an answer
	opReturn op = "return" // another worker gets the problem; nobody is to blame
	opExpire op = "expire" // another worker gets the problem: this one was lost
)

// bare returns what makes the ID of a problem.
func bare(p quintain.Problem) quintain.Problem {
	p.Prompt, p.Instance = "", quintain.Record{}
	return p
}

// Grant gives a problem to a worker. The problem has no open lease.
func (b *Book) Grant(instance string, p quintain.Problem) Lease {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := Lease{Number: b.last + 1, Attempt: b.tries[p.ID()] + 1, Instance: instance, Problem: bare(p)}
	b.make(change{Op: opGrant, Lease: &l})
	return l
}

// Finish closes a lease whose problem is finished, with the answer that whoever asks again gets.
// It reports whether the lease was open.
func (b *Book) Finish(number uint64, answer string) bool {
	return b.close(change{Op: opFinish, Number: number, Answer: answer})
}

// Return closes a lease whose problem another worker gets. It reports whether the lease was open.
func (b *Book) Return(number uint64) bool { return b.close(change{Op: opReturn, Number: number}) }

// Expire closes the lease of a worker that is lost. It reports whether the lease was open.
func (b *Book) Expire(number uint64) bool { return b.close(change{Op: opExpire, Number: number}) }

func (b *Book) close(c change) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.open[c.Number]; !ok {
		return false
	}
	b.make(c)
	return true
}

// make makes a change and logs it. b.mu is held.
func (b *Book) make(c change) {
	if err := b.apply(c); err != nil {
		panic("lease: " + err.Error()) // the callers have checked
	}
	if b.logs {
		b.changes = append(b.changes, c)
	}
}

// apply makes a change. b.mu is held.
func (b *Book) apply(c change) error {
	if c.Op == opGrant {
		if c.Lease == nil || c.Lease.Number != b.last+1 {
			return fmt.Errorf("a grant is not of lease %d", b.last+1)
		}
		b.last++
		b.open[b.last] = c.Lease
		b.numbers = append(b.numbers, b.last)
		return nil
	}
	l, ok := b.open[c.Number]
	if !ok {
		return fmt.Errorf("lease %d is not open", c.Number)
	}
	delete(b.open, c.Number)
	switch id := l.Problem.ID(); c.Op {
	case opReturn:
	case opExpire:
		b.tries[id] = l.Attempt
	case opFinish:
		delete(b.tries, id)
		b.remember(c.Number, c.Answer)
	default:
		return fmt.Errorf("the operation %q is unknown", c.Op)
	}
	return nil
}

// remember keeps the answer of a finished lease, and forgets the oldest.
func (b *Book) remember(number uint64, answer string) {
	b.ended[number] = answer
	if b.order = append(b.order, number); len(b.order) > Remembered {
		delete(b.ended, b.order[0])
		b.order = b.order[1:]
	}
}

// Answer returns the answer of a lease that was finished, unless that is long ago.
func (b *Book) Answer(number uint64) (answer string, finished bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	answer, finished = b.ended[number]
	return answer, finished
}

// Open lists the open leases, by number.
func (b *Book) Open() []Lease {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Lease, 0, len(b.open))
	for _, l := range b.listed() {
		all = append(all, *l)
	}
	return all
}

// listed lists the open leases, by number. b.mu is held.
func (b *Book) listed() []*Lease {
	all := make([]*Lease, 0, len(b.open))
	b.numbers = slices.DeleteFunc(b.numbers, func(n uint64) bool {
		l, ok := b.open[n]
		if ok {
			all = append(all, l)
		}
		return !ok
	})
	return all
}

// A snapshot is the JSON form of a book.
type snapshot struct {
	Last  uint64         `json:"last"`
	Held  []holding      `json:"held,omitempty"`
	Tries map[string]int `json:"tries,omitempty"`
	Ended []ending       `json:"ended,omitempty"` // the oldest first
}

// An ending is a finished lease.
type ending struct {
	Number uint64 `json:"n"`
	Answer string `json:"answer,omitempty"`
}

// Snapshot returns the whole book as JSON, and begins its changes anew.
func (b *Book) Snapshot() (json.RawMessage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.logs, b.changes = true, nil
	s := snapshot{Last: b.last, Held: holdings(b.listed()), Tries: b.tries}
	for _, n := range b.order {
		s.Ended = append(s.Ended, ending{n, b.ended[n]})
	}
	return json.Marshal(s)
}

// Changes returns, as JSON, the changes since the last Changes or Snapshot; nil: none.
func (b *Book) Changes() json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.changes) == 0 {
		return nil
	}
	text, err := json.Marshal(b.changes)
	if err != nil {
		panic("lease: a change: " + err.Error()) // cannot happen: numbers and text
	}
	clear(b.changes) // they hold the leases
	b.changes = b.changes[:0]
	return text
}

// Restore sets an empty book to a snapshot of an earlier process.
func (b *Book) Restore(data json.RawMessage) error {
	var s snapshot
	if err := strictjson.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("leases: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = s.Last
	for _, h := range s.Held {
		for _, l := range h.leases() {
			if l.Number > s.Last {
				return fmt.Errorf("leases: number %d, and the last is %d", l.Number, s.Last)
			}
			b.open[l.Number] = &l
		}
	}
	b.numbers = slices.Sorted(maps.Keys(b.open))
	maps.Copy(b.tries, s.Tries)
	for _, e := range s.Ended {
		b.remember(e.Number, e.Answer)
	}
	return nil
}

// Replay makes changes of an earlier process, after its snapshot and in their order.
func (b *Book) Replay(changes json.RawMessage) error {
	var all []change
	if err := strictjson.Unmarshal(changes, &all); err != nil {
		return fmt.Errorf("leases: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, c := range all {
		if err := b.apply(c); err != nil {
			return fmt.Errorf("leases: change %d: %w", i, err)
		}
	}
	return nil
}
