package rollout

import (
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestMemoryHoldsOneGroupAtATime makes groups in one memory: each equals the one made in
// its own memory, and no row reaches into the next.
func TestMemoryHoldsOneGroupAtATime(t *testing.T) {
	own, shared := Rules{Estimator: GRPO, TurnDiscount: 1}, Rules{Estimator: GRPO, TurnDiscount: 1, Memory: &Memory{}}
	for _, test := range []struct {
		why    string
		result Result
	}{
		{"the first", result(played(2, -1, 1), played(2, 1))},
		{"a smaller one", result(played(1, 0), played(1, 1))},
		{"a larger one", result(played(9, 1, 0, 1), played(7, 1), played(1, 0))},
		{"the first again", result(played(2, -1, 1), played(2, 1))},
	} {
		want, got := judged(t, own, test.result), judged(t, shared, test.result)
		if a, b := text(t, got), text(t, want); a != b {
			t.Errorf("%s: %s, want %s", test.why, a, b)
		}
		_, _ = append(got.Tokens[0], 99), append(got.Masks[0], 99)
		if a, b := text(t, got), text(t, want); a != b {
			t.Errorf("%s, with a longer first row: %s, want %s", test.why, a, b)
		}
	}
	if n := testing.AllocsPerRun(10, func() { shared.Memory.room(30) }); n != 0 {
		t.Errorf("%v allocations for as many tokens as before", n)
	}
}

// TestMemoryStaysSmall makes room for a vast group, which is not kept.
func TestMemoryStaysSmall(t *testing.T) {
	var m Memory
	for _, n := range []int{10, mostKept + 1, 12} {
		if room := m.room(n); len(room.tokens) != n || len(room.masks) != n || len(room.logProbs) != n || len(room.versions) != n {
			t.Errorf("room for %d: %d, %d, %d and %d", n, len(room.tokens), len(room.masks), len(room.logProbs), len(room.versions))
		}
	}
	if cap(m.tokens) > mostKept {
		t.Errorf("it keeps room for %d tokens, want %d at most", cap(m.tokens), mostKept)
	}
}

// judged returns the group of a result.
func judged(t *testing.T, r Rules, of Result) *quintain.Group {
	t.Helper()
	j, err := r.Judge(of)
	g, drop := j.Group, j.Drop
	if err != nil || drop != "" {
		t.Fatalf("drop %q, error %v", drop, err)
	}
	return g
}

// text returns a group as JSON.
func text(t *testing.T, g *quintain.Group) string {
	t.Helper()
	b, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Many small groups are made at once, and few large ones, none of which keeps a small one waiting.
func TestMemoriesBoundTheGroupsMadeAtOnce(t *testing.T) {
	m := NewMemories()
	small, large := played(2, 1), quintain.Trajectory{Turns: []quintain.Turn{{Read: make([]quintain.Token, smallGroup+1)}}}
	for range cap(m.large) {
		_, give := m.Take([]quintain.Trajectory{large})
		defer give()
	}
	for range smallGroups {
		_, give := m.Take([]quintain.Trajectory{small})
		defer give()
	}
	if len(m.large) != 0 || len(m.small) != 0 || smallGroups <= cap(m.large) {
		t.Errorf("%d large and %d small memories are free, want none", len(m.large), len(m.small))
	}
}

func TestASmallMemoryStaysSmall(t *testing.T) {
	m := NewMemories()
	for range smallGroups {
		free, give := m.Take([]quintain.Trajectory{played(2, 1)})
		free.room(smallGroup + 1)
		give()
	}
	for range smallGroups {
		if free := <-m.small; cap(free.tokens) > smallGroup {
			t.Fatalf("a memory of small groups keeps room for %d tokens", cap(free.tokens))
		}
	}
}
