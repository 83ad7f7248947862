package pool

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A step is a poll of the limiter.
type step struct {
	why      string
	underWay int
	ended    int // samples since the last step
	load     Load
	limit    int
	abort    bool
}

// calm returns steps with a load that changes nothing.
func calm(steps int) []step {
	all := make([]step, steps)
	for i := range all {
		all[i] = step{why: "in between", underWay: 1, load: Load{Use: 0.7}}
	}
	return all
}

// play takes the steps, five seconds each, and reports deviations from the wanted limits. A
// limit of 0 is not checked.
func play(t *testing.T, limiter *Limiter, steps []step) {
	t.Helper()
	now := time.Unix(0, 0)
	for i, s := range steps {
		now = now.Add(5 * time.Second)
		limiter.Ended(s.ended)
		if s.load.At.IsZero() {
			s.load.At = now
		}
		abort := limiter.Poll(now, s.underWay, []Load{s.load})
		if limit := limiter.Limit(); s.limit > 0 && limit != s.limit || abort != s.abort {
			t.Errorf("step %d, %s: limit %d, abort %v; want %d and %v", i, s.why, limit, abort, s.limit, s.abort)
		}
	}
}

func TestTheLimitGrows(t *testing.T) {
	full := Load{Use: 0.5, Running: 100}
	play(t, NewLimiter(100, 170), []step{
		{"the servers have room, and the limit binds, but none has ended", 100, 0, full, 100, false},
		{"not all have ended", 100, 99, full, 100, false},
		{"one turnover", 100, 1, full, 125, false},
		{"another one has to be of the new limit", 125, 124, full, 125, false},
		{"the limit does not bind", 112, 1, full, 125, false},
		{"nine tenths of it are under way", 113, 0, full, 157, false},
		{"a cache is not empty enough", 157, 157, Load{Use: 0.6}, 157, false},
		{"too many wait in the servers", 157, 0, Load{Running: 100, Waiting: 51}, 157, false},
		{"a load 16 seconds old", 157, 0, Load{At: time.Unix(29, 0)}, 157, false},
		{"no more than the most", 157, 0, full, 170, false},
		{"and no further", 170, 170, full, 170, false},
	})
}

func TestTheLimitIsCut(t *testing.T) {
	for _, test := range []struct {
		why   string
		steps []step
	}{
		{"soft, then again within six polls", append(append([]step{
			{"above 0.8, the samples in flight are cut to 0.7", 80, 0, Load{Use: 0.84}, 67, false},
		}, calm(5)...), step{"the sixth poll cuts again", 60, 0, Load{Use: 0.84}, 50, false})},
		{"cool-down", []step{
			{"the first", 80, 0, Load{Use: 0.84}, 67, false},
			{"not within six polls", 60, 0, Load{Use: 0.95}, 67, false},
		}},
		{"hard", []step{{"above 0.9 the youngest are aborted", 100, 0, Load{Use: 1}, 70, true}}},
		{"preempted", []step{{"a preemption", 90, 0, Load{Use: 0.7, Preempted: 1}, 72, false}}},
		{"the lowest factor counts", []step{{"0.7/0.85 is above 0.8", 100, 0, Load{Use: 0.85, Preempted: 3}, 80, false}}},
		{"queue", append(queue(5), step{"the sixth poll with a queue", 100, 0, Load{Running: 10, Waiting: 6}, 90, false})},
		{"a queue that goes in between", append(append(queue(5), calm(1)...), queue(5)...)},
		{"overload that survives a cut", []step{
			{"the first", 100, 0, Load{Use: 0.84}, 83, false},
			{"draining", 99, 0, Load{Use: 0.84}, 83, false},
			{"draining", 99, 0, Load{Use: 0.84}, 83, false},
			{"draining", 90, 0, Load{Use: 0.84}, 83, false},
			{"draining", 90, 0, Load{Use: 0.84}, 83, false},
			{"draining", 90, 0, Load{Use: 0.84}, 83, false},
			{"still draining: the load is out of date", 84, 0, Load{Use: 0.84}, 83, false},
			{"drained, and still too full", 83, 0, Load{Use: 0.84}, 42, false},
		}},
		{"while it drains, the cache fills up", append(append([]step{
			{"the first", 100, 0, Load{Use: 0.84}, 83, false},
		}, draining(5)...), step{"a hard trim of what is under way", 99, 0, Load{Use: 0.99}, 70, true})},
		{"old news cut nothing", []step{{"a full cache", 100, 0, Load{At: time.Unix(-11, 0), Use: 1}, 100, false}}},
		{"at least one", []step{{"a single sample fills the cache", 1, 0, Load{Use: 1}, 1, true}}},
	} {
		t.Run(test.why, func(t *testing.T) { play(t, NewLimiter(100, 1000), test.steps) })
	}
}

func queue(steps int) []step {
	all := make([]step, steps)
	for i := range all {
		all[i] = step{why: "a queue", underWay: 100, load: Load{Running: 10, Waiting: 6}, limit: 100}
	}
	return all
}

func draining(steps int) []step {
	all := make([]step, steps)
	for i := range all {
		all[i] = step{why: "draining", underWay: 99, load: Load{Use: 0.84}, limit: 83}
	}
	return all
}

// The limit per server stays when servers come and go.
func TestTheLimitFollowsTheServers(t *testing.T) {
	limiter := NewLimiter(100, 350)
	for _, step := range []struct{ servers, limit int }{{1, 100}, {3, 300}, {4, 350}, {0, 350}, {2, 200}, {1, 100}} {
		limiter.Servers(step.servers)
		if got := limiter.Limit(); got != step.limit {
			t.Errorf("%d servers: limit %d, want %d", step.servers, got, step.limit)
		}
	}
}

// The worst server counts, and growth needs news of all.
func TestTheWorstServerCounts(t *testing.T) {
	now := time.Unix(100, 0)
	at := func(l Load) Load { l.At = now; return l }
	for _, test := range []struct {
		why   string
		loads []Load
		limit int
		abort bool
	}{
		{"one is full", []Load{at(Load{Use: 0.1}), at(Load{Use: 1}), at(Load{Use: 0.1})}, 70, true},
		{"one has preempted", []Load{at(Load{Use: 0.1, Preempted: 1}), at(Load{Use: 0.1})}, 80, false},
		{"one is silent", []Load{at(Load{Use: 0.1}), {At: now.Add(-16 * time.Second)}}, 100, false},
		{"both have room", []Load{at(Load{Use: 0.1}), at(Load{Use: 0.1})}, 125, false},
		{"one has a queue", []Load{at(Load{Waiting: 1}), at(Load{Running: 9, Waiting: 4})}, 100, false},
		{"nothing is known", nil, 100, false},
	} {
		limiter := NewLimiter(100, 1000)
		limiter.Ended(100)
		abort := limiter.Poll(now, 100, test.loads)
		if got := limiter.Limit(); got != test.limit || abort != test.abort {
			t.Errorf("%s: limit %d, abort %v; want %d and %v", test.why, got, abort, test.limit, test.abort)
		}
	}
}

// Whatever the servers report, the limit stays between 1 and the most and grows at most by
// the factor, and nothing is aborted without a cut.
func TestTheLimitStaysInBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 500).Draw(t, "most")
		limiter := NewLimiter(rapid.IntRange(1, 600).Draw(t, "each"), most)
		now := time.Unix(0, 0)
		for range 50 {
			now = now.Add(5 * time.Second)
			limiter.Ended(rapid.IntRange(0, 300).Draw(t, "ended"))
			limiter.Servers(rapid.IntRange(0, 4).Draw(t, "servers"))
			before := limiter.Limit()
			abort := limiter.Poll(now, rapid.IntRange(0, 600).Draw(t, "under way"), []Load{{
				At: now, Use: rapid.Float64Range(0, 1).Draw(t, "use"), Running: rapid.IntRange(0, 99).Draw(t, "running"),
				Waiting: rapid.IntRange(0, 99).Draw(t, "waiting"), Preempted: rapid.IntRange(0, 1).Draw(t, "preempted"),
			}})
			after := limiter.Limit()
			if after < 1 || after > most || after > before+before/4+1 || abort && after > before {
				t.Fatalf("from %d to %d of at most %d, abort %v", before, after, most, abort)
			}
		}
	})
}
