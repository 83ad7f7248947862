package hub

import "github.com/quintain-rl/quintain/queue"

// A Plan asks of which groups the next batch would be made, without a server and
// without a queue: for tests of other programs, and for whoever wants to know why a
// group waits.
type Plan struct {
	BatchSize int         `json:"batch_size"` // sequences
	Queue     []PlanGroup `json:"queue"`      // what waits, oldest first
	Envs      []PlanEnv   `json:"envs"`       // in the order of their registration
	Strict    bool        `json:"strict"`     // as the original packs: see [Config.Strict]
}

// A PlanGroup is a group that waits.
type PlanGroup struct {
	EnvID     *int32 `json:"env_id"` // nil: none
	Sequences int    `json:"sequences"`
}

// A PlanEnv is an environment and its part of each batch.
type PlanEnv struct {
	ID        int32    `json:"id"`
	Connected bool     `json:"connected"`
	Minimum   *float64 `json:"min_batch_allocation"` // nil: none
}

// Pack returns the indices of the groups of the next batch, in the order in which
// they would be handed out; none where no batch can be made.
func (p Plan) Pack() []int {
	n := need{sequences: p.BatchSize, strict: p.Strict}
	for _, e := range p.Envs {
		if e.Connected && e.Minimum != nil {
			n.addMinimum(e.ID, *e.Minimum)
		}
	}
	waiting := make([]queue.Entry, len(p.Queue))
	for i, g := range p.Queue {
		waiting[i] = queue.Entry{Seq: uint64(i), EnvID: -1, Sequences: g.Sequences}
		if g.EnvID != nil {
			waiting[i].EnvID = *g.EnvID
		}
	}
	picked := []int{}
	for _, e := range pack(waiting, n) {
		picked = append(picked, int(e.Seq))
	}
	return picked
}

// Completing returns the indices of groups of the given sizes which together have
// exactly want sequences, in rising order; none where there are none. The hub lets
// groups go by it that are smaller than their environment registered.
func Completing(sizes []int, want int) []int {
	return append([]int{}, completing(sizes, want)...)
}
