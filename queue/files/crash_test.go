package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// A fate is the known state of a group.
type fate struct {
	put   bool // the put succeeded
	maybe bool // the put is uncertain
	acked bool // the ack succeeded
	tried bool // the ack is uncertain
}

// A survivor is a queue over a failing disk, with the known states of its groups.
type survivor struct {
	*rapid.T
	d     *waltest.Disk
	q     *queue.Queue
	store *store
	next  int
	fates map[string]*fate
	state map[string][]string // possible values of each state
}

// Whatever happens to the disk, confirmed puts are there, confirmed acks never come again, and
// failed operations did not happen.
func TestDiskThatFails(t *testing.T) {
	t.Parallel()
	for range histories {
		rapid.Check(t, history)
	}
}

func history(t *rapid.T) {
	s := &survivor{T: t, d: waltest.New(), fates: make(map[string]*fate), state: make(map[string][]string)}
	s.open()
	defer func() { s.store.Close() }()
	t.Repeat(map[string]func(*rapid.T){
		"put":       s.put,
		"put again": s.putAgain,
		"ack":       s.ack,
		"state":     s.setState,
		"fail":      s.fail,
		"kill":      s.kill,
		"power cut": s.powerCut,
		"close":     s.end,
		"seal":      func(*rapid.T) { s.store.catalog.trySeal() },
		"":          func(*rapid.T) {},
	})
	s.end(t)
	s.check()
}

// open opens the queue as a new process does, on a working disk.
func (s *survivor) open() {
	s.d.Fails, s.d.Skip = 0, 0
	var err error
	if s.store, err = openFolder(s.d, Options{segmentSize: 1500}); err != nil {
		s.Fatal(err)
	}
	if s.q, err = queue.Open(context.Background(), s.store, queue.Options{}); err != nil {
		s.Fatal(err)
	}
}

// group returns a small group.
func small(i int) *quintain.Group {
	return &quintain.Group{
		ID: fmt.Sprintf("g%d", i), Tokens: [][]quintain.Token{{1, 2, quintain.Token(i)}}, Masks: [][]int32{{-100, 2, int32(i)}}, Scores: []float64{1},
	}
}

func (s *survivor) put(t *rapid.T) {
	n := rapid.IntRange(1, 3).Draw(t, "groups")
	var list []*quintain.Group
	for range n {
		list = append(list, small(s.next))
		s.fates[small(s.next).ID] = &fate{}
		s.next++
	}
	fresh, err := s.q.PutAll(context.Background(), list)
	for i, g := range list {
		f := s.fates[g.ID]
		f.put = err == nil
		f.maybe = f.put || errors.Is(err, queue.ErrUncertain)
		if err == nil && !fresh[i] {
			t.Fatalf("group %s is not fresh", g.ID)
		}
	}
}

// putAgain puts a group again whose put was uncertain, or succeeded.
func (s *survivor) putAgain(t *rapid.T) {
	if s.next == 0 {
		return
	}
	g := small(rapid.IntRange(0, s.next-1).Draw(t, "group"))
	f := s.fates[g.ID]
	fresh, err := s.q.Put(context.Background(), g)
	switch {
	case err == nil && fresh && f.put:
		t.Fatalf("group %s is fresh, and was kept before", g.ID)
	case err == nil && !fresh && !f.maybe:
		t.Fatalf("group %s is known, and was said not to be kept", g.ID)
	case err == nil:
		f.put, f.maybe = true, true
	case errors.Is(err, queue.ErrUncertain):
		f.maybe = true
	}
}

func (s *survivor) ack(t *rapid.T) {
	list, err := s.q.Lease(context.Background(), queue.Want{Consumer: "a", Max: rapid.IntRange(1, 4).Draw(t, "groups")})
	if err != nil {
		if errors.As(err, new(*queue.CorruptError)) {
			t.Fatal(err)
		}
		return
	}
	var seqs []uint64
	for _, e := range list {
		f := s.fates[e.ID]
		if f == nil || f.acked || !f.maybe {
			t.Fatalf("group %s is handed out: %+v", e.ID, f)
		}
		seqs = append(seqs, e.Seq)
	}
	err = s.q.Ack(context.Background(), "a", seqs...)
	for _, e := range list {
		f := s.fates[e.ID]
		f.put = true // it was there
		f.acked = err == nil
		f.tried = f.tried || err == nil || errors.Is(err, queue.ErrUncertain)
	}
	s.q.ReleaseAll("a")
}

func (s *survivor) setState(t *rapid.T) {
	key, value := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"), rapid.StringN(0, 300, 400).Draw(t, "value")
	err := s.q.SetState(context.Background(), key, []byte(value))
	if s.state[key] == nil {
		s.state[key] = []string{""}
	}
	switch {
	case err == nil:
		s.state[key] = []string{value}
	case errors.Is(err, queue.ErrUncertain):
		s.state[key] = append(s.state[key], value)
	}
}

// fail makes operations of the disk fail.
func (s *survivor) fail(t *rapid.T) {
	s.d.Lock()
	defer s.d.Unlock()
	s.d.Err = rapid.SampledFrom(waltest.Faults()).Draw(t, "fault")
	s.d.Fails = rapid.IntRange(-1, 4).Draw(t, "fails")
	s.d.Skip = rapid.IntRange(0, 4).Draw(t, "skip")
}

// kill ends the process: its writes are there, synced or not.
func (s *survivor) kill(*rapid.T) {
	s.store.Close()
	s.open()
	s.check()
}

// powerCut stops the machine.
func (s *survivor) powerCut(t *rapid.T) {
	s.store.Close()
	s.d = s.d.Crash(t, true)
	s.open()
	s.check()
}

// end closes the queue, and opens it again.
func (s *survivor) end(*rapid.T) {
	s.q.Close() // may fail, as everything else
	s.open()
	s.check()
}

// check compares the queue with the known states.
func (s *survivor) check() {
	s.Helper()
	var waiting []string
	s.q.View(func(list []queue.Entry) {
		for i, e := range list {
			waiting = append(waiting, e.ID)
			if i > 0 && list[i-1].Seq >= e.Seq {
				s.Fatalf("%d waits after %d", e.Seq, list[i-1].Seq)
			}
		}
	})
	for id, f := range s.fates {
		there := slices.Contains(waiting, id)
		switch {
		case f.put && !f.tried && !there:
			s.Fatalf("group %s is lost", id)
		case f.acked && there:
			s.Fatalf("group %s waits, and was acknowledged", id)
		case there && !f.maybe:
			s.Fatalf("group %s waits, and was said not to be kept", id)
		}
		f.put = f.put || there
		f.maybe = f.put
		if there {
			f.tried = false
		}
		f.acked = f.put && !there
	}
	for key, values := range s.state {
		got, err := s.q.State(context.Background(), key)
		if err != nil || !slices.Contains(values, string(got)) {
			s.Fatalf("state %s is %q, error %v, want one of %q", key, got, err, values)
		}
		s.state[key] = []string{string(got)}
	}
	if n := s.q.Stats(); n.Lost > 0 || n.Corrupt > 0 {
		s.Fatalf("%d groups are missing, %d corrupt", n.Lost, n.Corrupt)
	}
	if n := s.store.Condition().Damaged; n > 0 {
		s.Fatalf("a crash counts as damage in %d places", n)
	}
	for _, e := range waiting {
		seq := s.seqOf(e)
		if d, err := s.q.Read(context.Background(), seq); err != nil || d.Group.ID != e {
			s.Fatalf("group %s: %v", e, err)
		}
	}
}

func (s *survivor) seqOf(id string) (seq uint64) {
	s.q.View(func(list []queue.Entry) {
		for _, e := range list {
			if e.ID == id {
				seq = e.Seq
			}
		}
	})
	return seq
}
