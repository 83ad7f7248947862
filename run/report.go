package run

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// A Report is what a run did: since this process began, unless it says otherwise.
type Report struct {
	Steps         int                      `json:"steps"`
	Seconds       float64                  `json:"seconds"`
	PlaySeconds   float64                  `json:"play_seconds"` // without the examinations before and after
	Version       int                      `json:"version"`      // of the policy, with the steps of earlier processes; -1: unknown
	GroupsMade    int                      `json:"groups_made"`
	GroupsSent    int                      `json:"groups_sent,omitempty"` // that the outlet took, with those that an earlier process left
	GroupsDropped map[rollout.Drop]int     `json:"groups_dropped"`
	Episodes      map[quintain.Outcome]int `json:"episodes"`
	Replays       int                      `json:"replays"`                 // of episodes, because the policy had failed
	PlayedAgain   int                      `json:"played_again"`            // groups of infra_failed whose problem went back to its stream; the problems of the others are lost
	NoLogProbs    int                      `json:"no_logprobs"`             // sequences of kept groups whose log-probabilities the policy's server did not tell
	Unscored      int                      `json:"unscored"`                // kept groups that the teacher did not score
	TeacherFault  string                   `json:"teacher_fault,omitempty"` // why it did not score the last of them
	Tokens        int                      `json:"tokens"`                  // sampled
	Unit          string                   `json:"unit"`                    // what Tokens counts: "tokens", or "bytes" if the policy's server does not tell its tokens
	Turns         Turns                    `json:"turns"`                   // after the first of each episode
	SolvedAt      []int                    `json:"solved_at"`               // episodes by the turn of their first right reply, the first turn first; without those of which none was right
	Staleness     map[int]int              `json:"staleness"`               // groups consumed, by the versions that their oldest token was behind; those of unknown version are not in it
	Tasks         []TaskReport             `json:"tasks"`                   // the courses, in the order of the streams
	Waiting       string                   `json:"waiting,omitempty"`       // what the policy waits for, besides its replies
	LastFault     string                   `json:"last_fault,omitempty"`
	Advice        []string                 `json:"advice,omitempty"`      // what people should know, and do
	Training      *learn.Metrics           `json:"training,omitempty"`    // of the last step
	ExamBefore    *float64                 `json:"exam_before,omitempty"` // mean score of held-out problems, the mean of the means of all levels
	ExamAfter     *float64                 `json:"exam_after,omitempty"`
}

// Turns counts turns by what the model's chat template made of the conversation before them.
type Turns struct {
	Clean     int `json:"clean"`     // it continued the tokens so far
	Realigned int `json:"realigned"` // it writes the end of the last reply differently
	Forked    int `json:"forked"`    // it rewrote what came before, so the tokens began anew
	Reencoded int `json:"reencoded"` // sampled tokens that forked turns encoded again; no others are
}

// String tells the counts in words.
func (n Turns) String() string {
	return fmt.Sprintf("%d clean, %d realigned, %d forked", n.Clean, n.Realigned, n.Forked)
}

// A TaskReport is what a run did with one course: a stream of problems, or several that are
// the levels of one task.
type TaskReport struct {
	Label  string    `json:"label"`  // of the course: "task:level", or the task if it has several levels or parameters of its own
	Groups int       `json:"groups"` // that were scored, dropped ones included
	Kept   int       `json:"kept"`
	First  float64   `json:"first_mean_score"` // of the first 16 groups
	Last   float64   `json:"last_mean_score"`  // of the last 16 groups
	Curve  []float64 `json:"curve"`            // mean scores over the run, each of equally many groups

	ExamBefore *float64 `json:"exam_before,omitempty"` // mean score of held-out problems, the mean of the levels' means
	ExamAfter  *float64 `json:"exam_after,omitempty"`

	Curriculum *curriculum.Standing `json:"curriculum,omitempty"` // nil: there is none
}

// Score is the mean of the tasks' last mean scores; 0 if nothing was scored.
func (r *Report) Score() float64 {
	sum, n := 0.0, 0
	for i := range r.Tasks {
		if r.Tasks[i].Groups > 0 {
			sum, n = sum+r.Tasks[i].Last, n+1
		}
	}
	return sum / float64(max(1, n))
}

// Complexity is the mean complexity of the tasks, and whether there is a curriculum.
func (r *Report) Complexity() (mean float64, has bool) {
	for i := range r.Tasks {
		if c := r.Tasks[i].Curriculum; c != nil {
			mean, has = mean+c.Complexity/float64(len(r.Tasks)), true
		}
	}
	return mean, has
}

// Lag is the mean staleness of the groups that were consumed, and whether it is known of
// any.
func (r *Report) Lag() (mean float64, known bool) {
	groups, sum := 0, 0
	for lag, n := range r.Staleness {
		groups, sum = groups+n, sum+lag*n
	}
	return float64(sum) / float64(max(1, groups)), groups > 0
}

// Rate is the number of tokens, or bytes, that were sampled in a second.
func (r *Report) Rate() float64 { return float64(r.Tokens) / max(r.Seconds, 1e-9) }

// SolvedLater is the share of the solved episodes whose first reply was not right.
func (r *Report) SolvedLater() float64 {
	all := 0
	for _, n := range r.SolvedAt {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 1 - float64(r.SolvedAt[0])/float64(all)
}

// Failed is the number of episodes that failed: without a score, and not by order.
func (r *Report) Failed() int {
	failed := 0
	for outcome, n := range r.Episodes {
		if outcome.Failed() {
			failed += n
		}
	}
	return failed
}
