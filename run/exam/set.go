package exam

import (
	"context"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Seed is the default seed of the problems of evaluations.
const Seed uint64 = 0x68656c64_6f757421

// A Set is a fixed list of problems. No two ask the same, except rows of a file.
type Set struct {
	Label    string // of the stream
	Level    int    // of the stream; see [rollout.Levels]
	Scenario quintain.Scenario
	Problems []quintain.Problem
	Distinct int // questions of the problems; fewer than problems only if rows of a file repeat one

	// Complete says that the set has every problem of its side, as far as draws can tell.
	Complete bool
}

// NewSets returns a set for each stream: the first how.Problems problems of how.Seed on the
// side how.Split, each question once, or all if there are fewer. Where a scenario has streams that are held
// out, these are that side. From a file it takes the
// rows in order. It opens no environment. The error names two streams that share a problem,
// or is that of ctx, which ends the drawing.
func NewSets(ctx context.Context, streams []rollout.Stream, how Settings) ([]Set, error) {
	streams = how.Split.streams(streams)
	sets := make([]Set, len(streams))
	labels := map[string]string{} // by the IDs of the problems
	levels := rollout.Levels(streams)
	for i, label := range rollout.Labels(streams) {
		set, err := newSet(ctx, streams[i], how)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		set.Label, set.Level = label, levels[i]
		sets[i] = set
		if how.Told != nil {
			how.Told(i+1, len(streams))
		}
		for _, p := range set.Problems {
			if other, twice := labels[p.ID()]; twice {
				return nil, fmt.Errorf("%s and %s have the same problems: it is listed twice", other, label)
			}
			labels[p.ID()] = label
		}
	}
	return sets, nil
}

// CheckAsked refuses sets without any problem: an evaluation of nothing is no result.
func CheckAsked(sets []Set) error {
	for _, set := range sets {
		if len(set.Problems) > 0 {
			return nil
		}
	}
	return errors.New("there is nothing to ask: these levels have few problems, and none of them is held out; choose other levels, or ask both sides with --with exam.split=all")
}

// newSet draws the set of a stream.
func newSet(ctx context.Context, s rollout.Stream, how Settings) (Set, error) {
	set := Set{Scenario: s.Scenario}
	size, want := s.Size(), how.Problems
	if how.Split == AutoSide && size > 0 {
		how.Split = BothSides
	} else if how.Split == AutoSide {
		how.Split = HeldOutSide
	}
	switch {
	case want == 0 && size > 0:
		want = size
	case want == 0:
		want = DefaultProblems
	}
	seen := map[quintain.Key]bool{}
	for index, vain := 0, 0; len(set.Problems) < want; index++ {
		if err := ctx.Err(); err != nil {
			return set, err
		}
		if size > 0 && index == size || size == 0 && vain == patience(len(seen)) {
			set.Complete = true
			return set, nil
		}
		p, err := s.Scenario.Problem(quintain.Draw{Seed: how.seed(), Level: s.Level, Index: index})
		if err != nil {
			return set, err
		}
		key, err := s.Scenario.Key(p)
		if err != nil {
			return set, err
		}
		vain++
		if seen[key] && size == 0 {
			continue
		}
		ours := how.Split.Has(key)
		if !seen[key] {
			seen[key], vain = true, 0
			if ours {
				set.Distinct++
			}
		}
		if ours {
			set.Problems = append(set.Problems, p)
		}
	}
	set.Complete = size > 0 && len(set.Problems) == size
	return set, nil
}

// patience is the number of draws without a new question after which the n known ones
// count as all. If one more existed, and all were equally likely, the draws would miss it
// once in 10⁸ times.
func patience(n int) int { return max(1000, 20*n) }

// Count counts the problems of sets, and the sets that have any.
func Count(sets []Set) (problems, with int) {
	for i := range sets {
		if some := len(sets[i].Problems); some > 0 {
			problems, with = problems+some, with+1
		}
	}
	return problems, with
}
