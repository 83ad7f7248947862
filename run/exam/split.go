package exam

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A Side is a part of all problems.
type Side string

// The sides of the split.
const (
	HeldOutSide Side = "held_out" // a tenth, never trained on
	TrainedSide Side = "trained"  // the others
	BothSides   Side = "all"
	AutoSide    Side = "auto" // in [Settings]: the held-out ones of a task, and all of a file
)

// Has reports whether the problems of a key are on the side; see [quintain.Key.HeldOut].
func (s Side) Has(key quintain.Key) bool {
	return s == BothSides || key.HeldOut() == (s == HeldOutSide)
}

// Only returns [Side.Has], nil for both sides, or an error if s is no side.
func (s Side) Only() (func(quintain.Key) bool, error) {
	switch s {
	case BothSides:
		return nil, nil
	case TrainedSide, HeldOutSide:
		return s.Has, nil
	}
	return nil, fmt.Errorf("split is %q, want trained, held_out or all", s)
}

// streams returns the streams whose problems may be on the side. Where a scenario has streams that are
// held out, none of its others are.
func (s Side) streams(all []rollout.Stream) []rollout.Stream {
	kept := map[string]bool{} // scenarios that have some
	for _, of := range all {
		if of.HeldOut {
			kept[of.Scenario.Info().ID()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(of rollout.Stream) bool {
		switch s {
		case BothSides:
			return false
		case TrainedSide:
			return of.HeldOut
		}
		return !of.HeldOut && kept[of.Scenario.Info().ID()]
	})
}

// Skip returns a function for streams that skips the held-out problems of s.
func Skip(s quintain.Scenario) func(quintain.Problem) (bool, error) {
	return func(p quintain.Problem) (bool, error) {
		key, err := s.Key(p)
		if err != nil {
			return false, err
		}
		return key.HeldOut(), nil
	}
}
