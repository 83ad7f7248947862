package pool

import (
	"fmt"
	"testing"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		loads []int // of servers with rank 0, 1, 2 …
		n     int
		want  int
	}{
		{"all are empty", []int{0, 0, 0}, 1, 2},
		{"the conversation's own", []int{9, 9, 10}, 1, 2},
		{"its own has a quarter more than the mean", []int{80, 80, 113}, 1, 2},
		{"its own has more", []int{80, 80, 115}, 1, 1},
		{"its own is down", []int{5, 5, -1}, 1, 1},
		{"the least loaded one", []int{3, 5, 50}, 1, 0},
		{"a group in one request", []int{8, 8, 8}, 8, 2},
		{"a group, its own not the least loaded", []int{8, 7, 8}, 8, 1},
		{"a single server", []int{1000}, 64, 0},
		{"none is up", []int{-1, -1}, 1, -1},
		{"there is none", nil, 1, -1},
	} {
		ranks := []uint64{0, 1, 2}[:len(test.loads)]
		if got := route(test.loads, ranks, test.n); got != test.want {
			t.Errorf("%s: server %d of %v, want %d", test.why, got, test.loads, test.want)
		}
	}
}

// The episodes of a group rank alike, groups spread evenly, and a server that goes moves
// only its own groups.
func TestRanksSpread(t *testing.T) {
	t.Parallel()
	best := func(key string, urls []string) (at string) {
		top := uint64(0)
		for _, url := range urls {
			if r := rank(key, url); r >= top {
				top, at = r, url
			}
		}
		return at
	}
	urls := []string{"http://a:1", "http://a:2", "http://a:3", "http://a:4"}
	count := map[string]int{}
	for i := range 4000 {
		key := fmt.Sprintf("chat.v1/task.v1.s1.l0.%d", i)
		own := best(key, urls)
		count[own]++
		for _, part := range []string{"#0", "#7~2", "~1"} {
			if at := best(key+part, urls); at != own {
				t.Fatalf("%s goes to %s, its group to %s", key+part, at, own)
			}
		}
		if at := best(key, urls[:3]); own != urls[3] && at != own {
			t.Fatalf("%s moves from %s to %s, which has nothing to do with %s", key, own, at, urls[3])
		}
	}
	for url, n := range count {
		if n < 900 || n > 1100 {
			t.Errorf("%s has %d of 4000 groups", url, n)
		}
	}
}
