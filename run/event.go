package run

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// A Sink takes what happens in a run. Note is called from many goroutines at once and
// must be quick; an error ends the run.
type Sink interface {
	Note(e Event) error
}

// An Event is something that happened in a run: [Played], [Dropped], [Stepped],
// [Sent], [Examined] or [Said].
type Event interface{ event() }

// Played is a group that was played: kept, or dropped.
type Played struct {
	rollout.Result
	Scores  []float64       // of the episodes; nil: one of them has no reward
	Group   *quintain.Group // as it was kept; nil: it was dropped. Its tokens are others once Note has returned
	Drop    rollout.Drop    // why; empty: it was kept
	Again   bool            // its problem will be played again
	Version int             // of the policy when the group was judged; -1: unknown

	Unscored error // why a group that was kept has no scores of the teacher; nil: it has, or there is no teacher
}

// Dropped is groups that were kept and are no longer.
type Dropped struct {
	Why    rollout.Drop
	Groups []string // IDs
}

// Stepped is a batch that was consumed.
type Stepped struct {
	learn.Step       // its metrics are empty if nothing is trained here
	Lags       []int // how many versions the oldest token of each group was behind
	Trained    bool  // a learner made the step

	Standings []curriculum.Standing // of the curriculum; nil: there is none
}

// Sent is groups that the outlet took.
type Sent struct {
	Groups []string // IDs
	Step   int      // of the trainer that gets them

	Standings []curriculum.Standing // of the curriculum; nil: there is none
}

// Examined is an examination that was held.
type Examined struct {
	When    Moment
	Version int     // of the policy, at the end of the examination
	Seconds float64 // that the processes of this run have run until then
	Report  *exam.Report
}

// A Moment is when an examination was held.
type Moment string

// The moments of examinations.
const (
	Before Moment = "before" // the first episode
	During Moment = "during" // the run
	After  Moment = "after"  // the last episode
)

// Said is something that people should know.
type Said struct{ Text string }

func (Played) event()   {}
func (Dropped) event()  {}
func (Stepped) event()  {}
func (Sent) event()     {}
func (Examined) event() {}
func (Said) event()     {}
