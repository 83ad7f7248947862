package rng_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// The numbers below are pinned forever: changing one changes every problem of every task.
func TestStreamsArePinned(t *testing.T) {
	r := rng.New(1, "word_ladder", "{}", "0")
	got := fmt.Sprint(r.Between(0, 999), r.Between(-5, 5), r.Between64(0, 1<<62), r.Uint64(), r.Float())
	if want := "794 -5 1992536453384187422 5056567556271919644 0.6885778910781317"; got != want {
		t.Errorf("stream gives %s, want %s", got, want)
	}
	letters := []string{"a", "b", "c", "d", "e", "f"}
	if got, want := fmt.Sprint(rng.Sample(r, letters, 3)), "[e c b]"; got != want {
		t.Errorf("Sample gives %s, want %s", got, want)
	}
	rng.Shuffle(r, letters)
	if got, want := fmt.Sprint(letters), "[a b d c f e]"; got != want {
		t.Errorf("Shuffle gives %s, want %s", got, want)
	}
}

func TestDifferentNamesGiveDifferentStreams(t *testing.T) {
	first := func(seed uint64, path ...string) uint64 { return rng.New(seed, path...).Uint64() }
	seen := map[uint64]string{}
	for _, test := range []struct {
		seed uint64
		path []string
	}{
		{0, nil}, {1, nil}, {0, []string{""}}, {0, []string{"", ""}}, {0, []string{"ab"}},
		{0, []string{"a", "b"}}, {0, []string{"", "ab"}}, {0, []string{"ab", ""}}, {1, []string{"ab"}},
	} {
		name := fmt.Sprint(test.seed, len(test.path), test.path)
		if other, found := seen[first(test.seed, test.path...)]; found {
			t.Errorf("streams %s and %s are the same", name, other)
		}
		seen[first(test.seed, test.path...)] = name
	}
}

func TestBetweenIsUniform(t *testing.T) {
	r := rng.New(7, "uniform")
	var count [7]int
	for range 70_000 {
		count[r.Between(-3, 3)+3]++
	}
	for i, n := range count {
		if n < 9_600 || n > 10_400 { // 4 standard deviations are 370
			t.Errorf("%d was drawn %d times in 70000, want about 10000", i-3, n)
		}
	}
}

func TestSampleLeavesItsArgumentUnchanged(t *testing.T) {
	s := []int{1, 2, 3, 4}
	got := rng.Sample(rng.New(1), s, 4)
	if !slices.Equal(s, []int{1, 2, 3, 4}) {
		t.Errorf("Sample changed its argument to %v", s)
	}
	slices.Sort(got)
	if !slices.Equal(got, s) {
		t.Errorf("Sample of all elements gives %v", got)
	}
}

func TestDifferentIsUniform(t *testing.T) {
	r, seen := rng.New(1, "different"), map[string]int{}
	const draws = 6000
	for range draws {
		seen[fmt.Sprint(rng.Different(r, 2, 7, 9))]++
	}
	if len(seen) != 6 {
		t.Errorf("%d lists, want 6: %v", len(seen), seen)
	}
	for list, n := range seen {
		if n < 880 || n > 1120 { // 4 standard deviations are 115
			t.Errorf("%s came %d times in %d, want about 1000", list, n, draws)
		}
	}
}

func TestDifferentSeedsAndIndicesGiveDifferentStreams(t *testing.T) {
	name := rng.Named("chain_sum", "{}")
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for index := range 20 {
			first := name.Stream(seed, index).Uint64()
			if other, found := seen[first]; found {
				t.Errorf("seed %d, index %d gives the stream of %s", seed, index, other)
			}
			seen[first] = fmt.Sprintf("seed %d, index %d", seed, index)
		}
	}
}

func TestRestartGivesTheStreamThatStreamReturns(t *testing.T) {
	name := rng.Named("chain_sum", "{}")
	r := rng.New(7)
	for index := range 40 {
		for range index { // leaves r anywhere in its buffer
			r.Uint64()
		}
		name.Restart(r, 3, index)
		fresh := name.Stream(3, index)
		for i := range 100 {
			if got, want := r.Uint64(), fresh.Uint64(); got != want {
				t.Fatalf("index %d, number %d: %d, want %d", index, i, got, want)
			}
		}
	}
}

func BenchmarkStream(b *testing.B) {
	name := rng.Named("chain_sum", `{"min_terms":2}`)
	for i := 0; b.Loop(); i++ {
		name.Stream(1, i).Between(1, 9)
	}
}

// Each pass has all rows once, in an order that follows from the seed.
func TestEpochs(t *testing.T) {
	t.Parallel()
	const rows = 50
	e := &rng.Epochs{Rows: rows, Path: []string{"a file"}}
	again := &rng.Epochs{Rows: rows, Path: []string{"a file"}}
	passes := map[string]bool{}
	for _, seed := range []uint64{1, 2} {
		for pass := range 3 {
			var order []int
			for at := range rows {
				row := e.Row(seed, pass*rows+at)
				order = append(order, row)
				if same := again.Row(seed, pass*rows+at); same != row {
					t.Fatalf("seed %d, index %d: row %d, then %d", seed, pass*rows+at, row, same)
				}
			}
			passes[fmt.Sprint(order)] = true
			if slices.Sort(order); order[0] != 0 || order[rows-1] != rows-1 || len(slices.Compact(order)) != rows {
				t.Errorf("seed %d, pass %d: rows %v", seed, pass, order)
			}
		}
	}
	if len(passes) != 6 {
		t.Errorf("six passes have %d orders", len(passes))
	}
	if (&rng.Epochs{Rows: rows, Path: []string{"another"}}).Row(1, 0) == e.Row(1, 0) && (&rng.Epochs{Rows: rows, Path: []string{"another"}}).Row(1, 1) == e.Row(1, 1) {
		t.Error("another path has the same order")
	}
}
