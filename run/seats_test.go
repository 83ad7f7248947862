package run_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/scenarios/games/duels"
)

// selfPlay returns the config of a run in which the policy plays both sides of nim. A step trains on
// the groups of one problem, on policy.
func selfPlay(t *testing.T, store queue.Store) run.Config {
	t.Helper()
	i := slices.IndexFunc(duels.Games(), func(g *games.Game) bool { return g.Scenario.Name == "nim_family" })
	nim := duels.Games()[i]
	s, err := nim.Scenario.Over(nim.Task, []byte(`{"players":"self"}`))
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, open(t, store))
	c.Streams = []rollout.Stream{{Scenario: s, Seed: 1, Level: 2, Weight: 1}}
	c.Settings.BatchSize, c.Settings.MaxLag, c.Settings.Parallel = 8, 0, 4
	c.Rules.Baseline = rollout.BaselineSeat
	book := script.NewBook(s)
	c.Policy = &script.Solver{Answer: book.Answer, Advice: book.Advice, Accuracy: 0.5, Seed: 1}
	return c
}

func TestARunPlaysBothSides(t *testing.T) {
	t.Parallel()
	store, seen := queue.NewMemory(), &events{}
	c := selfPlay(t, store)
	c.Sinks = []run.Sink{seen}
	_, report := finish(t, c)
	if seats := report.Tasks[0].Seats; len(seats) != 2 || math.Abs(seats[0]+seats[1]-1) > 1e-9 || seats[0] <= 0 || seats[0] >= 1 {
		t.Errorf("the seats score %v", seats)
	}
	kept := map[string]int{}
	for _, p := range of[run.Played](seen) {
		if p.Group != nil {
			whose, seat, _ := strings.Cut(p.Group.ID, "@")
			if kept[whose]++; seat != "0" && seat != "1" || p.Job.Problem.ID() != p.Group.ID {
				t.Errorf("group %s of problem %s", p.Group.ID, p.Job.Problem.ID())
			}
		}
	}
	for id, n := range kept {
		if n != 2 {
			t.Errorf("%s has %d groups, want both", id, n)
		}
	}
	steps := of[run.Stepped](seen)
	for _, step := range steps {
		if len(step.Batch) != 2 || strings.TrimRight(step.Batch[0], "01") != strings.TrimRight(step.Batch[1], "01") {
			t.Errorf("a step on %v, want both groups of a problem", step.Batch)
		}
	}
	if len(steps) != 5 || report.Stale.Groups > 0 {
		t.Errorf("%d steps, and %d stale groups: groups of a problem should enter together", len(steps), report.Stale.Groups)
	}
	record, err := store.State(context.Background(), "run")
	if err != nil || !strings.Contains(string(record), `"baselines":{"0":`) {
		t.Errorf("the record of the run is %s, error %v", record, err)
	}
	if _, again := finish(t, selfPlay(t, store)); again.Steps != 5 || again.GroupsDropped[rollout.DropDuplicate] > 0 {
		t.Errorf("the next process makes %d steps and drops %v", again.Steps, again.GroupsDropped)
	}
}

// If the group of one seat is known, that of the other is dropped too.
func TestGroupsOfAMatchAreKeptTogether(t *testing.T) {
	t.Parallel()
	seen := &events{}
	c := selfPlay(t, queue.NewMemory())
	c.Sinks = []run.Sink{seen}
	finish(t, c)
	played := of[run.Played](seen)
	kept := played[slices.IndexFunc(played, func(p run.Played) bool { return p.Group != nil && strings.HasSuffix(p.Group.ID, "@1") })].Group
	c = selfPlay(t, queue.NewMemory())
	kept.Scores[0] += 0.25
	c.Settings.Steps, c.Settings.StepTime, c.Settings.MaxLag = 1, 200*time.Millisecond, 2
	if _, err := c.Queue.Put(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if _, report := finish(t, c); report.GroupsDropped[rollout.DropDuplicate] != 2 {
		t.Errorf("dropped %v, want two duplicates", report.GroupsDropped)
	}
}

func TestABatchHasRoomForBothSeats(t *testing.T) {
	t.Parallel()
	c := selfPlay(t, queue.NewMemory())
	c.Settings.BatchSize = 4
	if _, err := run.Open(t.Context(), c); err == nil || err.Error() != "batch_size: is 4, want a multiple of group_size, 4, for each of 2 seats" {
		t.Errorf("error %v", err)
	}
}
