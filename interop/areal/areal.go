// Package areal writes episodes in the forms of AReaL (Ant Research): the records of its
// legacy agents ([Record]), the tensors of its newer workflows ([Row]), and the log files
// of its agents ([Logs]). docs/formats/areal.md describes them.
//
// Records and rows come from groups that package rollout has cut and scored: every token,
// log-probability and version stays as sampled, and an unrewarded episode has no record.
package areal

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// ErrUnknown says that a group is unusable because the log-probabilities of its tokens are
// unknown.
var ErrUnknown = errors.New("the log-probabilities are unknown, and AReaL needs them: use a policy that reports them")

// A RuleError reports a violation of AReaL's forms.
type RuleError struct {
	ID  string // of the record or row
	Key string // of the tensor
	Why string
}

// Error names the record, the tensor and the fault.
func (e *RuleError) Error() string { return fmt.Sprintf("%s: %s: %s", e.ID, e.Key, e.Why) }

// checkGroup reports why g is unusable.
func checkGroup(g *quintain.Group) error {
	if err := g.Check(); err != nil {
		return fmt.Errorf("group %s: %w", g.ID, err)
	}
	for i, seq := range g.Tokens {
		if g.LogProbs == nil || g.Versions == nil || len(g.LogProbs[i]) != len(seq) {
			return fmt.Errorf("group %s: %w", g.ID, ErrUnknown)
		}
	}
	return nil
}

// A Type is the type of a tensor's elements, by PyTorch's name.
type Type string

// The types.
const (
	Bool    Type = "bool"
	Int32   Type = "int32"
	Int64   Type = "int64"
	Float32 Type = "float32"
)

// A Tensor is a named array of values. They are in Ints, or in Floats if Type is Float32,
// row after row; a Bool is 0 or 1.
type Tensor struct {
	Name   string
	Type   Type
	Shape  []int // its product is the number of values
	Ints   []int64
	Floats []float32
}
