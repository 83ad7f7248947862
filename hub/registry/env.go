package registry

import (
	"fmt"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// An Env is an environment. It is immutable.
type Env struct {
	Version     int      `json:"version"`
	ID          int32    `json:"id"`
	MaxTokens   int      `json:"max_context_len"`
	Weight      float64  `json:"weight"`
	DesiredName string   `json:"desired_name"`
	Nth         int      `json:"nth"`                  // among those that wanted this name, from 0
	Connected   bool     `json:"connected"`            // it has not left
	Minimum     *float64 `json:"min_batch_allocation"` // share of each batch; nil: none
	GroupSize   int      `json:"group_size"`
	Instance    string   `json:"instance,omitzero"` // as it named itself; empty: not at all
}

// newEnv returns the environment that registers as r.
func newEnv(id int32, nth int, r atropos.EnvRegistration) *Env {
	return &Env{
		Version: envVersion, ID: id, Nth: nth, Connected: true,
		MaxTokens: r.MaxTokenLength, Weight: r.Weight, DesiredName: r.DesiredName,
		Minimum: r.MinBatchAllocation, GroupSize: r.GroupSize, Instance: r.Instance,
	}
}

// RealName is the environment's unique name.
func (e *Env) RealName() string { return fmt.Sprintf("%s_%d", e.DesiredName, e.Nth) }

// share is the environment's weight times its tokens.
func (e *Env) share() float64 { return float64(max(0, e.MaxTokens)) * max(0, e.Weight) }

// envVersion is the version of the records of environments.
const envVersion = 1

// envPrefix begins the keys of environments' records; their IDs follow.
const envPrefix = "hub-env-"

// key is the key of the environment's record.
func (e *Env) key() string { return fmt.Sprint(envPrefix, e.ID) }

// record is the stored form of the environment.
func (e *Env) record() (queue.State, error) { return queue.NewRecord(e.key(), e) }
