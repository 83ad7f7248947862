// Package trace stores every episode of a run: each token that the policy read and sampled, the
// verdict, and the group's fate. A trace is a folder of files that only grow
// (docs/formats/trace.md). A [Writer] adds records to it; a [Reader] finds them by group, task,
// outcome, version and time, even while a process writes.
package trace

import (
	"time"

	"github.com/quintain-rl/quintain"
)

// A Record is one played group.
type Record struct {
	Problem  quintain.Problem      `json:"problem"`  // of the group
	Episodes []quintain.Trajectory `json:"episodes"` // with any outcome; the Problem of each is that of the record
	Scores   []float64             `json:"scores"`   // of each episode, as trained on; finite; nil: an episode has no reward

	// Advantages has a row for each training sequence of the group, as in [quintain.Group]: a
	// value for each token, or one for all. nil: none.
	Advantages [][]float64 `json:"advantages"`
	Sequences  []int32     `json:"sequences,omitempty"` // the episode of each row of Advantages; nil: row i is of episode i

	Drop    string    `json:"drop,omitempty"` // why the group was dropped; empty: kept
	Version int       `json:"version"`        // of the policy at Time
	Time    time.Time `json:"time"`           // when the group was kept or dropped

	Worker string `json:"worker,omitempty"` // that played the group for the run; empty: the run itself
	Model  string `json:"model,omitempty"`  // of that worker
}

// Group is the ID of the group, its problem's.
func (r *Record) Group() string { return r.Problem.ID() }

// score returns the mean of the scores; scored is false if there are none.
func (r *Record) score() (mean float64, scored bool) {
	for _, s := range r.Scores {
		mean += s
	}
	return mean / float64(len(r.Scores)), len(r.Scores) > 0
}

// Spread returns four times the variance of the scores: 1 if half of them are 0 and half are
// 1, and 0 if all are equal, so that the group teaches nothing. Scored is false if there are
// no scores.
func (r *Record) Spread() (spread float64, scored bool) {
	mean, scored := r.score()
	for _, s := range r.Scores {
		spread += float64((s - mean) * (s - mean))
	}
	return 4 * spread / float64(max(1, len(r.Scores))), scored
}

// tokens is the number of tokens that the policy read and sampled in all episodes.
func (r *Record) tokens() int {
	n := 0
	for i := range r.Episodes {
		for k := range r.Episodes[i].Turns {
			turn := &r.Episodes[i].Turns[k]
			n += len(turn.Read) + len(turn.Wrote)
		}
	}
	return n
}
