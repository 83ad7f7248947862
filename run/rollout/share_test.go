package rollout

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A dealer gives each index of each stream once, and forgets nothing.
type dealer map[string]int

func (d dealer) deal(t *testing.T, m *Mix) {
	t.Helper()
	for _, w := range m.Wants() {
		from := max(d[w.Stream], w.Least)
		d[w.Stream] = from + w.Count
		if err := m.Give(w.Stream, Block{from, from + w.Count}); err != nil {
			t.Fatal(err)
		}
	}
}

// sharing returns a mix that hands out only what it is given.
func sharing(t *testing.T, chosen bool) *Mix {
	t.Helper()
	m, err := NewMix([]Stream{
		{Scenario: numbered{name: "a"}, Weight: 1, Skip: func(p quintain.Problem) (bool, error) { return p.Index%3 == 1, nil }},
		{Scenario: numbered{name: "b"}, Weight: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	if chosen {
		m.ChooseBy(&learned{})
	}
	m.Share()
	return m
}

// Mixes that are given blocks of the same streams play each problem once, whenever their
// processes end and whatever of their records was kept, in proportion to the weights.
func TestShare(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		given := dealer{}
		mixes := []*Mix{sharing(t, seed%2 > 0), sharing(t, seed%2 > 0), sharing(t, seed%2 > 0)}
		played := map[string]map[int]bool{"a": {}, "b": {}}
		snapshots := make([][]byte, len(mixes))
		for i, m := range mixes {
			if _, err := m.Next(); !errors.Is(err, ErrNoShare) {
				t.Fatalf("before it is given any: error %v", err)
			}
			given.deal(t, m)
			snapshots[i], _ = m.Snapshot()
		}
		for range 2000 {
			i := r.IntN(len(mixes))
			switch m := mixes[i]; r.IntN(20) {
			case 0: // another process goes on
				changes := m.Changes()
				next := sharing(t, seed%2 > 0)
				if err := next.UnmarshalJSON(snapshots[i]); err != nil {
					t.Fatal(err)
				}
				if err := next.Replay(changes); err != nil {
					t.Fatal(err)
				}
				was, _ := m.MarshalJSON()
				now, _ := next.Snapshot()
				if string(was) != string(now) {
					t.Fatalf("seed %d: %s, want %s", seed, now, was)
				}
				mixes[i], snapshots[i] = next, now
			default:
				job, err := m.Next()
				if errors.Is(err, ErrNoShare) {
					given.deal(t, m)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				name := job.Problem.Task
				if played[name][job.Problem.Index] {
					t.Fatalf("seed %d: problem %d of %s came twice", seed, job.Problem.Index, name)
				}
				played[name][job.Problem.Index] = true
				m.Done(job, nil)
			}
		}
		if a, b := len(played["a"]), len(played["b"]); seed%2 == 0 && (a < 500 || b < 1000 || b > 2*a+20) {
			t.Errorf("seed %d: %d and %d problems, want one to two", seed, a, b)
		}
	}
}

// A mix asks before it runs out, says so, and takes no block that it had or that is none.
func TestWants(t *testing.T) {
	m := sharing(t, false)
	given := dealer{m.streams[1].name: 1000}
	want := m.Wants()
	if len(want) != 2 || want[0].Least != 0 || want[0].Count != 256 {
		t.Fatalf("wants %+v", want)
	}
	given.deal(t, m)
	if len(m.Wants()) != 0 {
		t.Errorf("still wants %+v", m.Wants())
	}
	for _, b := range []Block{{0, 10}, {255, 300}, {300, 300}, {300, 299}, {256, 256 + mostGiven + 1}} {
		if err := m.Give(want[0].Stream, b); err == nil {
			t.Errorf("it takes %+v", b)
		}
	}
	if err := m.Give("other", Block{0, 8}); err == nil {
		t.Error("it takes a block of a stream that it does not have")
	}
	select {
	case <-m.Low():
		t.Error("low at once")
	default:
	}
	if _, err := m.Next(); err != nil {
		t.Fatal(err)
	}
	<-m.Low()
	if want := m.Wants(); len(want) != 1 || want[0].Least < 256 {
		t.Errorf("wants %+v", want)
	}
}

// A record whose blocks are invalid is refused.
func TestInvalidBlocks(t *testing.T) {
	name := sharing(t, false).streams[0].name
	for text, fits := range map[string]bool{
		`{"next":5,"given":[5,9,20,30]}`:          true,
		`{"next":5,"others":5}`:                   true,
		`{"next":5,"given":[6,9]}`:                false,
		`{"next":5,"given":[5,9,8,30]}`:           false,
		`{"next":5,"given":[5]}`:                  false,
		`{"next":5,"others":-1}`:                  false,
		`{"next":5,"others":4,"skipped":2}`:       false,
		`{"next":5,"given":[5,9007199254740991]}`: false,
	} {
		if err := sharing(t, false).UnmarshalJSON([]byte(`{"streams":{"` + name + `":` + text + `}}`)); (err == nil) != fits {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// A file is dealt out in small blocks, and many streams in smaller ones than few.
func TestBlockOf(t *testing.T) {
	for _, test := range []struct{ size, streams, want int }{{0, 1, 256}, {0, 4, 128}, {0, 700, 32}, {10, 1, 4}, {700, 1, 21}, {100_000, 1, 256}} {
		if got := blockOf(Stream{Scenario: rows{size: test.size}}, test.streams); got != test.want {
			t.Errorf("a file of %d among %d streams: %d, want %d", test.size, test.streams, got, test.want)
		}
	}
	if !slices.Equal(edgesOf([]Block{{1, 2}, {4, 6}}), []int{1, 2, 4, 6}) {
		t.Error("edges")
	}
}

// rows is a scenario of a file of problems.
type rows struct {
	numbered
	size int
}

func (r rows) Size(int) int { return r.size }
