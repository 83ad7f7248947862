package areal_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain/interop/areal"
)

// The figures are from AReaL's own tests.
func TestCapacity(t *testing.T) {
	for _, test := range []struct {
		why     string
		limits  areal.Limits
		counts  areal.Counts
		version int
		want    int
	}{
		{"concurrency is the limit", areal.Limits{Concurrent: 100, Batch: 32, Lag: 10}, areal.Counts{}, 0, 100},
		{"staleness is the limit", areal.Limits{Concurrent: 100, Batch: 4, Lag: 2}, areal.Counts{}, 0, 12},
		{"a version opens it", areal.Limits{Concurrent: 100, Batch: 4, Lag: 2}, areal.Counts{}, 5, 32},
		{"running rollouts take places", areal.Limits{Concurrent: 5, Batch: 2, Lag: 10}, areal.Counts{Running: 3}, 0, 2},
		{"none is left", areal.Limits{Concurrent: 5, Batch: 2, Lag: 5}, areal.Counts{Running: 5}, 0, 0},
		{"accepted rollouts count", areal.Limits{Concurrent: 20, Batch: 4, Lag: 2}, areal.Counts{Accepted: 5}, 0, 7},
		{"rejected rollouts do not", areal.Limits{Concurrent: 20, Batch: 8, Lag: 3}, areal.Counts{Accepted: 15, Rejected: 5}, 0, 17},
		{"almost a whole window", areal.Limits{Concurrent: 100, Batch: 8, Lag: 3}, areal.Counts{Accepted: 30}, 0, 2},
		{"after a step", areal.Limits{Concurrent: 32, Batch: 16, Lag: 2}, areal.Counts{Accepted: 14}, 1, 32},
		{"on-policy", areal.Limits{Concurrent: 100, Batch: 8}, areal.Counts{}, 0, 8},
		{"on-policy, later", areal.Limits{Concurrent: 100, Batch: 8}, areal.Counts{}, 5, 48},
		{"zeros count as 1", areal.Limits{}, areal.Counts{}, 0, 1},
		{"too many run", areal.Limits{Concurrent: 2, Batch: 8}, areal.Counts{Running: 3}, 0, -1},
	} {
		if got := test.limits.Capacity(test.counts, test.version); got != test.want {
			t.Errorf("%s: %d, want %d", test.why, got, test.want)
		}
	}
	limits := areal.Limits{Concurrent: 1000, Batch: 8, Lag: 2}
	if got := limits.Capacity(areal.Recover(limits, 7).Counts(), 7); got != 24 {
		t.Errorf("after a recovery %d may start, want (lag + 1) batches", got)
	}
}

// A model is AReaL's legacy manager: it compares the version at which a rollout is expected
// to be trained with the highest allowed.
type model struct {
	limits            areal.Limits
	version, accepted int
	running           []string
}

func (m *model) admits() bool {
	expected := (m.accepted + len(m.running)) / m.limits.Batch
	return len(m.running) < m.limits.Concurrent && expected <= m.limits.Lag+m.version
}

// Whatever happens, the admission agrees with the model, and accepted rollouts can be
// trained on within the lag.
func TestAdmissionAgreesWithAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := areal.Limits{
			Concurrent: rapid.IntRange(1, 8).Draw(t, "concurrent"), Lag: rapid.IntRange(0, 3).Draw(t, "lag"), Batch: rapid.IntRange(1, 4).Draw(t, "batch"),
		}
		m := &model{limits: limits}
		a := areal.Recover(limits, 0)
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"allocate": func(t *rapid.T) {
				id := fmt.Sprint(next)
				next++
				want := m.admits()
				if refusal := a.Allocate(id, limits, m.version); (refusal == "") != want {
					t.Fatalf("version %d, %+v: refusal %q, and the model admits: %v", m.version, a.Counts(), refusal, want)
				}
				if want {
					m.running = append(m.running, id)
				}
			},
			"allocate again": func(t *rapid.T) {
				if len(m.running) == 0 {
					return
				}
				if refusal := a.Allocate(rapid.SampledFrom(m.running).Draw(t, "which"), limits, m.version); refusal != "" {
					t.Fatalf("a running rollout is refused: %s", refusal)
				}
			},
			"finish": func(t *rapid.T) {
				if len(m.running) == 0 {
					return
				}
				at, accepted := rapid.IntRange(0, len(m.running)-1).Draw(t, "which"), rapid.Bool().Draw(t, "accepted")
				if err := a.Finish(m.running[at], accepted); err != nil {
					t.Fatal(err)
				}
				if err := a.Finish(m.running[at], true); !errors.Is(err, areal.ErrNotRunning) {
					t.Fatalf("finished twice: error %v", err)
				}
				m.running = slices.Delete(m.running, at, at+1)
				if accepted {
					m.accepted++
				}
			},
			"train": func(t *rapid.T) {
				if m.accepted < (m.version+1)*limits.Batch {
					return
				}
				m.version++
			},
			"recover": func(*rapid.T) {
				m.accepted, m.running = m.version*limits.Batch, nil
				a = areal.Recover(limits, m.version)
			},
			"": func(t *rapid.T) {
				c := a.Counts()
				if c.Running != len(m.running) || c.Accepted != m.accepted || c.Running > limits.Concurrent {
					t.Fatalf("the counts are %+v, want %d running and %d accepted", c, len(m.running), m.accepted)
				}
				if last := (c.Accepted + c.Running - 1) / limits.Batch; last > m.version+limits.Lag {
					t.Fatalf("the last of %+v will be trained on at version %d, at %d now", c, last, m.version)
				}
			},
		})
	})
}

// A rollout of a dead agent does not keep its place forever.
func TestRolloutsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := areal.Limits{Concurrent: 1, Lag: 100, Batch: 1, Timeout: time.Minute}
		a := areal.Recover(limits, 0)
		if refusal := a.Allocate("a", limits, 0); refusal != "" {
			t.Fatal(refusal)
		}
		time.Sleep(time.Minute)
		if a.Allocate("b", limits, 0) == "" {
			t.Error("a second rollout is admitted within the time")
		}
		time.Sleep(time.Second)
		if refusal := a.Allocate("b", limits, 0); refusal != "" {
			t.Errorf("a second one is refused after it: %s", refusal)
		}
		if err := a.Finish("a", true); !errors.Is(err, areal.ErrNotRunning) || a.Counts().Rejected != 1 {
			t.Errorf("the first one ends with the error %v, counts %+v", err, a.Counts())
		}
	})
}
