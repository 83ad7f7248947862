package run

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/tiny"
)

// A Report sums up a run, since this process began unless a field says otherwise.
type Report struct {
	Steps         int                      `json:"steps"`
	Seconds       float64                  `json:"seconds"`
	PlaySeconds   float64                  `json:"play_seconds"` // without the evaluations before and after
	Version       int                      `json:"version"`      // of the policy, over all processes; -1: unknown
	GroupsMade    int                      `json:"groups_made"`
	GroupsSent    int                      `json:"groups_sent,omitempty"` // that the Sender took, with the leftovers of an earlier process
	GroupsDropped map[rollout.Drop]int     `json:"groups_dropped"`
	Episodes      map[quintain.Outcome]int `json:"episodes"`
	Replays       int                      `json:"replays"`                 // of episodes, after failures of the policy
	PlayedAgain   int                      `json:"played_again"`            // infra_failed groups that returned their problem to its stream; the problems of the others are lost
	NoLogProbs    int                      `json:"no_logprobs"`             // sequences of kept groups for which the policy's server reported no log-probabilities
	Unscored      int                      `json:"unscored"`                // kept groups without scores of the teacher
	TeacherFault  string                   `json:"teacher_fault,omitempty"` // the reason for the last of them
	Tokens        int                      `json:"tokens"`                  // sampled
	Unit          string                   `json:"unit"`                    // of Tokens: "tokens", or "bytes" if the policy's server does not report its tokens
	Others        map[string]exam.Other    `json:"others,omitempty"`        // by player, other policies: at the tables, and those that agents ask
	Turns         Turns                    `json:"turns"`                   // without the first of each episode
	SolvedAt      []int                    `json:"solved_at"`               // episodes by the turn of their first right reply, from the first turn on; without unsolved episodes
	Games         exam.RegretByScenario    `json:"games,omitempty"`         // what was given away against the best play, by scenario, where that is known
	Staleness     map[int]int              `json:"staleness"`               // consumed groups by the lag of their oldest token, in versions; without groups of unknown version
	Kept          Cost                     `json:"kept"`                    // of kept groups that were not dropped later; they are trained on, or wait
	Trained       Cost                     `json:"trained"`                 // of groups that were trained on, by whoever takes the batches
	Stale         Cost                     `json:"stale"`                   // of groups that were dropped as stale, or withheld; compare its means with those of Trained
	GroupP99      float64                  `json:"group_seconds_p99"`       // one kept or withheld group in a hundred took longer, within half a percent
	StepSeconds   float64                  `json:"step_seconds"`            // from step to step, mean; 0: fewer than two were made
	MaxLagNeeded  int                      `json:"max_lag_needed"`          // by these two, rounded up: 1 + GroupP99 / StepSeconds; 0: unknown
	Tasks         []TaskReport             `json:"tasks"`                   // the courses, in the order of the streams
	Waiting       string                   `json:"waiting,omitempty"`       // why the policy waits
	LastFault     string                   `json:"last_fault,omitempty"`
	Judge         *judge.Report            `json:"judge,omitempty"`       // what the judge did; nil: there is none, or the run goes on
	Advice        []string                 `json:"advice,omitempty"`      // for people
	Training      *tiny.Metrics            `json:"training,omitempty"`    // of the last step
	Examining     *exam.Progress           `json:"-"`                     // of the evaluation before or after, while it is under way
	ExamBefore    *float64                 `json:"exam_before,omitempty"` // mean score on held-out problems in the first evaluation of all processes: the mean over the levels of their means
	ExamAfter     *float64                 `json:"exam_after,omitempty"`  // the same in the last evaluation; nil: there was one at most
	Sandboxes     []*sandbox.Setup         `json:"sandboxes,omitempty"`   // what runs programs in the episodes; nil: nothing does
	Replay        *Replay                  `json:"replay,omitempty"`      // the problem of the evaluations with the largest gain between the two; nil: none gained
}

// Turns counts turns by how the model's chat template rendered the conversation before them.
type Turns struct {
	Clean     int `json:"clean"`     // it continued the tokens so far
	Realigned int `json:"realigned"` // it changed the end of the last reply
	Forked    int `json:"forked"`    // it rewrote earlier text, so the tokens began anew
	Reencoded int `json:"reencoded"` // sampled tokens that forked turns encoded again
}

// String writes the counts in words.
func (n Turns) String() string {
	return fmt.Sprintf("%d clean, %d realigned, %d forked", n.Clean, n.Realigned, n.Forked)
}

// A TaskReport sums up one course: a stream of problems, or several streams that are the
// levels of one task.
type TaskReport struct {
	Label  string    `json:"label"`  // of the course: "task:level", or the task if it has several levels or custom parameters
	Levels []string  `json:"levels"` // labels of the streams, the easiest first
	Groups int       `json:"groups"` // scored, with the dropped ones
	Kept   int       `json:"kept"`
	First  float64   `json:"first_mean_score"` // of the first 16 groups, at the levels of that time: a curriculum moves them, so First and Last do not tell what is learned
	Last   float64   `json:"last_mean_score"`  // of the last 16 groups, at the levels of that time
	Curve  []float64 `json:"curve"`            // mean scores of groups over the run, each over the same number of groups, at the levels of that time

	Seats   map[int]float64    `json:"seats,omitempty"`   // mean score of the policy at each of its seats in matches
	Metrics map[string]float64 `json:"metrics,omitempty"` // means of the environment's further numbers, each over the episodes that have it

	ExamBefore *float64  `json:"exam_before,omitempty"` // mean score on held-out problems in the first evaluation: the mean over the levels of their means
	ExamAfter  *float64  `json:"exam_after,omitempty"`  // the same in the last evaluation; nil: there was one at most
	ExamCurve  []float64 `json:"exam_curve,omitempty"`  // the same over all evaluations

	Examined   int  `json:"levels_examined,omitempty"`    // levels with held-out problems
	DoneBefore *int `json:"levels_done_before,omitempty"` // levels that the policy could do in the first evaluation: their held-out problems had a mean score of two thirds or more
	DoneAfter  *int `json:"levels_done_after,omitempty"`  // the same in the last evaluation; nil: there was one at most

	Curriculum *curriculum.Standing `json:"curriculum,omitempty"` // nil: none
}

// Score is the mean over the tasks of their last mean scores; 0 if nothing was scored.
func (r *Report) Score() float64 {
	sum, n := 0.0, 0
	for i := range r.Tasks {
		if r.Tasks[i].Groups > 0 {
			sum, n = sum+r.Tasks[i].Last, n+1
		}
	}
	return sum / float64(max(1, n))
}

// Complexity is the mean complexity of the tasks. It also reports whether there is a curriculum.
func (r *Report) Complexity() (mean float64, has bool) {
	for i := range r.Tasks {
		if c := r.Tasks[i].Curriculum; c != nil {
			mean, has = mean+c.Complexity/float64(len(r.Tasks)), true
		}
	}
	return mean, has
}

// Lag is the mean staleness of the consumed groups. It also reports whether any is known.
func (r *Report) Lag() (mean float64, known bool) {
	groups, sum := 0, 0
	for lag, n := range r.Staleness {
		groups, sum = groups+n, sum+lag*n
	}
	return float64(sum) / float64(max(1, groups)), groups > 0
}

// Rate is the number of tokens, or bytes, sampled per second.
func (r *Report) Rate() float64 { return float64(r.Tokens) / max(r.Seconds, 1e-9) }

// Failed is the number of failed episodes: without a score, not cancelled, and not of a prompt
// that is too long.
func (r *Report) Failed() int {
	failed := 0
	for outcome, n := range r.Episodes {
		if outcome.Failed() && outcome != quintain.PromptTooLong {
			failed += n
		}
	}
	return failed
}
