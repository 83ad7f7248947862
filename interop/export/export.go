// Package export makes data sets from traces: the dumps of Atropos' reasoning-gym
// environment, and sets for supervised fine-tuning and for preference optimisation. Each is
// a [Sink], which takes records during a run, or afterwards from [Copy].
package export

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// A Sink takes records, and ignores unsuitable ones. Many goroutines may use one.
type Sink interface {
	Write(r *trace.Record) error
}

// A Follower is a [Sink] whose data depend on the settings of the run.
type Follower interface {
	Sink

	// Follow tells the head of the segment from which the next records come.
	Follow(h *trace.Head) error
}

// page is the number of entries that Copy finds at a time.
const page = 1000

// Copy writes the records that match q to a sink, and returns their number. It leaves out
// damaged and removed records. When ctx ends, Copy returns its cause.
func Copy(ctx context.Context, to Sink, from *trace.Reader, q trace.Query) (n int, err error) {
	most := q.Limit
	heads := heads{from: from}
	heads.to, _ = to.(Follower)
	for {
		q.Limit = page
		if most > 0 {
			q.Limit = min(page, most)
		}
		found := from.Find(q)
		for _, e := range found {
			if ctx.Err() != nil {
				return n, context.Cause(ctx)
			}
			r, err := from.Read(e.Ref)
			if errors.Is(err, trace.ErrDamaged) || errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return n, err
			}
			if err := heads.tell(e.Ref); err != nil {
				return n, err
			}
			if err := to.Write(r); err != nil {
				return n, err
			}
			n++
		}
		most -= len(found)
		if len(found) < q.Limit || most == 0 {
			return n, nil
		}
		q.After = found[len(found)-1].Ref
	}
}

// heads tells a [Follower] the head of each segment.
type heads struct {
	to   Follower // nil: the sink is none
	from *trace.Reader
	last trace.Ref // of the segment that was told last; zero: none
}

// tell tells the head of the segment at a place, unless it was the last one told.
func (h *heads) tell(at trace.Ref) error {
	segment := trace.Ref{Segment: at.Segment, Source: at.Source}
	if h.to == nil || segment == h.last {
		return nil
	}
	head, err := h.from.Head(at)
	if err != nil {
		return err
	}
	h.last = segment
	return h.to.Follow(&head)
}

// rulesOf returns the rules of a run that shape rewards; the defaults for those that its
// head does not tell.
func rulesOf(h *trace.Head) (rollout.Rules, error) {
	rules := rollout.DefaultRules()
	if len(h.Settings) == 0 {
		return rules, nil
	}
	var all struct {
		Rules struct {
			TurnDiscount     *float64 `json:"turn_discount"`
			RightOnly        *bool    `json:"right_only"`
			MalformedPenalty *float64 `json:"malformed_penalty"`
			LengthBudget     *int     `json:"length_budget"`
			MaskTooLong      *bool    `json:"mask_too_long"`
		} `json:"rules"`
	}
	of := &all.Rules
	of.TurnDiscount, of.RightOnly, of.MalformedPenalty, of.LengthBudget = &rules.TurnDiscount, &rules.RightOnly, &rules.MalformedPenalty, &rules.LengthBudget
	of.MaskTooLong = &rules.MaskTooLong
	if err := strictjson.Unmarshal(h.Settings, &all); err != nil {
		return rules, fmt.Errorf("the settings of run %s in its trace: %w", h.Run, err)
	}
	return rules, nil
}
