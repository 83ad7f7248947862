package rollout

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestRoomFollowsTheRule(t *testing.T) {
	for _, test := range []struct {
		gate            Gate
		pending, behind int
		want            int
		why             string
	}{
		{Gate{Batch: 8}, 0, 0, 8, "on-policy: one batch at a time"},
		{Gate{Batch: 8}, 8, 0, 0, "no second batch until the first is trained on"},
		{Gate{Batch: 8}, 0, 1, 0, "nor before its weights are loaded"},
		{Gate{Batch: 8, MaxLag: 4}, 0, 0, 40, "lag lets later batches start early"},
		{Gate{Batch: 8, MaxLag: 4}, 26, 0, 14, ""},
		{Gate{Batch: 8, MaxLag: 4}, 26, 1, 6, "weights that are behind take of the lag"},
		{Gate{Batch: 8, MaxLag: 4}, 100, 0, 0, "never below zero"},
	} {
		if got := test.gate.Room(test.pending, test.behind); got != test.want {
			t.Errorf("%+v, %d pending, %d behind: room %d, want %d (%s)", test.gate, test.pending, test.behind, got, test.want, test.why)
		}
	}
}

// Batches taken in the order of admission are never staler than MaxLag, however late the
// trainer's weights are loaded.
func TestStalenessIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Gate{Batch: rapid.IntRange(1, 5).Draw(t, "batch"), MaxLag: rapid.IntRange(0, 4).Draw(t, "lag")}
		var waiting []int // initial version of each admitted episode
		step, version := 0, 0
		for range rapid.IntRange(1, 100).Draw(t, "events") {
			switch rapid.IntRange(0, 2).Draw(t, "event") {
			case 0:
				if g.Room(len(waiting), step-version) > 0 {
					waiting = append(waiting, version)
				}
			case 1:
				version = rapid.IntRange(version, step).Draw(t, "version")
			default:
				if len(waiting) < g.Batch {
					continue
				}
				for _, started := range waiting[:g.Batch] {
					if lag := step - started; lag > g.MaxLag {
						t.Fatalf("an episode is %d versions old, want at most %d", lag, g.MaxLag)
					}
				}
				waiting = waiting[g.Batch:]
				step++
			}
		}
	})
}

func TestAdmissionWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAdmission(Gate{Batch: 8}, 0)
		if err := a.Enter(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		entered := make(chan error)
		go func() { entered <- a.Enter(t.Context(), 8) }()
		for _, test := range []struct {
			change func()
			opens  bool
		}{
			{func() {}, false},
			{func() { a.Leave(4) }, false},
			{func() { a.Trained(4, 1) }, false},
			{func() { a.Trained(0, 0) }, true},
		} {
			test.change()
			synctest.Wait()
			select {
			case err := <-entered:
				if err != nil || !test.opens {
					t.Fatalf("entered too early, error %v", err)
				}
			default:
				if test.opens {
					t.Fatal("still waits")
				}
			}
		}
	})
}

func TestAdmissionEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAdmission(Gate{Batch: 8}, 8)
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		if err := a.Enter(ctx, 1); !errors.Is(err, why) {
			t.Errorf("error %v, want %v", err, why)
		}
	})
}

// Episodes of others in the same queue give no room when they are trained on.
func TestAdmissionBesideOthers(t *testing.T) {
	a := NewAdmission(Gate{Batch: 8, MaxLag: 1}, 4)
	a.Trained(100, 0)
	a.Leave(1)
	if err := a.Enter(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Enter(ctx, 12); err != nil {
		t.Errorf("no room for 12: %v", err)
	}
	if err := a.Enter(ctx, 1); err == nil {
		t.Error("room for 13, want 2 batches minus the 4 waiting episodes")
	}
}
