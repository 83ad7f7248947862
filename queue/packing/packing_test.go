package packing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
		fmt.Sscan(word, &g.Size)
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

func TestPack(t *testing.T) {
	for _, test := range []struct {
		why         string
		least, most int
		waiting     string
		want        string
	}{
		{"nothing waits", 8, 8, "", ""},
		{"too little", 8, 8, "4", ""},
		{"first in, first out", 8, 8, "4 4 4 4", "1 2"},
		{"groups of one", 3, 3, "1 1 1 1", "1 2 3"},
		{"one group is a batch", 4, 4, "4 4", "1"},
		{"powers of two", 8, 8, "2 4 2 4", "1 2 3"},
		{"the oldest is never left out: a smaller batch", 8, 8, "2 4 4", "1 2"},
		{"the others make it exact if they can", 8, 8, "2 4 4 2", "1 2 4"},
		{"small ones do not wait for others of their size", 8, 8, "4 2 1 1", "1 2 3 4"},
		{"the older, even if more of them", 12, 12, "4 2 8 2 4", "1 2 4 5"},
		{"an odd size in front goes first", 8, 8, "7 4 4 4 4 4 4 4 4 4 4", "1"},
		{"with what makes it exact", 8, 8, "7 4 1", "1 3"},
		{"too large for any batch: alone", 8, 8, "16 4 4", "1"},
		{"alone once it is the oldest", 8, 8, "4 16 4", "1 3"},
		{"a large one behind does not hold up the oldest", 8, 8, "4 16", "1"},
		{"no sequences at all", 8, 8, "0 4 4", "2 3"},
		{"sizes that never make a batch", 10, 10, "4 4 4 4 4", "1 2"},
		{"groups with forks", 64, 64, "40 40 40", "1"},
		{"of two ways the older groups", 6, 6, "2 4 2 2", "1 2"},
		{"no batches", 0, 0, "1", "1"},
		{"at least, at most: the oldest that have enough", 64, 80, "40 40 24", "1 2"},
		{"one in the way is left for the next", 64, 80, "40 60 24", "1 3"},
		{"less if it must be", 64, 70, "40 40", "1"},
		{"too little for the least", 64, 80, "40 20", ""},
		{"larger than the most: alone", 64, 80, "90 40", "1"},
	} {
		if got := shown(Need{Least: test.least, Most: test.most}.Pack(groups(test.waiting))); got != test.want {
			t.Errorf("%s: packed %q of %.40q, want %q", test.why, got, test.waiting, test.want)
		}
	}
}

func TestPackMinimums(t *testing.T) {
	min := func(parts ...int) (all []minimum) { // environment and size in turn
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
		{"the oldest goes first, even if a minimum is missed", 8, min(1, 4), "a7 a4 b4", "1"},
		{"even alone", 8, min(1, 4), "a16 a4 b4", "1"},
		{"an environment has something, if only a group too large for a batch", 8, min(0, 4), "b4 b4 a16", "1 2"},
		{"which comes once it is the oldest", 8, min(0, 4), "a16 b4", "1"},
		{"it counts for its own minimum", 8, min(0, 4), "a7 a4 b1", "1 3"},
		{"an odd one of another environment fills what it fits", 8, min(0, 4), "b3 a4 b1", "1 2 3"},
		{"if taking the oldest does not fit, another way is found", 8, min(0, 4, 1, 4), "b4 a3 a4", "1 3"},
		{"even if it takes all sums", 10, min(0, 4, 1, 3), "b5 a3 a5 b4", "1 3"},
		{"too little", 8, min(0, 4), "a4", ""},
		{"never a whole batch", 10, min(0, 5), "a4 a4 b4 b4", "1 2"},
	} {
		if got := shown(Need{Least: test.batch, Most: test.batch, minimums: test.minimums}.Pack(groups(test.waiting))); got != test.want {
			t.Errorf("%s: packed %q of %q, want %q", test.why, got, test.waiting, test.want)
		}
	}
}

// TestPackFindsAll compares Pack with an exhaustive search, on random queues: a batch is
// exact if any with the oldest group is, and meets the minimum as well if any does.
func TestPackFindsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		waiting := make(list, r.IntN(11))
		for i := range waiting {
			waiting[i] = Group{Env: int32(r.IntN(3)) - 1, Size: r.IntN(7)}
		}
		n := Need{Least: 1 + r.IntN(16)}
		n.Most = n.Least
		exact := func(got []int) bool { return total(waiting, got) == n.Least }
		if got := n.Pack(waiting); possible(waiting, n) != exact(got) {
			t.Fatalf("%+v of %+v: got %v, exact possible: %v", n, waiting, got, possible(waiting, n))
		}
		n.minimums = []minimum{{0, 1 + r.IntN(4)}}
		if got := n.Pack(waiting); possible(waiting, n) && (!exact(got) || !slices.IsSorted(got)) {
			t.Fatalf("%+v of %+v: got %v", n, waiting, got)
		}
	}
}

// possible tries all subsets with the oldest group, and reports whether one is exact and meets
// the first minimum, if there is one.
func possible(waiting list, n Need) bool {
	oldest := slices.IndexFunc(waiting, func(g Group) bool { return g.Size > 0 })
	for subset := range 1 << len(waiting) {
		sum, own := 0, 0
		for i, g := range waiting {
			if subset>>i&1 == 0 {
				continue
			}
			sum += g.Size
			if len(n.minimums) > 0 && g.Env == n.minimums[0].env {
				own += g.Size
			}
		}
		if oldest >= 0 && subset>>oldest&1 == 1 && sum == n.Least && (n.minimums == nil || own >= n.minimums[0].size) {
			return true
		}
	}
	return false
}

// TestPackNeverStarves packs groups of random sizes as they come, from random environments:
// whenever enough wait there is a batch with the oldest group, of at most the size it may
// have, and each group comes out once.
func TestPackNeverStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Need{Least: rapid.IntRange(1, 64).Draw(t, "least")}
		n.Most = n.Least + rapid.SampledFrom([]int{0, 0, 1, 16}).Draw(t, "slack")
		if share := rapid.SampledFrom([]float64{0, 0, 0.25, 1}).Draw(t, "share"); share > 0 {
			n.AddMinimum(0, share)
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 2*n.Most), 1, 3).Draw(t, "sizes")
		var waiting list
		for range rapid.IntRange(1, 60).Draw(t, "groups") {
			env := rapid.Int32Range(0, 1).Draw(t, "env")
			waiting = append(waiting, Group{Env: env, Size: rapid.SampledFrom(sizes).Draw(t, "size")})
		}
		enough := func() bool {
			reserved := len(n.minimums) > 0
			return sizeOf(slices.Collect(all(waiting))) >= n.Least && (!reserved || slices.ContainsFunc(waiting, func(g Group) bool { return g.Env == 0 }))
		}
		for enough() {
			got := n.Pack(waiting)
			switch sum := total(waiting, got); {
			case len(got) == 0 || got[0] != 0:
				t.Fatalf("%+v of %v: %v, want a batch with the oldest", n, waiting, got)
			case sum > n.Most && len(got) > 1:
				t.Fatalf("%+v of %v: %v has %d", n, waiting, got, sum)
			case !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got):
				t.Fatalf("%+v of %v: %v, want each once", n, waiting, got)
			}
			for _, at := range slices.Backward(got) {
				waiting = slices.Delete(waiting, at, at+1)
			}
		}
		if got := n.Pack(waiting); len(got) > 0 {
			t.Fatalf("%+v of %v: %v, want none: too few wait", n, waiting, got)
		}
	})
}

// total is the size of some groups.
func total(waiting list, places []int) (n int) {
	for _, at := range places {
		n += waiting[at].Size
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
		waiting = append(waiting, Group{Size: size})
	}
	for len(waiting) > 0 {
		got := Need{Least: 64, Most: 64}.Pack(waiting)
		if n := total(waiting, got); n != 64 {
			t.Fatalf("packed %d sequences with %d groups left", n, len(waiting))
		}
		for _, at := range slices.Backward(got) {
			waiting = slices.Delete(waiting, at, at+1)
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
		few[i] = Group{Env: int32(i % 2), Size: 4}
	}
	for i := range many {
		many[i] = Group{Env: int32(i % 2), Size: 1}
	}
	minimums := []minimum{{0, giant / 2}, {1, 1}}
	for _, test := range []struct {
		why       string
		run       func() int
		want      int // groups
		kibibytes uint64
	}{
		{"a giant batch", func() int { return len(Need{Least: giant, Most: giant}.Pack(few)) }, 0, 64},
		{"and its minimums", func() int { return len(Need{Least: giant, Most: giant, minimums: minimums}.Pack(few)) }, 0, 64},
		{"a giant group", func() int { return len(Completing(make([]int, 256), giant)) }, 0, 64},
		{"small groups that do not complete it", func() int { return len(Completing(slices.Repeat([]int{1}, 256), giant)) }, 0, 64},
		{"a batch of many single ones", func() int { return len(Need{Least: 80_000, Most: 80_000}.Pack(many)) }, 80_000, 64 << 10},
		{"and its minimum", func() int { return len(Need{Least: 80_000, Most: 80_000, minimums: minimums[1:]}.Pack(many)) }, 80_000, 64 << 10},
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
		n := Need{Least: 8, Most: 8}
		n.AddMinimum(0, share)
		got := ""
		for _, m := range n.minimums {
			got += fmt.Sprint(m.size)
		}
		if got != want {
			t.Errorf("%v: reserves %q, want %q", share, got, want)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	mixed, poison := make(list, 100_000), make(list, 100_000)
	for i := range mixed {
		mixed[i] = Group{Env: int32(i % 4), Size: 4 << (i % 3)}
		poison[i] = Group{Env: int32(i % 4), Size: 7}
	}
	minimums := []minimum{{0, 256}, {1, 256}}
	for _, bench := range []struct {
		name    string
		waiting list
		need    Need
	}{
		{"mixed", mixed, Need{Least: 1024, Most: 1024}},
		{"poison", poison, Need{Least: 1024, Most: 1024}},
		{"minimums", mixed, Need{Least: 1024, Most: 1024, minimums: minimums}},
		{"poisoned minimums", append(poison[:99_000:99_000], mixed[:1000]...), Need{Least: 1024, Most: 1024, minimums: minimums}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.need.Pack(bench.waiting)
			}
		})
	}
}
