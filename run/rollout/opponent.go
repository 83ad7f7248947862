package rollout

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
)

// An Opponent is another policy at a table.
type Opponent struct {
	Policy   quintain.Policy
	Sampling quintain.Sampling
}

// Opponents lists the other policies at the tables of streams, by the names of their players.
func Opponents(streams []Stream) (names []string) {
	for _, s := range streams {
		of, seated := s.Scenario.(quintain.Seated)
		if !seated {
			continue
		}
		for _, player := range of.Players() {
			if quintain.Opponent(player) {
				names = append(names, player)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// who plays an episode.
func (e *Engine) who(ep *episode) Opponent {
	if ep.other != nil {
		return *ep.other
	}
	return Opponent{e.Policy, e.Sampling}
}

// spoils returns what the end of an episode without a reward is to the other seats of its match. To
// them another policy is a part of the environment: if it fails so that another try may go well, the
// match is lost, and else the environment has failed.
func (ep *episode) spoils() (outcome quintain.Outcome, why string) {
	outcome, why = ep.record.Outcome, ep.record.Error
	if ep.other == nil || outcome == quintain.EnvFailed || outcome == quintain.Cancelled {
		return outcome, why
	}
	if !ep.may {
		outcome = quintain.EnvFailed
	}
	m := ep.record.Match
	return outcome, fmt.Sprintf("seat %d, %s: %s", m.Seat, m.Players[m.Seat], why)
}

// learner returns the match's first episode of the policy.
func (m *match) learner() *episode {
	i := slices.IndexFunc(m.seats, (*episode).learns)
	if i < 0 {
		return nil
	}
	return m.seats[i]
}

// learns reports whether an episode, if it is one, is the policy's.
func (ep *episode) learns() bool { return ep != nil && ep.other == nil }

// talks returns the conversations of the other policies.
func (m *match) talks() (all []quintain.Talk) {
	for seat, ep := range m.seats {
		if ep != nil && ep.other != nil && len(ep.record.Turns) > 0 {
			all = append(all, quintain.Talk{Seat: seat, Messages: ep.record.Messages()})
		}
	}
	return all
}
