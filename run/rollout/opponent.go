package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
)

// An Opponent is another policy at a table.
type Opponent struct {
	Policy   quintain.Policy
	Sampling quintain.Sampling
}

// Opponents lists the other policies at the tables of streams, by the names of their players, and those of
// [Helpers].
func Opponents(streams []Stream) []string {
	names := Helpers(streams)
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

// Helpers lists the other policies that the agents of streams call, by the names of their players.
func Helpers(streams []Stream) (names []string) {
	for _, s := range streams {
		if of, helped := s.Scenario.(quintain.Helped); helped {
			for _, role := range of.Helpers() {
				names = append(names, quintain.ServerPlayer+role)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// helpers are the seats of the other policies that the agent of an episode may call. What they say is never
// trained on.
func (e *Engine) helpers(key string) map[string]quintain.Seat {
	seats := map[string]quintain.Seat{}
	for player, other := range e.Opponents {
		if role, named := strings.CutPrefix(player, quintain.ServerPlayer); named {
			seats[role] = quintain.Seat{Policy: other.Policy, Key: key + "/" + role, Sampling: other.Sampling, Exam: true}
		}
	}
	return seats
}

// Examined are the streams whose evaluations need other policies: at tables, or for the calls of agents.
func Examined(streams []Stream) (some []Stream) {
	for _, s := range streams {
		of, seated := s.Scenario.(quintain.Seated)
		if seated && of.TablesOnly() || len(Helpers([]Stream{s})) > 0 {
			some = append(some, s)
		}
	}
	return some
}

// who plays an episode.
func (e *Engine) who(ep *episode) Opponent {
	if ep.other != nil {
		return *ep.other
	}
	return Opponent{e.Policy, e.Sampling}
}

// openTogether plays the first turn of another policy in all matches of a group: it is drawn once, and kept for matches that are played again, so
// that the policy's first messages are the same in all.
func (e *Engine) openTogether(ctx context.Context, key string, all []*episode, first *[]quintain.Sample) {
	who, err := e.who(all[0]), error(nil)
	if *first == nil {
		*first, err = who.Policy.Sample(ctx, quintain.Request{Key: key, Messages: all[0].talk, Tools: all[0].record.Tools, N: 1, Sampling: who.Sampling, Within: e.Limit, Exam: e.Exam})
	}
	for _, ep := range all {
		ep.asked = ep.sofar()
		if len(*first) == 0 {
			ep.fail(ctx, quintain.InfraFailed, cmpErr(err, "the policy returned no sample"))
			continue
		}
		ep.take(ctx, (*first)[0], err)
	}
	if err != nil {
		*first = nil
	}
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
			all = append(all, quintain.Talk{Seat: seat, Messages: ep.record.Messages(), Replies: len(ep.record.Turns), Tokens: ep.record.Sampled(), Took: ep.replies})
		}
	}
	return all
}
