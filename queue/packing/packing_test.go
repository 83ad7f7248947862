package packing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A list is the waiting groups.
type list []Group

func (l list) Len() int       { return len(l) }
func (l list) At(i int) Group { return l[i] }

// groups parses waiting groups: "4" is a group of four sequences without an environment, "a2"
// one of two from environment 0, "b2" one of two from environment 1.
func groups(text string) list {
	var all list
	for word := range strings.FieldsSeq(text) {
		g := Group{Env: -1}
		if word[0] >= 'a' {
			g.Env = int32(word[0] - 'a')
			word = word[1:]
		}
		fmt.Sscan(word, &g.Sequences)
		all = append(all, g)
	}
	return all
}

// shown returns the numbers of the packed groups, counted from 1.
func shown(places []int) string {
	var b []string
	for _, at := range places {
		b = append(b, fmt.Sprint(at+1))
	}
	return strings.Join(b, " ")
}

func TestPackExact(t *testing.T) {
	for _, test := range []struct {
		why     string
		batch   int
		waiting string
		want    string
	}{
		{"nothing waits", 8, "", ""},
		{"too little", 8, "4", ""},
		{"first in, first out", 8, "4 4 4 4", "1 2"},
		{"groups of one", 3, "1 1 1 1", "1 2 3"},
		{"one group is a batch", 4, "4 4", "1"},
		{"powers of two", 8, "2 4 2 4", "1 2 3"},
		{"the larger are complete first", 8, "2 4 4 2", "2 3"},
		{"small ones do not wait for others of their size", 8, "4 2 1 1", "1 2 3 4"},
		{"a batch that is not a power of two", 12, "4 2 8 2 4", "1 3"},
		{"an odd size in front does not stall the others", 8, "7 4 4 4 4 4 4 4 4 4 4", "2 3"},
		{"nor do many", 8, strings.Repeat("7 ", 500) + "4 4", "501 502"},
		{"it is packed when what it needs comes", 8, "7 4 1", "1 3"},
		{"too large for any batch", 8, "16 4 4", "2 3"},
		{"no sequences at all", 8, "0 4 4", "2 3"},
		{"packs that overshoot", 6, "4 4 2", "1 3"},
		{"sizes that never make a batch", 10, "4 4 4 4 4", ""},
		{"the newest that is needed is as old as possible", 8, "5 2 3 1 5", "1 3"},
		{"of two ways the older groups", 6, "2 4 2 2", "1 2"},
		{"no batches", 0, "1", ""},
	} {
		if got := shown(Need{Sequences: test.batch}.Pack(groups(test.waiting))); got != test.want {
			t.Errorf("%s: packed %q of %.40q, want %q", test.why, got, test.waiting, test.want)
		}
	}
}

func TestPackMinimums(t *testing.T) {
	min := func(parts ...int) (all []minimum) { // environment and sequences in turn
		for i := 0; i < len(parts); i += 2 {
			all = append(all, minimum{int32(parts[i]), parts[i+1]})
		}
		return all
	}
	for _, test := range []struct {
		why      string
		batch    int
		minimums []minimum
		waiting  string
		want     string
	}{
		{"half of each", 8, min(0, 4, 1, 4), "a4 a4 b4 b4", "1 3"},
		{"an environment with nothing blocks the batch", 8, min(0, 4, 1, 4), "a4 a4 a4", ""},
		{"one without a minimum fills up", 8, min(0, 2), "c2 c2 c2 c2 a2", "1 2 3 5"},
		{"groups without an environment fill up too", 8, min(0, 4), "4 4 a4", "1 3"},
		{"the oldest fill up", 8, min(1, 2), "a2 a2 b2 a2 b2", "1 2 3 4"},
		{"more than the whole is made smaller", 8, min(0, 8, 1, 8), "a2 a2 a2 b2 b2 b2", "1 2 4 5"},
		{"but not below a group, even if that is too much", 12, min(0, 12, 1, 1), "a4 a4 a4 b4", "1 2 3"},
		{"a minimum that groups do not divide is passed", 8, min(0, 3), "a2 a2 b4", "1 2 3"},
		{"a minimum may be missed if the batch is full", 12, min(0, 6, 1, 6), "a4 a4 b4 b4", "1 2 3"},
		{"an odd group in front does not stall the others", 8, min(0, 4), "a7 a4 b4", "2 3"},
		{"nor one that is too large", 8, min(0, 4), "a16 a4 b4", "2 3"},
		{"an environment with nothing that fits has nothing", 8, min(0, 4), "a16 b4 b4", ""},
		{"if taking the oldest does not fit, another way is found", 8, min(0, 4, 1, 4), "a3 a4 b4 1", "2 3"},
		{"even if it takes all sums", 10, min(0, 4, 1, 3), "a3 a5 b4 b5", "2 4"},
		{"too little", 8, min(0, 4), "a4", ""},
		{"never a whole batch", 10, min(0, 5), "a4 a4 b4 b4", ""},
	} {
		if got := shown(Need{Sequences: test.batch, minimums: test.minimums}.Pack(groups(test.waiting))); got != test.want {
			t.Errorf("%s: packed %q of %q, want %q", test.why, got, test.waiting, test.want)
		}
	}
}

// TestPackFindsAll compares Pack with an exhaustive search, on random queues.
func TestPackFindsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		waiting := make(list, r.IntN(11))
		for i := range waiting {
			waiting[i] = Group{Env: int32(r.IntN(3)) - 1, Sequences: r.IntN(7)}
		}
		n := Need{Sequences: 1 + r.IntN(16)}
		best, found := 0, false // best: the least index of a batch's newest group
		for subset := range 1 << len(waiting) {
			sum, newest := 0, 0
			for i, g := range waiting {
				if subset>>i&1 == 1 && g.Sequences > 0 {
					sum += g.Sequences
					newest = i
				}
			}
			if sum == n.Sequences && (!found || newest < best) {
				best, found = newest, true
			}
		}
		got := n.Pack(waiting)
		if found != (len(got) > 0) || found && got[len(got)-1] != best {
			t.Fatalf("%+v of %+v: got %v, want one up to %d (%v)", n, waiting, got, best, found)
		}
		n.minimums = []minimum{{0, 1 + r.IntN(4)}}
		if got := n.Pack(waiting); len(got) == 0 && possible(waiting, n) {
			t.Fatalf("%+v of %+v: none found", n, waiting)
		} else if len(got) > 0 && (total(waiting, got) != n.Sequences || !slices.IsSorted(got)) {
			t.Fatalf("%+v of %+v: got %v", n, waiting, got)
		}
	}
}

// possible tries all subsets, and reports whether one meets the first minimum.
func possible(waiting list, n Need) bool {
	for subset := range 1 << len(waiting) {
		sum, own := 0, 0
		for i, g := range waiting {
			if subset>>i&1 == 0 {
				continue
			}
			sum += g.Sequences
			if g.Env == n.minimums[0].env {
				own += g.Sequences
			}
		}
		if sum == n.Sequences && own >= n.minimums[0].sequences {
			return true
		}
	}
	return false
}

// total is the number of sequences of some groups.
func total(waiting list, places []int) (n int) {
	for _, at := range places {
		n += waiting[at].Sequences
	}
	return n
}

// TestPackDrains packs a long queue of mixed powers of two without a rest.
func TestPackDrains(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var waiting list
	sum := 0
	for len(waiting) < 2000 || sum%64 != 0 {
		size := 1 << r.IntN(5)
		if len(waiting) >= 2000 {
			size = 1
		}
		sum += size
		waiting = append(waiting, Group{Sequences: size})
	}
	for len(waiting) > 0 {
		got := Need{Sequences: 64}.Pack(waiting)
		if n := total(waiting, got); n != 64 {
			t.Fatalf("packed %d sequences with %d groups left", n, len(waiting))
		}
		for _, at := range slices.Backward(got) {
			waiting = slices.Delete(waiting, at, at+1)
		}
	}
}

func TestPackable(t *testing.T) {
	for _, test := range []struct {
		why   string
		batch int
		sizes []int
		size  int
		want  bool
	}{
		{"it divides", 8, nil, 8, true},
		{"with others of its size", 8, []int{4}, 4, true},
		{"with others", 8, []int{7, 1}, 7, true},
		{"with none of the others", 8, []int{7, 4}, 7, false},
		{"too large", 8, []int{16}, 16, false},
		{"empty", 8, []int{0, 8}, 0, false},
	} {
		if got := Packable(test.batch, test.sizes)(test.size); got != test.want {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

func TestCompleting(t *testing.T) {
	for _, test := range []struct {
		why   string
		sizes []int
		want  int
		got   []int
	}{
		{"nothing", nil, 4, nil},
		{"not yet", []int{2}, 4, nil},
		{"the oldest", []int{2, 2, 2}, 4, []int{0, 1}},
		{"groups that fit", []int{3, 2, 1}, 4, []int{0, 2}},
		{"the oldest does not fit with any", []int{3, 2, 2}, 4, []int{1, 2}},
		{"one is too large", []int{5, 4}, 4, []int{1}},
		{"impossible", []int{3, 3}, 4, nil},
	} {
		if got := Completing(test.sizes, test.want); !slices.Equal(got, test.got) {
			t.Errorf("%s: %v, want %v", test.why, got, test.got)
		}
	}
}

// TestGiantNumbers packs with memory in proportion to the waiting groups, for any demand.
func TestGiantNumbers(t *testing.T) {
	const giant = 1<<31 - 1
	few, many := make(list, 40), make(list, 90_000)
	for i := range few {
		few[i] = Group{Env: int32(i % 2), Sequences: 4}
	}
	for i := range many {
		many[i] = Group{Env: int32(i % 2), Sequences: 1}
	}
	minimums := []minimum{{0, giant / 2}, {1, 1}}
	for _, test := range []struct {
		why       string
		run       func() int
		want      int // groups
		kibibytes uint64
	}{
		{"a giant batch", func() int { return len(Need{Sequences: giant}.Pack(few)) }, 0, 64},
		{"and its minimums", func() int { return len(Need{Sequences: giant, minimums: minimums}.Pack(few)) }, 0, 64},
		{"and its strict ones", func() int { return len(Need{Sequences: giant, minimums: minimums, Strict: true}.Pack(few)) }, 0, 64},
		{"a giant group", func() int { return len(Completing(make([]int, 256), giant)) }, 0, 64},
		{"small groups that do not complete it", func() int { return len(Completing(slices.Repeat([]int{1}, 256), giant)) }, 0, 64},
		{"the sizes that it can contain", func() int { Packable(giant, []int{1, 4}); return 0 }, 0, 64},
		{"a batch of many single ones", func() int { return len(Need{Sequences: 80_000}.Pack(many)) }, 80_000, 64 << 10},
		{"and its minimum", func() int { return len(Need{Sequences: 80_000, minimums: minimums[1:]}.Pack(many)) }, 80_000, 64 << 10},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := test.run()
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 10; got != test.want || took > test.kibibytes {
			t.Errorf("%s: %d groups with %d KiB, want %d with %d at most", test.why, got, took, test.want, test.kibibytes)
		}
	}
}

// TestShares clamps invalid shares.
func TestShares(t *testing.T) {
	for share, want := range map[float64]string{-1: "", 1e300: "8", math.Inf(1): "8", math.NaN(): "", math.Inf(-1): "", 0.5: "4"} {
		n := Need{Sequences: 8}
		n.AddMinimum(0, share)
		got := ""
		for _, m := range n.minimums {
			got += fmt.Sprint(m.sequences)
		}
		if got != want {
			t.Errorf("%v: reserves %q, want %q", share, got, want)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	mixed, poison := make(list, 100_000), make(list, 100_000)
	for i := range mixed {
		mixed[i] = Group{Env: int32(i % 4), Sequences: 4 << (i % 3)}
		poison[i] = Group{Env: int32(i % 4), Sequences: 7}
	}
	minimums := []minimum{{0, 256}, {1, 256}}
	for _, bench := range []struct {
		name    string
		waiting list
		need    Need
	}{
		{"mixed", mixed, Need{Sequences: 1024}},
		{"poison", poison, Need{Sequences: 1024}},
		{"minimums", mixed, Need{Sequences: 1024, minimums: minimums}},
		{"poisoned minimums", append(poison[:99_000:99_000], mixed[:1000]...), Need{Sequences: 1024, minimums: minimums}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.need.Pack(bench.waiting)
			}
		})
	}
}
