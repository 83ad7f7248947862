package catalog

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/prove"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// Prove starts the chosen environment once more and returns it for checks: all levels of the program, or of the
// scenario over the task that one names (NAME or NAME:LEVEL). The subject's Close ends it.
func (s *Source) Prove(ctx context.Context, one string, seed uint64, log *slog.Logger) (*prove.Subject, error) {
	own := *s // each has processes of its own
	own.Scenario.programs, own.Scenario.jury, own.Scenario.agents, own.Scenario.boxes = nil, nil, nil, nil
	if own.Scenario.Environment.Set() {
		own.Scenario.Environment.Limits.Processes = 1
	} else if err := own.Scenario.Set(s.Scenario.String()); err != nil { // what runs its programs is its own, too
		return nil, err
	}
	if err := own.Scenario.Start(ctx, log); err != nil {
		own.Scenario.Stop()
		return nil, err
	}
	subject, err := own.subject(one, seed)
	if err != nil {
		own.Scenario.Stop()
		return nil, err
	}
	subject.Close = own.Scenario.Stop
	return subject, nil
}

// subject describes the environment that was started.
func (s *Source) subject(one string, seed uint64) (*prove.Subject, error) {
	streams := s.Scenario.Streams(seed)
	for _, p := range s.Scenario.programs {
		if p.drives {
			return nil, fmt.Errorf("%s asks the model itself: only a run or an evaluation can play it", p.Info().Name)
		}
	}
	if streams == nil {
		var err error
		if s.Scenario.Environment.Set() {
			one = cmp.Or(one, "chain_sum")
		}
		if streams, err = s.One(one, func(of Choice) Choice { return of }, seed); err != nil {
			return nil, err
		}
		if len(streams) == 0 {
			return nil, fmt.Errorf("which task? scenario %s plays several: name one", s.Scenario.Name)
		}
		streams = levelsOf(streams[0], one)
	}
	subject := &prove.Subject{Scenario: streams[0].Scenario}
	for _, of := range streams {
		subject.Levels = append(subject.Levels, of.Level)
		if of.HeldOut {
			subject.HeldOut = append(subject.HeldOut, of.Level)
		}
	}
	s.describe(subject)
	return subject, nil
}

// levelsOf returns all levels of a stream's task, unless one names a level.
func levelsOf(of rollout.Stream, one string) (all []rollout.Stream) {
	levels := len(of.Scenario.TaskInfo().Levels)
	if levels < 2 || strings.Contains(one, ":") {
		return []rollout.Stream{of}
	}
	for level := range levels {
		of.Level = level
		all = append(all, of)
	}
	return all
}

// describe fills in what a program says of itself, and what documents say of a game.
func (s *Source) describe(subject *prove.Subject) {
	for i, p := range s.Scenario.programs {
		hello := s.Scenario.Hellos()[i]
		_, subject.Apart = p.player.(*external.Program)
		subject.Range, subject.MaxTurns, subject.Parallel = hello.RewardRange, hello.MaxTurns, hello.Parallel
		if from := hello.Source; from != nil {
			subject.Source, subject.Digest = fmt.Sprint(from.Package, " ", from.Version), from.Digest
		}
	}
	if s.Scenario.programs != nil || s.Scenario.jury != nil {
		return
	}
	for _, game := range Games() {
		if game.Task.Info().Name != subject.Scenario.TaskInfo().Name {
			continue
		}
		subject.Guess = func(level int) (rate float64) {
			for _, rates := range [][]float64{game.Guess, game.Constant} {
				if level < len(rates) {
					rate = max(rate, rates[level])
				}
			}
			return rate
		}
	}
}

// Address makes what an address names the thing that plays: an environment, a scenario of ours, a task (NAME or
// NAME:LEVEL), which it returns, or a file of problems. Task is for a scenario that plays several; empty: a short one.
func (s *Source) Address(address, task string) (one string, err error) {
	name, _, _ := strings.Cut(address, ":")
	switch {
	case address != name && slices.Contains(guest.Schemes(), name) || strings.Contains(address, "://"):
		a, err := guest.Parse(address)
		s.Scenario.Environment.Address = guest.Addresses{a}
		return task, err
	case ours(name):
		if err := s.Scenario.Set(address); err != nil {
			return "", err
		}
		if of := s.Scenario.OnlyTask(); of != "" {
			return of, nil
		}
		return cmp.Or(task, "chain_sum"), nil
	case slices.ContainsFunc(Tasks(), func(t quintain.Task) bool { return t.Info().Name == name }):
		return address, nil
	case filepath.Ext(address) == ".py":
		a, err := guest.File(address, s.Scenario.Environment)
		s.Scenario.Environment.Address = guest.Addresses{a}
		return task, err
	}
	if _, err := os.Stat(address); err != nil {
		return "", fmt.Errorf("%s is no task, scenario, file or SCHEME:NAME%s", address, nearest.Suggest(name, append(taskNames(), scenarioNames()...)))
	}
	s.File = address
	return "", nil
}

// taskNames are those of all tasks that one answer solves.
func taskNames() (names []string) {
	for _, t := range Tasks() {
		names = append(names, t.Info().Name)
	}
	return names
}
