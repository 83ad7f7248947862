package rollout

import (
	"cmp"
	"strconv"

	"github.com/quintain-rl/quintain"
)

// JudgeSeats is Judge for a result that may be of matches. Each seat gives a judgement, and its forfeited
// episodes another one without a group. The groups are kept or dropped together: if one of them must
// be dropped, for its reason, and for equal scores if those of each are equal.
func (r Rules) JudgeSeats(result Result) (all []Judgement, err error) {
	seats, each := result.seats(), r
	if len(seats) > 1 {
		each.Memory, each.KeepEqual = nil, true // the memory is for one group, and equal scores are looked for in all
	}
	equal, why := len(seats) > 1 && !r.KeepsEqual(), Drop("")
	for _, seat := range seats {
		j, err := each.Judge(seat)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
		if seat.Drop != DropForfeited {
			why = cmp.Or(why, j.Drop)
			equal = equal && same(r.compared(j.Trajectories, j.Scores))
		}
	}
	if why == "" && equal {
		why = DropEqual
	}
	for i := range all {
		if j := &all[i]; why != "" && j.Drop != DropForfeited {
			j.Group, j.Drop = nil, why
		}
	}
	return all, nil
}

// seats returns the result seat by seat, and the forfeited episodes of each apart; or the result, if
// it is of no matches. It leaves out episodes without a reply: their matches were over before.
func (r *Result) seats() (all []Result) {
	if len(r.Trajectories) == 0 || r.Trajectories[0].Match == nil {
		return []Result{*r}
	}
	var lost []Result
	for rest := r.Trajectories; len(rest) > 0; {
		seat, n := rest[0].Match.Seat, 1
		for n < len(rest) && rest[n].Match.Seat == seat {
			n++
		}
		kept := *r
		kept.Job.Problem, kept.Job.Span = r.Job.Problem.At(seat), r.Job.Span.Seat(strconv.Itoa(seat))
		given := kept
		given.Trajectories, given.Drop, kept.Trajectories = nil, DropForfeited, nil
		for _, t := range rest[:n] {
			switch {
			case idle(&t):
			case t.Outcome == quintain.Forfeited:
				given.Trajectories = append(given.Trajectories, t)
			default:
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
	if all = append(all, lost...); all == nil {
		none := *r
		none.Drop = DropFewTokens
		return []Result{none}
	}
	return all
}

// idle reports whether an episode of a match has no reply, because the match was over before: there is
// nothing to learn from it.
func idle(t *quintain.Trajectory) bool {
	return len(t.Turns) == 0 && (t.Outcome.Rewarded() || t.Outcome == quintain.Forfeited)
}

// Scores returns the scores of all rewarded episodes of a result before penalties, by which a
// curriculum goes, as in Atropos; nil: an episode failed.
func (r Rules) Scores(result Result) (scores []float64) {
	if failed(result.Trajectories) != "" || result.Drop != "" {
		return nil
	}
	for i := range result.Trajectories {
		if t := &result.Trajectories[i]; t.Outcome.Rewarded() && !idle(t) {
			scores = append(scores, r.earned(t, r.returns(t)[start(t)]))
		}
	}
	return scores
}
