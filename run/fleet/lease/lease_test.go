package lease_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/fleet/lease"
)

// problem is the problem of an index.
func problem(index int) quintain.Problem {
	return quintain.Problem{
		Task: "sum", Scenario: "plain.v1", Version: 1, Seed: 7, Index: index, Params: json.RawMessage(`{}`),
		Prompt: fmt.Sprintf("What is %d + 1?", index), Instance: quintain.NewRecord(map[string]int{"sum": index + 1}),
	}
}

// A machine drives a book, its log and a model of both.
type machine struct {
	t    *rapid.T
	book *lease.Book

	snapshot json.RawMessage
	changes  []json.RawMessage

	open     map[uint64]int // index of the problem, by lease
	attempts map[int]int    // workers lost with an index
	finished map[int]string // answer, by index
	ended    map[uint64]string
	last     uint64
	next     int
	redo     []int
}

// save takes what a record keeps of the book.
func (m *machine) save() {
	if changes := m.book.Changes(); changes != nil {
		m.changes = append(m.changes, changes)
	}
}

func (m *machine) grant(*rapid.T) {
	index := m.next
	if len(m.redo) > 0 {
		index, m.redo = m.redo[0], m.redo[1:]
	} else {
		m.next++
	}
	l := m.book.Grant("worker", problem(index))
	m.last++
	if l.Number != m.last || l.Attempt != m.attempts[index]+1 || l.Problem.ID() != problem(index).ID() {
		m.t.Fatalf("lease %d of %s, attempt %d; want lease %d of %s, attempt %d", l.Number, l.Problem.ID(), l.Attempt, m.last, problem(index).ID(), m.attempts[index]+1)
	}
	m.open[l.Number] = index
	m.save()
}

// some draws the number of a lease, open or not.
func (m *machine) some(t *rapid.T) uint64 { return rapid.Uint64Range(0, m.last+1).Draw(t, "lease") }

func (m *machine) finish(t *rapid.T) {
	number, answer := m.some(t), rapid.SampledFrom([]string{"", "equal_scores"}).Draw(t, "answer")
	index, open := m.open[number]
	if m.book.Finish(number, answer) != open {
		t.Fatalf("finish of lease %d: want %v", number, open)
	}
	if open {
		if _, twice := m.finished[index]; twice {
			t.Fatalf("problem %d is finished twice", index)
		}
		m.finished[index], m.ended[number] = answer, answer
		delete(m.open, number)
		delete(m.attempts, index)
	}
	m.save()
}

func (m *machine) giveBack(t *rapid.T) { m.back(t, m.book.Return, 0) }
func (m *machine) expire(t *rapid.T)   { m.back(t, m.book.Expire, 1) }

func (m *machine) back(t *rapid.T, how func(uint64) bool, lost int) {
	number := m.some(t)
	index, open := m.open[number]
	if how(number) != open {
		t.Fatalf("lease %d: want %v", number, open)
	}
	if open {
		m.attempts[index] += lost
		m.redo = append(m.redo, index)
		delete(m.open, number)
	}
	m.save()
}

// restart is a new process, from the snapshot and the changes.
func (m *machine) restart(*rapid.T) {
	m.book = lease.New()
	if m.snapshot != nil {
		if err := m.book.Restore(m.snapshot); err != nil {
			m.t.Fatal(err)
		}
		for _, c := range m.changes {
			if err := m.book.Replay(c); err != nil {
				m.t.Fatal(err)
			}
		}
	}
	m.snap(m.t)
}

// snap begins a new snapshot.
func (m *machine) snap(*rapid.T) {
	var err error
	if m.snapshot, err = m.book.Snapshot(); err != nil {
		m.t.Fatal(err)
	}
	m.changes = nil
}

// check compares the book with the model: each problem below next is finished, open with one
// lease, or to be granted again.
func (m *machine) check(t *rapid.T) {
	seen := map[int]int{}
	for _, l := range m.book.Open() {
		if index, open := m.open[l.Number]; !open || index != l.Problem.Index {
			t.Fatalf("lease %d of problem %d is open", l.Number, l.Problem.Index)
		}
		if l.Problem.Prompt != "" {
			t.Fatalf("the book keeps the prompt of problem %d", l.Problem.Index)
		}
		seen[l.Problem.Index]++
	}
	for _, index := range m.redo {
		seen[index]++
	}
	for index := range m.finished {
		seen[index]++
	}
	for index := range m.next {
		if seen[index] != 1 {
			t.Fatalf("problem %d is at %d places", index, seen[index])
		}
	}
	for number, want := range m.ended {
		if got, finished := m.book.Answer(number); !finished || got != want {
			t.Fatalf("the answer of lease %d is %q, %v; want %q", number, got, finished, want)
		}
	}
}

func TestBookIsAFunctionOfItsLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{t: t, book: lease.New(), open: map[uint64]int{}, attempts: map[int]int{}, finished: map[int]string{}, ended: map[uint64]string{}}
		m.snap(t)
		t.Repeat(map[string]func(*rapid.T){
			"grant": m.grant, "finish": m.finish, "return": m.giveBack, "expire": m.expire, "restart": m.restart, "snapshot": m.snap, "": m.check,
		})
	})
}

func TestOldAnswersAreForgotten(t *testing.T) {
	b := lease.New()
	for i := range lease.Remembered + 1 {
		b.Finish(b.Grant("w", problem(i)).Number, "")
	}
	if _, ok := b.Answer(1); ok {
		t.Error("the first answer is remembered")
	}
	if _, ok := b.Answer(2); !ok {
		t.Error("the second answer is forgotten")
	}
}

func same(x, y lease.Lease) bool {
	return x.Number == y.Number && x.Attempt == y.Attempt && x.Instance == y.Instance && x.Problem.ID() == y.Problem.ID()
}

// A snapshot has a dozen bytes for a lease: a store takes no records of many megabytes.
func TestSnapshotsAreSmall(t *testing.T) {
	b, again := lease.New(), lease.New()
	for i := range 10_000 {
		b.Grant(fmt.Sprintf("worker%020d", i%10), problem(i))
	}
	text, err := b.Snapshot()
	if err != nil || len(text) > 150_000 {
		t.Errorf("%d bytes for 10,000 leases, error %v", len(text), err)
	}
	if err := again.Restore(text); err != nil || !slices.EqualFunc(again.Open(), b.Open(), same) {
		t.Errorf("the leases come back otherwise; error %v", err)
	}
}

func TestRecordsOfNoBook(t *testing.T) {
	for _, test := range []struct{ why, snapshot, changes string }{
		{"a lease beyond the last", `{"last":1,"held":[{"l":[2,1,0]}]}`, ""},
		{"no object", `[]`, ""},
		{"a finish of a lease that is not open", `{"last":1}`, `[{"op":"finish","n":1}]`},
		{"a grant out of turn", `{"last":1}`, `[{"op":"grant","lease":{"n":3}}]`},
		{"a grant of nothing", `{"last":1}`, `[{"op":"grant"}]`},
		{"an unknown operation", `{"last":1,"held":[{"l":[1,1,0]}]}`, `[{"op":"lend","n":1}]`},
	} {
		b := lease.New()
		err := b.Restore(json.RawMessage(test.snapshot))
		if err == nil && test.changes != "" {
			err = b.Replay(json.RawMessage(test.changes))
		}
		if err == nil {
			t.Errorf("%s: it is taken", test.why)
		}
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(`[{"op":"grant","lease":{"n":1,"a":1,"w":"x","p":{"task":"sum"}}},{"op":"expire","n":1}]`))
	f.Fuzz(func(t *testing.T, changes []byte) {
		b := lease.New()
		if b.Replay(changes) != nil {
			return
		}
		text, err := b.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		again := lease.New()
		if err := again.Restore(text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if back, err := again.Snapshot(); err != nil || !bytes.Equal(back, text) {
			t.Errorf("%s became %s, %v", text, back, err)
		}
	})
}
