package hub

import (
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// After a restart, waiting groups do not contradict the counts since.
func TestHubStatsForPeople(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	st := RunStats{Run: "default", Stats: Stats{
		Since: now.Add(-12 * time.Minute), Registered: true, BatchSize: 64, BatchUnit: "episodes", Step: 3, Envs: 3, Connected: 2, EnvTimeout: 120,
		Held: 2, Batches: 1, Torn: 1, Expired: 2, Dropped: 1,
		Queue: queue.Stats{
			Waiting:   queue.Count{Groups: 16, Sequences: 128, Tokens: 40960, Bytes: 327680},
			Aside:     queue.Count{Groups: 1},
			OldestPut: now.Add(-3 * time.Hour),
		},
	}}
	var out strings.Builder
	st.Print(&out, now)
	want := `run           default: batches of 64 episodes, step 3
environments  3, 2 heard from in the last 2 min
waiting       16 groups, 128 sequences, 40960 tokens, 0.3 MB
              the oldest came 3 h ago, before the hub started
              2 of them until others make up the group size of their environment
set aside     1 group that cannot be read
since the hub started 12 min ago:
  received    0 groups and 0 tokens from outside, in 0 posts; 0 groups came again
  refused     0 requests as invalid, 0 for lack of room
  handed out  1 batch, 0 more than once; 0 groups and 0 tokens
  of these    0 acknowledged, 0 given back; 1 reply did not arrive, 2 leases ran out
  dropped     1 group to make room
`
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// A run that trains itself waits for no trainer.
func TestHubStatsOfARunThatTrains(t *testing.T) {
	for local, want := range map[bool]string{true: "run           default: this process trains on the groups itself, step 478\n", false: "run           default: no trainer has registered\n"} {
		var out strings.Builder
		(&RunStats{Run: "default", Stats: Stats{Local: local, Step: 478}}).Print(&out, time.Now())
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("printed\n%s\nwant %s", out.String(), want)
		}
	}
}
