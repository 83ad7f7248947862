package registry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// loadShares opens the shares in a store, until the function returned.
func loadShares(t *testing.T, m queue.Store) (*shares, func()) {
	t.Helper()
	q, err := queue.Open(t.Context(), m, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := openShares(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShares deals out each index once, across restarts, and a lost block again to whom it
// belongs.
func TestShares(t *testing.T) {
	m := queue.NewMemory()
	for _, test := range []struct {
		why, instance, stream string
		least, count          int64
		want                  Block
	}{
		{"the first", "a", "x", 0, 32, Block{0, 32}},
		{"another", "b", "x", 0, 16, Block{32, 48}},
		{"another stream", "b", "y", 0, 16, Block{0, 16}},
		{"the first again, whose reply was lost", "a", "x", 0, 32, Block{0, 32}},
		{"that has it", "a", "x", 32, 8, Block{48, 56}},
		{"that has lost the second block, but not the first", "a", "x", 32, 8, Block{48, 56}},
		{"one that played further at a hub that is no more", "c", "x", 1000, 8, Block{1000, 1008}},
		{"another after it", "b", "x", 48, 8, Block{1008, 1016}},
	} {
		s, stop := loadShares(t, m) // the hub starts again
		blocks, err := s.deal(t.Context(), test.instance, []Want{{test.stream, test.least, test.count}})
		if err != nil || len(blocks) != 1 || blocks[0] != test.want {
			t.Errorf("%s: %v, error %v, want %v", test.why, blocks, err, test.want)
		}
		stop()
	}
	s, stop := loadShares(t, m)
	defer stop()
	if err := s.reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, stopAgain := loadShares(t, m)
	defer stopAgain()
	for _, s := range []*shares{s, again} {
		if len(s.streams) != 0 {
			t.Errorf("after a reset: %+v", s.streams)
		}
	}
}

// Any number of instances that lose replies at random get each index once.
func TestSharesOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	m := queue.NewMemory()
	s, stop := loadShares(t, m)
	had, by := map[string]int64{}, map[int64]string{}
	for range 3000 {
		if r.IntN(50) == 0 {
			stop()
			s, stop = loadShares(t, m)
		}
		name := fmt.Sprint(r.IntN(mostRecent))
		blocks, err := s.deal(t.Context(), name, []Want{{"x", had[name], 1 + r.Int64N(5)}})
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(3) == 0 {
			continue // the reply is lost
		}
		for i := blocks[0].From; i < blocks[0].To; i++ {
			if by[i] != "" {
				t.Fatalf("%d is of %s and of %s", i, by[i], name)
			}
			by[i] = name
		}
		had[name] = blocks[0].To
	}
	stop()
	if len(s.streams["x"].Last) > mostRecent {
		t.Errorf("it remembers %d blocks", len(s.streams["x"].Last))
	}
	if held := s.streams["x"].Next - int64(len(by)); held > 5*mostRecent {
		t.Errorf("%d indices were given to nobody", held)
	}
}

// A run has a bounded number of streams.
func TestMostStreams(t *testing.T) {
	s, stop := loadShares(t, queue.NewMemory())
	defer stop()
	for i := range mostStreams {
		s.streams[fmt.Sprint(i)] = stream{}
	}
	if _, err := s.deal(t.Context(), "a", []Want{{"new", 0, 1}}); !errors.Is(err, ErrStreams) {
		t.Errorf("error %v", err)
	}
	if _, err := s.deal(t.Context(), "a", []Want{{"7", 0, 1}}); err != nil {
		t.Error(err)
	}
}
