package hub

import (
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// Stats is what a run holds, and what it has done since the hub started.
type Stats struct {
	Since      time.Time   `json:"since"`      // when the hub started
	Registered bool        `json:"registered"` // a trainer has
	BatchSize  int         `json:"batch_size"` // sequences; -1 before that
	Step       int         `json:"step"`       // see [Run.Step]
	Version    int         `json:"version"`    // see [Run.Version]
	Staleness  map[int]int `json:"staleness"`  // see [Run.Staleness]
	Queue      queue.Stats `json:"queue"`
	Held       int         `json:"held"`        // groups that wait for others of their environment to make up its group size
	Open       int         `json:"open"`        // batches that are formed and not acknowledged
	Unpackable map[int]int `json:"unpackable"`  // groups that fit into no batch, by their number of sequences
	Envs       int         `json:"envs"`        // environments that registered
	Connected  int         `json:"connected"`   // of those, how many were heard from within the env timeout and have not left
	EnvTimeout float64     `json:"env_timeout"` // seconds

	Posts     uint64 `json:"posts"`   // requests that brought groups, as all that follows since the hub started
	Refused   uint64 `json:"refused"` // invalid requests
	Full      uint64 `json:"full"`    // requests with groups for which there was no room
	GroupsIn  uint64 `json:"groups_in"`
	TokensIn  uint64 `json:"tokens_in"`
	GroupsOut uint64 `json:"groups_out"` // of batches, each time that they are handed out
	TokensOut uint64 `json:"tokens_out"`
	Batches   uint64 `json:"batches"` // handed out for the first time
	Again     uint64 `json:"again"`   // batches that were handed out once more
	Acked     uint64 `json:"acked"`   // batches that were acknowledged
	Torn      uint64 `json:"torn"`    // replies with a batch that did not reach the trainer
	Expired   uint64 `json:"expired"` // leases of batches that ran out
	Nacked    uint64 `json:"nacked"`  // batches that were given back
	Unfit     uint64 `json:"unfit"`   // groups whose advantages did not fit their tokens and were dropped
	Dropped   uint64 `json:"dropped"` // groups that were dropped to make room
	LetGo     uint64 `json:"let_go"`  // groups of an odd size that were packed as they were because nothing made them up
}

// RunStats is the answer to a request for the statistics of a run.
type RunStats struct {
	Run string `json:"run"`
	Stats
	OpenBatches []OpenBatch `json:"open_batches"` // oldest first
}

// StatsOf returns the statistics of a run, with its open batches.
func StatsOf(r *Run) *RunStats { return &RunStats{r.name, r.Stats(), r.batches.list()} }

// Stats returns what the run holds and has done. Its cost grows with the number of kinds
// of groups that wait, not with how many wait.
func (r *Run) Stats() Stats {
	now := time.Now()
	r.batches.lapse(now)
	on := r.ledger.Account(now)
	st := Stats{
		Since: r.server.since, Registered: on.Registered, BatchSize: on.Sequences(), Step: r.Step(),
		Version: r.Version(), Staleness: r.Staleness(),
		Queue: r.queue.Stats(), Held: on.Held, Open: r.batches.count(),
		Unpackable: on.Unpackable(),
		Envs:       on.Known(), Connected: on.Connected(), EnvTimeout: r.server.config.Settings.EnvTimeout.Seconds(),
	}
	c := r.tally.now()
	st.Posts, st.Refused, st.Full, st.Unfit, st.Dropped, st.LetGo = c.posts, c.refused, c.full, c.unfit, c.dropped, c.letGo
	st.GroupsIn, st.TokensIn, st.GroupsOut, st.TokensOut = c.groupsIn, c.tokensIn, c.groupsOut, c.tokensOut
	st.Batches, st.Again, st.Acked, st.Torn, st.Expired, st.Nacked = c.batches, c.again, c.acked, c.torn, c.expired, c.nacked
	return st
}

// counts is what a run has done since the hub started.
type counts struct {
	posts, refused, unfit, torn, again, expired, nacked uint64
	groupsIn, tokensIn, groupsOut, tokensOut            uint64
	batches, acked, full, dropped, letGo                uint64
}

// A tally counts what a run does.
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
