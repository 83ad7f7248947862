package atropos

import (
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Record is one line of a dump: the rollouts of one problem.
type Record struct {
	ItemID   string // name of the task
	Rollouts []Rollout
}

// A Rollout is a conversation and its score.
type Rollout struct {
	Conversation []quintain.Message
	Score        float64 // finite
}

// NewRecord returns the record of the episodes of one problem, with their scores as trained
// on.
func NewRecord(played []quintain.Trajectory, scores []float64) (Record, error) {
	if len(played) != len(scores) {
		return Record{}, fmt.Errorf("%d scores for %s", len(scores), stats.Count(len(played), "episode"))
	}
	r := Record{ItemID: "unknown_task", Rollouts: make([]Rollout, len(played))}
	for i := range played {
		if math.IsNaN(scores[i]) || math.IsInf(scores[i], 0) {
			return Record{}, fmt.Errorf("score %d is %v, want a finite number", i, scores[i])
		}
		r.Rollouts[i] = Rollout{Conversation: played[i].Talk(played[i].Path(played[i].Last())), Score: scores[i]}
	}
	if len(played) > 0 && played[0].Problem.Task != "" {
		r.ItemID = played[0].Problem.Task
	}
	return r, nil
}

// Kind returns the kind of dump for r: Good if any score is above threshold, Failed if all
// are zero. It returns false for neither.
func (r Record) Kind(threshold float64) (Kind, bool) {
	zero := len(r.Rollouts) > 0
	for _, one := range r.Rollouts {
		if one.Score > threshold {
			return Good, true
		}
		zero = zero && one.Score == 0
	}
	return Failed, zero
}

// line returns r as a line of JSON. Bytes that are not UTF-8 become U+FFFD.
func (r Record) line() []byte {
	dst := strictjson.AppendLegible([]byte(`{"item_id":`), r.ItemID)
	dst = strictjson.AppendList(append(dst, `,"rollouts":`...), r.Rollouts, appendRollout)
	return append(dst, "}\n"...)
}

func appendRollout(dst []byte, r Rollout) []byte {
	dst = strictjson.AppendList(append(dst, `{"conversation":`...), r.Conversation, appendMessage)
	return append(AppendFloat(append(dst, `,"score":`...), r.Score), '}')
}

func appendMessage(dst []byte, m quintain.Message) []byte {
	dst = strictjson.AppendLegible(append(dst, `{"role":`...), m.Role)
	return append(strictjson.AppendLegible(append(dst, `,"content":`...), m.Text()), '}')
}
