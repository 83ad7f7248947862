package exam

import (
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
)

// An Other is what another policy wrote, at the tables or asked by an agent, which is not trained on.
type Other struct {
	Replies int `json:"replies"`
	Tokens  int `json:"tokens"` // sampled; bytes if its server does not report its tokens

	Seconds float64 `json:"seconds"`         // until its replies came
	Of      float64 `json:"episode_seconds"` // of the episodes that it replied in
}

// Share is that of its episodes' time in which they waited for its replies.
func (o Other) Share() float64 { return o.Seconds / max(o.Of, 1e-9) }

// AddOthers adds to all, by player, what other policies wrote, and returns it; nil maps are empty.
func AddOthers(all, more map[string]Other) map[string]Other {
	if all == nil {
		return maps.Clone(more)
	}
	for player, m := range more {
		of := all[player]
		all[player] = Other{of.Replies + m.Replies, of.Tokens + m.Tokens, of.Seconds + m.Seconds, of.Of + m.Of}
	}
	return all
}

// OthersOf returns what other policies wrote in an episode or its match, by player; nil: nothing. Of the policy's seats in a match the
// first one tells it.
func OthersOf(played *quintain.Trajectory) (others map[string]Other) {
	all := played.Helpers
	m := played.Match
	if m != nil && slices.Index(m.Players, quintain.PolicyPlayer) == m.Seat {
		all = slices.Concat(all, m.Others)
	}
	for _, talk := range all {
		player := talk.Player
		if player == "" {
			player = m.Players[talk.Seat]
		}
		others = AddOthers(others, map[string]Other{player: {talk.Replies, talk.Tokens, talk.Took.Seconds(), played.Took.Seconds()}})
	}
	return others
}
