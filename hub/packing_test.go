package hub

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// entries reads what waits from a text: "4" is a group of four sequences from no
// environment, "a2" one of two from environment 0, "b2" from 1. Sequence numbers
// count from 1.
func entries(text string) []queue.Entry {
	var all []queue.Entry
	for i, word := range strings.Fields(text) {
		e := queue.Entry{Seq: uint64(i + 1), EnvID: -1}
		if word[0] >= 'a' {
			e.EnvID = int32(word[0] - 'a')
			word = word[1:]
		}
		fmt.Sscan(word, &e.Sequences)
		all = append(all, e)
	}
	return all
}

// seqs shows which groups were packed.
func seqs(all []queue.Entry) string {
	var b []string
	for _, e := range all {
		b = append(b, fmt.Sprint(e.Seq))
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
		{"a batch that is no power of two", 12, "4 2 8 2 4", "1 3"},
		{"an odd size in front stalls nothing", 8, "7 4 4 4 4 4 4 4 4 4 4", "2 3"},
		{"nor do many", 8, strings.Repeat("7 ", 500) + "4 4", "501 502"},
		{"it is packed when what it needs comes", 8, "7 4 1", "1 3"},
		{"too large for any batch", 8, "16 4 4", "2 3"},
		{"no sequences at all", 8, "0 4 4", "2 3"},
		{"packs that overshoot", 6, "4 4 2", "1 3"},
		{"sizes that never make a batch", 10, "4 4 4 4 4", ""},
		{"the newest that is needed is as old as can be", 8, "5 2 3 1 5", "1 3"},
		{"of two ways the older groups", 6, "2 4 2 2", "1 2"},
		{"no batches", 0, "1", ""},
	} {
		if got := seqs(pack(entries(test.waiting), need{sequences: test.batch})); got != test.want {
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
		{"what comes from nowhere fills up, too", 8, min(0, 4), "4 4 a4", "1 3"},
		{"the oldest fill up", 8, min(1, 2), "a2 a2 b2 a2 b2", "1 2 3 4"},
		{"more than the whole is made smaller", 8, min(0, 8, 1, 8), "a2 a2 a2 b2 b2 b2", "1 2 4 5"},
		{"but not below a group, even if that is too much", 12, min(0, 12, 1, 1), "a4 a4 a4 b4", "1 2 3"},
		{"a minimum that groups do not divide is passed", 8, min(0, 3), "a2 a2 b4", "1 2 3"},
		{"a minimum may be missed where the batch is full", 12, min(0, 6, 1, 6), "a4 a4 b4 b4", "1 2 3"},
		{"an odd group in front stalls nothing", 8, min(0, 4), "a7 a4 b4", "2 3"},
		{"nor one that is too large", 8, min(0, 4), "a16 a4 b4", "2 3"},
		{"an environment with nothing that fits has nothing", 8, min(0, 4), "a16 b4 b4", ""},
		{"where taking the oldest does not fit, another way is found", 8, min(0, 4, 1, 4), "a3 a4 b4 1", "2 3"},
		{"even if it takes all sums", 10, min(0, 4, 1, 3), "a3 a5 b4 b5", "2 4"},
		{"too little", 8, min(0, 4), "a4", ""},
		{"never a whole batch", 10, min(0, 5), "a4 a4 b4 b4", ""},
	} {
		if got := seqs(pack(entries(test.waiting), need{sequences: test.batch, minimums: test.minimums})); got != test.want {
			t.Errorf("%s: packed %q of %q, want %q", test.why, got, test.waiting, test.want)
		}
	}
}

// TestPackFindsAll tries random queues against trying all subsets.
func TestPackFindsAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		waiting := make([]queue.Entry, r.IntN(11))
		for i := range waiting {
			waiting[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(r.IntN(3)) - 1, Sequences: r.IntN(7)}
		}
		n := need{sequences: 1 + r.IntN(16)}
		best, found := 0, false // the lowest newest member of any batch
		for subset := range 1 << len(waiting) {
			sum, newest := 0, 0
			for i, e := range waiting {
				if subset>>i&1 == 1 && e.Sequences > 0 {
					sum += e.Sequences
					newest = i
				}
			}
			if sum == n.sequences && (!found || newest < best) {
				best, found = newest, true
			}
		}
		got := pack(waiting, n)
		if found != (got != nil) || found && int(got[len(got)-1].Seq) != best+1 {
			t.Fatalf("%+v of %+v: got %v, want one up to %d (%v)", n, waiting, seqs(got), best+1, found)
		}
		n.minimums = []minimum{{0, 1 + r.IntN(4)}}
		if got := pack(waiting, n); got == nil && possible(waiting, n) {
			t.Fatalf("%+v of %+v: none found", n, waiting)
		} else if got != nil && (total(got) != n.sequences || !slices.IsSortedFunc(got, func(a, b queue.Entry) int { return int(a.Seq) - int(b.Seq) })) {
			t.Fatalf("%+v of %+v: got %v", n, waiting, seqs(got))
		}
	}
}

// possible tries all subsets for one that meets the first minimum.
func possible(waiting []queue.Entry, n need) bool {
	for subset := range 1 << len(waiting) {
		sum, own := 0, 0
		for i, e := range waiting {
			if subset>>i&1 == 0 {
				continue
			}
			sum += e.Sequences
			if e.EnvID == n.minimums[0].env {
				own += e.Sequences
			}
		}
		if sum == n.sequences && own >= n.minimums[0].sequences {
			return true
		}
	}
	return false
}

func total(all []queue.Entry) (n int) {
	for _, e := range all {
		n += e.Sequences
	}
	return n
}

// TestPackDrains packs all of a long queue of mixed powers of two, none left over.
func TestPackDrains(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var waiting []queue.Entry
	sum := 0
	for len(waiting) < 2000 || sum%64 != 0 {
		size := 1 << r.IntN(5)
		if len(waiting) >= 2000 {
			size = 1
		}
		sum += size
		waiting = append(waiting, queue.Entry{Seq: uint64(len(waiting) + 1), Sequences: size})
	}
	for len(waiting) > 0 {
		got := pack(waiting, need{sequences: 64})
		if total(got) != 64 {
			t.Fatalf("packed %d sequences with %d groups left", total(got), len(waiting))
		}
		waiting = slices.DeleteFunc(waiting, func(e queue.Entry) bool {
			return slices.ContainsFunc(got, func(g queue.Entry) bool { return g.Seq == e.Seq })
		})
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
		{"with none that there are", 8, []int{7, 4}, 7, false},
		{"too large", 8, []int{16}, 16, false},
		{"empty", 8, []int{0, 8}, 0, false},
	} {
		if got := packable(test.batch, test.sizes)(test.size); got != test.want {
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
		{"those that fit", []int{3, 2, 1}, 4, []int{0, 2}},
		{"the oldest does not fit with any", []int{3, 2, 2}, 4, []int{1, 2}},
		{"one is too large", []int{5, 4}, 4, []int{1}},
		{"impossible", []int{3, 3}, 4, nil},
	} {
		if got := completing(test.sizes, test.want); !slices.Equal(got, test.got) {
			t.Errorf("%s: %v, want %v", test.why, got, test.got)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	mixed, poison := make([]queue.Entry, 100_000), make([]queue.Entry, 100_000)
	for i := range mixed {
		mixed[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 4 << (i % 3)}
		poison[i] = queue.Entry{Seq: uint64(i + 1), EnvID: int32(i % 4), Sequences: 7}
	}
	for _, bench := range []struct {
		name    string
		waiting []queue.Entry
		need    need
	}{
		{"mixed", mixed, need{sequences: 1024}},
		{"poison", poison, need{sequences: 1024}},
		{"minimums", mixed, need{sequences: 1024, minimums: []minimum{{0, 256}, {1, 256}}}},
		{"poisoned minimums", append(poison[:99_000:99_000], mixed[:1000]...), need{sequences: 1024, minimums: []minimum{{0, 256}, {1, 256}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pack(bench.waiting, bench.need)
			}
		})
	}
}
