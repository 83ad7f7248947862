package run

import (
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/tiny"
)

// A Sink takes the events of a run. Note is called from many goroutines at once and
// must be quick; an error ends the run.
type Sink interface {
	Note(e Event) error
}

// An Event is one of [Played], [Dropped], [Stepped], [Sent], [Examined] and [Said].
type Event interface{ event() }

// Played is a played group, kept or dropped.
type Played struct {
	rollout.Result
	Scores  []float64       // of the episodes; nil: one of them has no reward
	Group   *quintain.Group // as kept; nil: dropped. Its rows of numbers are reused once Note has returned
	Drop    rollout.Drop    // the reason; empty: kept
	Again   bool            // its problem will be played again
	Version int             // of the policy when the group was judged; -1: unknown

	Putting time.Time     // when the queue was asked to keep the group; zero: it was not
	Put     time.Duration // how long that took

	Unscored error // why a kept group lacks the teacher's scores; nil: it has them, or there is no teacher
}

// Dropped tells of groups that were kept first and dropped later.
type Dropped struct {
	Why    rollout.Drop
	Groups []string // IDs
	Cost   Cost     // of those that this process played lately
}

// Stepped is a consumed batch.
type Stepped struct {
	tiny.Step       // without metrics if nothing is trained here
	Lags      []int // versions by which the oldest token of each group was behind
	Trained   bool  // a learner made the step
	Cost      Cost  // of those of its groups that this process played lately

	Standings []curriculum.Standing // of the curriculum; nil: none
}

// Sent tells of groups that the [Sender] took.
type Sent struct {
	Groups []string // IDs
	Step   int      // of the trainer that gets them

	Standings []curriculum.Standing // of the curriculum; nil: none
}

// Examined is a finished evaluation.
type Examined struct {
	When    Moment
	Version int     // of the policy, at the end of the evaluation
	Seconds float64 // of all processes of this run until then
	Report  *exam.Report

	// Examples are one problem of each set, the same in every evaluation. Problems without a
	// score are missing.
	Examples []Example
}

// A Moment says when an evaluation was held.
type Moment string

// The moments of evaluations.
const (
	Before Moment = "before" // the first episode
	During Moment = "during" // the run
	After  Moment = "after"  // the last episode
)

// Said is a message for people.
type Said struct{ Text string }

func (Played) event()   {}
func (Dropped) event()  {}
func (Stepped) event()  {}
func (Sent) event()     {}
func (Examined) event() {}
func (Said) event()     {}
