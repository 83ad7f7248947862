package main

import (
	"log/slog"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/watch"
)

// played lists the settings that a worker takes from its coordinator.
func played() []string {
	return []string{
		"tasks", "problems", "columns", "scenario", "judge", "environment", "harbor", "-harbor.jobs", "-harbor.scratch", "tools", "agent", "sessions", "policy", "-policy.weights", "-policy.from_scratch", "-policy.key_file",
		"run.seed", "run.group_size", "run.parallel", "run.replays", "run.episode_time", "run.grace", "run.consumer", "curriculum.mode",
	}
}

// coordinator returns the coordinator of a run whose problems workers elsewhere play; nil: the
// run plays them itself.
func (c *config) coordinator(streams []rollout.Stream, log *slog.Logger) (*fleet.Coordinator, error) {
	switch {
	case !c.Run.Workers:
		return nil, nil
	case c.Run.Gateway:
		return nil, usagef("run.workers: agents elsewhere play by run.gateway; choose one")
	}
	text, err := settings.New(c).Use(played()...).YAML()
	if err != nil {
		return nil, err
	}
	digest, err := fleet.Digest(streams)
	if err != nil {
		return nil, err
	}
	play := fleet.Play{Program: version(), Tasks: digest, Runs: fleet.Runs(streams), Settings: text}
	if play.Policy, err = c.Policy.Identity(); err != nil {
		return nil, err
	}
	to := fleet.Config{Settings: c.Fleet, Play: play, GroupSize: c.Run.Of.GroupSize, Labels: rollout.Labels(streams), Slots: c.Run.Of.Parallel, Log: log}
	if c.Policy.Kind == player.Tiny {
		to.Weights = fleet.NewWeights()
	}
	return fleet.New(to), nil
}

// leaseTo has workers elsewhere play the problems of a run.
func (a *runner) leaseTo(to *run.Config) {
	if a.leases != nil {
		if a.trains {
			of := a.host.Hub().Default().Weights()
			a.leases.Follow(fleet.Versions{Told: of.Told, Oldest: a.oldest, Moved: of.Move})
			a.sampled.From = a.leases.LowestWith(a.sampled.From)
		}
		a.leases.Join(to)
	}
}

// showWorkers says how workers elsewhere come to the run.
func (a *runner) showWorkers(pages *watch.Server, at string) {
	if a.leases == nil {
		return
	}
	pages.ShowFleet(a.leases)
	for _, m := range a.leases.Collectors() {
		a.register(m)
	}
	key := ""
	if a.config.Server.KeyFile != "" {
		key = " --coordinator-key-file FILE, which has a key of the role worker"
	}
	a.live.Say("workers play: quintain worker --coordinator http://%s%s (docs/fleet.md)", at, key)
}
