package exam

import (
	"encoding/binary"
	"fmt"

	"github.com/quintain-rl/quintain"
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

// heldOutShare says that one in ten problems is held out.
const heldOutShare = 10

// HeldOut reports whether the problems of a key are kept for evaluations and must not be
// trained on. A key stands for the question, so all wordings of it are on one side. Its second
// half decides, which all problems of a family share ([quintain.NewFamilyKey]).
func HeldOut(key quintain.Key) bool {
	return binary.BigEndian.Uint64(key[8:])%heldOutShare == 0
}

// Has reports whether the problems of a key are on the side.
func (s Side) Has(key quintain.Key) bool { return s == BothSides || HeldOut(key) == (s == HeldOutSide) }

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

// Skip returns a function for streams that skips the held-out problems of s.
func Skip(s quintain.Scenario) func(quintain.Problem) (bool, error) {
	return func(p quintain.Problem) (bool, error) {
		key, err := s.Key(p)
		if err != nil {
			return false, err
		}
		return HeldOut(key), nil
	}
}
