package queue

import (
	"slices"
	"strconv"
	"testing"
)

// A batch of many groups, here every other one that waits, comes back to its old places.
func TestReleasingManyGroups(t *testing.T) {
	t.Parallel()
	const n = 100_000
	x := newIndex(Options{})
	list := make([]Entry, n)
	for i := range list {
		list[i] = Entry{Seq: uint64(i + 1), anon: true}
	}
	x.waiting.add(list...)
	odd := func(waiting []Entry) (picked []Entry) {
		for i := 0; i < len(waiting); i += 2 {
			picked = append(picked, waiting[i])
		}
		return picked
	}
	for _, release := range []func(seqs []uint64, leases []*lease) int{
		func(seqs []uint64, _ []*lease) int { return x.Release("a", seqs...) },
		func([]uint64, []*lease) int { return x.ReleaseAll("a") },
		func(_ []uint64, leases []*lease) int { x.revoke(leases); return len(leases) },
	} {
		leases, err := x.grant(Want{Consumer: "a", Pick: odd})
		if err != nil {
			t.Fatal(err)
		}
		var seqs []uint64
		for _, l := range leases {
			seqs = append(seqs, l.Seq)
		}
		if got := release(seqs, leases); got != n/2 || len(x.waiting.all()) != n {
			t.Fatalf("%d groups were released and %d wait, want %d and %d", got, len(x.waiting.all()), n/2, n)
		}
		for i, e := range x.waiting.all() {
			if e.Seq != uint64(i+1) {
				t.Fatalf("group %d waits in place %d", e.Seq, i)
			}
		}
	}
}

// The cost of a release grows with the number of its groups, not with its square.
func BenchmarkRelease(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 16} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			x := newIndex(Options{})
			for i := range 2 * n {
				x.waiting.add(Entry{Seq: uint64(i + 1), anon: true})
			}
			middle := func(waiting []Entry) []Entry { return slices.Clone(waiting[n/2 : n/2+n]) }
			for b.Loop() {
				if _, err := x.grant(Want{Consumer: "a", Pick: middle}); err != nil {
					b.Fatal(err)
				}
				x.ReleaseAll("a")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/group")
		})
	}
}
