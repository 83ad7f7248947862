package hub

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// Stats is a run's content, and counts since the hub started.
type Stats struct {
	Since      time.Time    `json:"since"`      // start of the hub
	Registered bool         `json:"registered"` // whether a trainer has registered
	Local      bool         `json:"local"`      // the process of the hub trains on the groups
	BatchSize  int          `json:"batch_size"` // in BatchUnit; -1: no trainer yet
	BatchUnit  packing.Unit `json:"batch_unit"`
	Step       int          `json:"step"`      // see [Run.Step]
	Version    int          `json:"version"`   // see [Run.Version]
	Staleness  map[int]int  `json:"staleness"` // see [Run.Staleness]

	Servers map[string]int32 `json:"servers,omitempty"` // versions told for single servers, by their addresses

	Queue      queue.Stats `json:"queue"`
	Held       int         `json:"held"`        // groups held for others to complete their environment's group size
	Open       int         `json:"open"`        // formed, unacknowledged batches
	Envs       int         `json:"envs"`        // registered environments
	Connected  int         `json:"connected"`   // environments heard from within the timeout that have not left
	EnvTimeout float64     `json:"env_timeout"` // seconds

	Posts     uint64 `json:"posts"`   // requests with groups; all counts are since the hub started
	Refused   uint64 `json:"refused"` // invalid requests
	Full      uint64 `json:"full"`    // requests with groups refused because too many wait
	GroupsIn  uint64 `json:"groups_in"`
	TokensIn  uint64 `json:"tokens_in"`
	GroupsOut uint64 `json:"groups_out"` // in batches, each time they are handed out
	TokensOut uint64 `json:"tokens_out"`
	Padded    uint64 `json:"padded"`       // sequences that filled batches of GET /batch, each time they were handed out
	Twins     uint64 `json:"same_problem"` // groups of a problem that another environment has played
	Batches   uint64 `json:"batches"`      // handed out for the first time
	Again     uint64 `json:"again"`        // handed out again
	Acked     uint64 `json:"acked"`        // acknowledged batches
	Torn      uint64 `json:"torn"`         // batches whose reply did not arrive
	Expired   uint64 `json:"expired"`      // expired leases
	Nacked    uint64 `json:"nacked"`       // returned batches
	Unfit     uint64 `json:"unfit"`        // groups with advantages that did not match and were dropped
	Dropped   uint64 `json:"dropped"`      // groups dropped to make room
	LetGo     uint64 `json:"let_go"`       // odd groups packed as they were, because nothing completed them
}

// RunStats is the reply to a request for a run's statistics.
type RunStats struct {
	Run string `json:"run"`
	Stats
	OpenBatches []OpenBatch `json:"open_batches"` // oldest first
}

// StatsOf returns the statistics of a run, with its open batches.
func StatsOf(r *Run) *RunStats { return &RunStats{r.name, r.Stats(), r.batches.list()} }

// Stats returns the run's content and counts. Its cost grows with the number of kinds of
// waiting groups, not with their number.
func (r *Run) Stats() Stats {
	now := time.Now()
	r.batches.lapse(now)
	on := r.ledger.Account(now)
	st := Stats{
		Since: r.server.since, Registered: on.Registered, Local: r.server.config.Local && r.name == DefaultRun, BatchSize: on.Size(), BatchUnit: on.Demand().Unit, Step: r.Step(),
		Version: r.Version(), Servers: r.weights.Told().Servers, Staleness: r.Staleness(),
		Queue: r.queue.Stats(), Held: on.Held, Open: r.batches.count(),
		Envs: on.Known(), Connected: on.Connected(), EnvTimeout: r.server.config.Settings.EnvTimeout.Seconds(),
	}
	c := r.tally.now()
	st.Posts, st.Refused, st.Full, st.Unfit, st.Dropped, st.LetGo = c.posts, c.refused, c.full, c.unfit, c.dropped, c.letGo
	st.GroupsIn, st.TokensIn, st.GroupsOut, st.TokensOut = c.groupsIn, c.tokensIn, c.groupsOut, c.tokensOut
	st.Padded, st.Twins = c.padded, c.twins
	st.Batches, st.Again, st.Acked, st.Torn, st.Expired, st.Nacked = c.batches, c.again, c.acked, c.torn, c.expired, c.nacked
	return st
}

// counts are a run's counts since the hub started.
type counts struct {
	posts, refused, unfit, torn, again, expired, nacked uint64
	groupsIn, tokensIn, groupsOut, tokensOut            uint64
	batches, acked, full, dropped, letGo, padded, twins uint64
}

// A tally counts a run's work.
type tally struct {
	mu  sync.Mutex // guards all; nothing else is called under it
	all counts
}

// count changes the counts.
func (t *tally) count(change func(*counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.all)
}

// now returns the counts.
func (t *tally) now() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}
