package packing

// A Plan is waiting groups and the demand of a batch, without a queue: for tests of other
// programs, and to find out why a group waits.
type Plan struct {
	BatchSize int         `json:"batch_size"`     // sequences
	MaxBatch  int         `json:"max_batch_size"` // sequences; below BatchSize: as many
	Queue     []PlanGroup `json:"queue"`          // oldest first
	Envs      []PlanEnv   `json:"envs"`           // in the order of registration
}

// A PlanGroup is a waiting group.
type PlanGroup struct {
	EnvID     *int32 `json:"env_id"` // nil: none
	Sequences int    `json:"sequences"`
}

// A PlanEnv is an environment with its share of each batch.
type PlanEnv struct {
	ID        int32    `json:"id"`
	Connected bool     `json:"connected"`
	Minimum   *float64 `json:"min_batch_allocation"` // nil: none
}

// Pack returns the indices in Queue of the next batch's groups, in the order of delivery;
// none if no batch can be made.
func (p Plan) Pack() []int {
	n := Need{Least: p.BatchSize, Most: max(p.BatchSize, p.MaxBatch)}
	for _, e := range p.Envs {
		if e.Connected && e.Minimum != nil {
			n.AddMinimum(e.ID, *e.Minimum)
		}
	}
	return n.Pack(planned(p.Queue))
}

// planned are the groups of a plan.
type planned []PlanGroup

// Len implements [Waiting].
func (p planned) Len() int { return len(p) }

// At implements [Waiting].
func (p planned) At(i int) Group {
	g := Group{Env: -1, Size: p[i].Sequences}
	if p[i].EnvID != nil {
		g.Env = *p[i].EnvID
	}
	return g
}
