package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A journal is a store of states that remembers every write, and may fail.
type journal struct {
	list []queue.State
	fail error
}

func (j *journal) SetStates(_ context.Context, list []queue.State) error {
	if j.fail == nil {
		j.list = append(j.list, list...)
	}
	return j.fail
}

func (j *journal) State(_ context.Context, key string) (value []byte, err error) {
	for _, s := range j.list {
		if s.Key == key {
			value = s.Value
		}
	}
	return value, nil
}

func (j *journal) States(_ context.Context, prefix string) (list []queue.State, err error) {
	last := map[string][]byte{}
	for _, s := range j.list {
		last[s.Key] = s.Value
	}
	for key, value := range last {
		if value != nil && strings.HasPrefix(key, prefix) {
			list = append(list, queue.State{Key: key, Value: value})
		}
	}
	return list, nil
}

// plain is a scenario whose problems are their indices.
type plain struct{}

func (plain) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "plain", Version: 1, Default: true}
}

func (plain) TaskInfo() quintain.Info {
	return quintain.Info{Name: "plain", Levels: []json.RawMessage{[]byte("{}")}}
}

func (plain) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.ID()), nil }

func (plain) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "plain", Index: d.Index}, nil
}

func (plain) Env(quintain.Problem) (quintain.Env, error) { return nil, errors.New("not played") }

// newLedger opens a ledger over a store.
func newLedger(t testing.TB, store stateStore) *ledger {
	t.Helper()
	mix, err := rollout.NewMix([]rollout.Stream{{Scenario: plain{}, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := openLedger(t.Context(), store, record{recordHead: recordHead{RunID: newRunID()}, Streams: mix}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// state is all that a record holds but the number of its last change.
func (l *ledger) state(t *testing.T) string {
	t.Helper()
	streams, err := l.record.Streams.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %d %q %s", l.record.RunID, l.record.Version, l.record.Batch, streams)
}

// After each write the process may end: the next one resumes from what was saved last. The
// journal is long enough that changes take the keys of earlier ones, and some writes fail.
func TestLedgerAfterEachWrite(t *testing.T) {
	store := &journal{}
	var want []string // the state at each write
	var jobs []rollout.Job
	for process := range 4 {
		l := newLedger(t, store)
		if len(want) > 0 && l.state(t) != want[len(want)-1] {
			t.Fatalf("process %d begins with %s, want %s", process, l.state(t), want[len(want)-1])
		}
		jobs = nil // their problems are to be played again
		for step := range 900 {
			for range 1 + step%3 {
				job, err := l.record.Streams.Next()
				if err != nil {
					t.Fatal(err)
				}
				jobs = append(jobs, job)
			}
			if at := step * 7 % len(jobs); step%2 == 0 {
				l.record.Streams.Done(jobs[at], []float64{0, 0.5})
				jobs = slices.Delete(jobs, at, at+1)
			}
			if step%50 == 20 {
				l.record.Version++
				l.record.Batch = []string{fmt.Sprint("g", step), "h"}
			}
			store.fail = nil
			if step%301 == 300 {
				store.fail = queue.ErrUncertain
			}
			if err := l.save(t.Context()); !errors.Is(err, store.fail) {
				t.Fatal(err)
			}
			if store.fail == nil {
				want = append(want, l.state(t))
			}
		}
		store.fail = nil
	}
	snapshots := 0
	for i, s := range store.list {
		if s.Key == RecordKey {
			snapshots++
		}
		if i%37 != 0 && s.Key != RecordKey {
			continue
		}
		if got := newLedger(t, &journal{list: store.list[:i+1]}).state(t); got != want[i] {
			t.Fatalf("after write %d, of %s: %s, want %s", i, s.Key, got, want[i])
		}
	}
	if len(store.list) < 3000 || snapshots > 4*5 {
		t.Errorf("%d writes, %d of them whole", len(store.list), snapshots)
	}
}

// A save costs the same at any number of open problems.
func TestSavesStaySmall(t *testing.T) {
	for _, open := range []int{100, 20_000} {
		store := &journal{}
		l := newLedger(t, store)
		jobs := make([]rollout.Job, open)
		for i := range jobs {
			jobs[i], _ = l.record.Streams.Next()
		}
		for i := range 1000 {
			l.record.Streams.Done(jobs[i*97%open/2*2], nil)
			jobs[i*97%open/2*2], _ = l.record.Streams.Next()
			if err := l.save(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for i, s := range store.list[1:] {
			if len(s.Value) > 300 {
				t.Fatalf("%d open: save %d has %d bytes", open, i+1, len(s.Value))
			}
		}
	}
}

// A heavy is a part of many bytes, which changes each time.
type heavy struct{ text string }

func (h *heavy) Snapshot() (json.RawMessage, error) {
	h.text = strings.Repeat("abcdefghij"[len(h.text)%10:][:1], 400_003+len(h.text)%3*300_000)
	return json.Marshal(h.text)
}
func (h *heavy) Changes() json.RawMessage               { return nil }
func (h *heavy) Restore(snapshot json.RawMessage) error { return json.Unmarshal(snapshot, &h.text) }
func (h *heavy) Replay(json.RawMessage) error           { return nil }

// A part larger than a state may be is found whole, wherever the process is killed.
func TestALargePartOfTheRecord(t *testing.T) {
	store, h := &journal{}, &heavy{}
	l := newLedger(t, store)
	l.record.Part.of = h
	var want []string // by snapshots
	var heads []int   // in the journal
	for range 5 {
		before := len(store.list)
		if l.grown = -1; l.save(t.Context()) != nil {
			t.Fatal("not saved")
		}
		want = append(want, h.text)
		heads = append(heads, before+slices.IndexFunc(store.list[before:], func(s queue.State) bool { return s.Key == RecordKey }))
	}
	seen := 0
	for i := range store.list {
		if len(store.list[i].Value) > 300_000 {
			t.Fatalf("write %d has %d bytes", i, len(store.list[i].Value))
		}
		if seen < 5 && i == heads[seen] {
			seen++
		}
		if seen == 0 {
			continue
		}
		found := &heavy{}
		mix, _ := rollout.NewMix([]rollout.Stream{{Scenario: plain{}, Weight: 1}})
		if _, err := openLedger(t.Context(), &journal{list: store.list[:i+1]}, record{Streams: mix, Part: partRecord{found}}, nil); err != nil || found.text != want[seen-1] {
			t.Fatalf("after write %d, of %s: a part of %d bytes, want %d; error %v", i, store.list[i].Key, len(found.text), len(want[seen-1]), err)
		}
	}
	if left, _ := store.States(t.Context(), piecePrefix); len(left) > 4 || seen != 5 {
		t.Errorf("%d pieces are left after %d snapshots", len(left), seen)
	}
}

// A record of format 3, and changes of another run, are read as they should be.
func TestLedgerOfEarlierProgram(t *testing.T) {
	store := &journal{list: []queue.State{
		{Key: changeKey(1), Value: []byte(`{"run_id":"other","number":1,"version":9,"streams":[]}`)},
		{Key: RecordKey, Value: []byte(`{"format":3,"run_id":"r","trained":false,"version":4,"batch":["g"],"streams":{"streams":{"plain.v1/plain.s0.44136fa3":{"next":9,"redo":[2,3,7]}}}}`)},
	}}
	const want = `r 4 ["g"] {"order":["plain.v1/plain.s0.44136fa3"],"streams":{"plain.v1/plain.s0.44136fa3":{"next":9,"again":[2,2,3,1]}}}`
	if got := newLedger(t, store).state(t); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// BenchmarkSave saves the record of a run after each finished problem.
func BenchmarkSave(b *testing.B) {
	for _, open := range []int{1_000, 10_000, 90_000} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			store, err := files.Open(b.TempDir(), files.Options{})
			if err != nil {
				b.Fatal(err)
			}
			q, err := queue.Open(b.Context(), store, queue.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer q.Close()
			l := newLedger(b, q)
			jobs := make([]rollout.Job, open)
			for i := range jobs {
				jobs[i], _ = l.record.Streams.Next()
			}
			for i := 0; b.Loop(); i++ {
				at := i * 7919 % open
				l.record.Streams.Done(jobs[at], []float64{0, 1, 0, 1, 0, 1, 0, 1})
				jobs[at], _ = l.record.Streams.Next()
				if err := l.save(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
