package remote_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/policy/remote"
)

// TestWatch makes requests fail and succeed in turn.
func TestWatch(t *testing.T) {
	var log strings.Builder
	w := remote.NewWatch(slog.New(slog.NewTextHandler(&log, nil)))
	busy, down := &remote.Error{Kind: remote.Busy, Attempts: 1}, &remote.Error{Kind: remote.Unreachable, Attempts: 2}
	for _, step := range []struct {
		why     string
		do      func()
		waiting *remote.Error
		logged  int
	}{
		{"nothing has happened", func() {}, nil, 0},
		{"a first fault", func() { w.Told(busy, 1) }, busy, 1},
		{"the next one is not logged", func() { w.Told(down, 2) }, down, 1},
		{"the request fails: the others still wait", func() { w.Ended(down) }, down, 1},
		{"one is cancelled, which says nothing", func() { w.Ended(context.Canceled) }, down, 1},
		{"one succeeds", func() { w.Ended(nil) }, nil, 1},
		{"the first fault after that", func() { w.Told(busy, 1) }, busy, 2},
	} {
		step.do()
		if got, lines := w.Waiting(), strings.Count(log.String(), "level=WARN"); got != step.waiting || lines != step.logged {
			t.Errorf("%s: waiting for %v, %d lines logged; want %v, %d", step.why, got, lines, step.waiting, step.logged)
		}
	}
	all := prometheus.NewRegistry()
	all.MustRegister(w)
	families, err := all.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, family := range families {
		for _, m := range family.GetMetric() {
			got = append(got, fmt.Sprint(family.GetName(), " ", m.GetLabel()[0].GetValue(), " ", m.GetCounter().GetValue()))
		}
	}
	want := []string{"quintain_policy_failures_total unreachable 1", "quintain_policy_retries_total busy 2", "quintain_policy_retries_total unreachable 1"}
	if !slices.Equal(got, want) {
		t.Errorf("metrics %q, want %q", got, want)
	}
}
