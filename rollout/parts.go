package rollout

import (
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
)

// A Part is a group that a result gives, or the reason why it gives none.
type Part struct {
	Result
	Group  *quintain.Group // nil: none
	Scores []float64       // of the episodes; nil: one has no reward
	Drop   Drop            // the reason; empty: there is a group
}

// Parts is Judge for a result that may be of matches. Each seat gives a part, and its forfeited
// episodes another one without a group. The groups are kept or dropped together: if one of them must
// be dropped, for its reason, and for equal scores if those of each are equal.
func (r Rules) Parts(result Result) (parts []Part, err error) {
	for _, seat := range result.seats() {
		if seat.Drop == DropForfeited {
			parts = append(parts, Part{Result: seat, Drop: DropForfeited})
			continue
		}
		parts = append(parts, Part{Result: seat})
	}
	alone := len(parts) == 1
	if !alone {
		r.Memory = nil // which is for one group
	}
	equal, why := true, Drop("")
	for i := range parts {
		p := &parts[i]
		if p.Drop != "" {
			continue
		}
		how := r
		how.KeepEqual = r.KeepEqual || !alone
		if p.Group, p.Scores, p.Drop, err = how.Judge(p.Result); err != nil {
			return nil, err
		}
		if why == "" {
			why = p.Drop
		}
		equal = equal && (p.Scores == nil || slices.Min(p.Scores) == slices.Max(p.Scores))
	}
	if !alone && why == "" && equal && !r.keepsEqual() {
		why = DropEqual
	}
	for i := range parts {
		if p := &parts[i]; why != "" && p.Drop != DropForfeited {
			p.Group, p.Drop = nil, why
		}
	}
	return parts, nil
}

// seats returns the result seat by seat, and the forfeited episodes of each apart; or the result, if
// it is of no matches.
func (r *Result) seats() (all []Result) {
	if len(r.Trajectories) == 0 || r.Trajectories[0].Match == nil {
		return []Result{*r}
	}
	var lost []Result
	for rest := r.Trajectories; len(rest) > 0; {
		seat := rest[0].Match.Seat
		n := slices.IndexFunc(rest, func(t quintain.Trajectory) bool { return t.Match.Seat != seat })
		if n < 0 {
			n = len(rest)
		}
		one := *r
		one.Job.Problem, one.Job.Span = r.Job.Problem.At(seat), r.Job.Span.Seat(strconv.Itoa(seat))
		given, kept := one, one
		given.Trajectories, given.Drop, kept.Trajectories = nil, DropForfeited, nil
		for _, t := range rest[:n] {
			if t.Outcome == quintain.Forfeited {
				given.Trajectories = append(given.Trajectories, t)
			} else {
				kept.Trajectories = append(kept.Trajectories, t)
			}
		}
		if len(kept.Trajectories) > 0 {
			all = append(all, kept)
		}
		if len(given.Trajectories) > 0 {
			lost = append(lost, given)
		}
		rest = rest[n:]
	}
	return append(all, lost...)
}

// Scores returns the scores of all rewarded episodes of a result before penalties, by which a
// curriculum goes, as in Atropos; nil: an episode failed.
func (r Rules) Scores(result Result) (scores []float64) {
	if failed(result.Trajectories) != "" || result.Drop != "" {
		return nil
	}
	for i := range result.Trajectories {
		if t := &result.Trajectories[i]; t.Outcome.Rewarded() {
			scores = append(scores, r.Earned(t))
		}
	}
	return scores
}
