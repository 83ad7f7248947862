package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// gameConfig returns the settings of a run of a game with the embedded model.
func gameConfig(t *testing.T, game string) *config {
	t.Helper()
	w := &world{environ: func() []string { return nil }}
	c, err := w.loadConfig("run", "", map[string]settings.Given{"scenario": {Text: game, By: "--scenario"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A run of a game without tasks climbs levels made for the embedded model, with its settings.
func TestTheStarterHasItsOwnLevelsOfGames(t *testing.T) {
	for _, game := range starter.Games() {
		c := gameConfig(t, game)
		preset := starter.Preset(game)
		for _, s := range settings.New(c).Settings() {
			if want, has := preset[s.Path()]; has && s.String() != want {
				t.Errorf("%s: %s is %s, want %s", game, s.Path(), s, want)
			}
			delete(preset, s.Path())
		}
		if len(preset) > 0 {
			t.Errorf("%s: %v are no settings", game, preset)
		}
		streams, err := c.runStreams()
		if err != nil || len(streams) < 4 || len(streams) != len(starter.Ladder(game)) {
			t.Errorf("%s has %d levels, error %v", game, len(streams), err)
		}
		saved, err := c.Policy.FirstWeights()
		if err != nil || saved.Model.Config() != c.Model.Config() {
			t.Errorf("%s: the weights %+v do not have the sizes %+v, error %v", game, saved, c.Model, err)
		}
	}
}

// Every episode of a level of the embedded model fits into its context, with a fault, and its replies into the
// tokens that it may write. The warm-up shows every character that the model reads or writes.
func TestTheStarterCanReadAndPlayItsGames(t *testing.T) {
	for _, game := range starter.Games() {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			c := gameConfig(t, game)
			streams, err := c.runStreams()
			if err != nil {
				t.Fatal(err)
			}
			lessons, err := c.Source.Streams(func(*task.Set) catalog.Choices { return catalog.Lessons(game) }, 1)
			if err != nil {
				t.Fatal(err)
			}
			known, read := map[quintain.Token]bool{}, map[quintain.Token]bool{}
			for _, s := range lessons {
				measure(t, c, s, known)
			}
			for _, s := range streams {
				measure(t, c, s, read)
			}
			for token := range read {
				if !known[token] {
					t.Errorf("the warm-up never shows %q, but %d other tokens", tiny.Decode([]quintain.Token{token}), len(known))
				}
			}
			if all := slices.Sorted(maps.Keys(read)); int(all[len(all)-1]) >= tiny.Size || len(all) < 10 {
				t.Errorf("the tokens of the game are %v", all)
			}
		})
	}
}

// measure plays problems of a stream, with any legal moves and a fault in every other one, and notes the tokens of
// those without a fault.
func measure(t *testing.T, c *config, s rollout.Stream, seen map[quintain.Token]bool) {
	t.Helper()
	for index := range gamesMeasured {
		p, err := s.Scenario.Problem(quintain.Draw{Seed: 1, Level: s.Level, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		by := &advised{adviser: s.Scenario.(quintain.Adviser), problem: p, chance: rng.New(uint64(index), "any"), faulty: index%2 == 1}
		played, err := rollout.Play(t.Context(), by, c.Policy.Sampling, rollout.Job{Scenario: s.Scenario, Problem: p})
		if err != nil || played.Outcome != quintain.Scored {
			t.Fatalf("%s: %s, %v, error %v", p.ID(), played.Outcome, played.Error, err)
		}
		if by.tokens > c.Model.Context || by.longest > c.Policy.Sampling.MaxTokens {
			t.Fatalf("%s has %d tokens, want at most %d, and a reply of %d, want at most %d", p.ID(), by.tokens, c.Model.Context, by.longest, c.Policy.Sampling.MaxTokens)
		}
		if by.faulty {
			continue
		}
		for _, token := range by.read {
			seen[token] = true
		}
	}
}

// An advised policy replies as a scenario allows.
type advised struct {
	adviser quintain.Adviser
	problem quintain.Problem
	chance  *rng.Rand
	faulty  bool // its first reply is no move

	said    []quintain.Reply
	read    []quintain.Token // and written
	tokens  int
	longest int // tokens of a reply
}

// Sample implements [quintain.Policy].
func (a *advised) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	advice, err := a.adviser.Advise(ctx, a.problem, a.said)
	if err != nil {
		return nil, err
	}
	text := rng.Pick(a.chance, advice.Allowed)
	if a.faulty && len(a.said) == 0 {
		text = "what"
	}
	fresh, err := tiny.Read(quintain.Request{Messages: r.Messages[r.Fresh:], N: 1})
	if err != nil || text == "" {
		return nil, fmt.Errorf("reply %q: %w", text, err)
	}
	wrote := append(tiny.Encode(text), tiny.End)
	a.read = slices.Concat(a.read, fresh, wrote)
	a.tokens, a.longest = len(a.read), max(a.longest, len(wrote))
	a.said = append(a.said, quintain.Reply{Text: text, Finish: quintain.Stop})
	return []quintain.Sample{{
		Text: text, Whole: text, Read: fresh, Wrote: wrote, LogProbs: make([]float32, len(wrote)), Versions: make([]int32, len(wrote)), Finish: quintain.Stop, Vocabulary: tiny.OwnName,
	}}, nil
}
