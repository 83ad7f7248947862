package host

import "testing"

// The bound of memory follows what stays in use, not what requests hold for a while.
func TestBoundFollowsWhatStaysInUse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		inUse  func(sample int) int64
		first  int64 // of the bound
		atLast int64
	}{
		{"a small hub", func(int) int64 { return 10 }, 500, 500},
		{"a hub with many groups", func(int) int64 { return 2000 }, 4000, 4000},
		{"requests that come and go", func(i int) int64 { return []int64{100, 400}[i%2] }, 500, 500},
		{"many groups come", func(i int) int64 { return 100 * int64(i) }, 500, 2 * 100 * 68},
		{"many groups go", func(i int) int64 { return 10_000 / (1 + int64(i)) }, 20_000, 500},
	} {
		b := bound{least: 500}
		got := []int64{}
		for i := range 100 {
			got = append(got, b.next(test.inUse(i)))
		}
		if got[0] != test.first || got[99] != test.atLast {
			t.Errorf("%s: the bound is %d, then %d; want %d, then %d", test.why, got[0], got[99], test.first, test.atLast)
		}
	}
}
