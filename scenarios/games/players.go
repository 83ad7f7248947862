package games

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// self seats the policy on both sides.
const self = "self"

// Blunders is the probability with which a player, optimal, random or mixed:P, makes any move in
// place of one of the best; NaN: there is no such player.
func Blunders(player string) float64 {
	switch player {
	case "optimal":
		return 0
	case "random":
		return 1
	}
	share, is := strings.CutPrefix(player, "mixed:")
	p, err := strconv.ParseFloat(share, 64)
	if !is || err != nil || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return p
}

// seated reads the setting players.
func seated(text string) (players []string, err error) {
	switch text {
	case "":
		return nil, nil
	case self:
		return []string{quintain.PolicyPlayer, quintain.PolicyPlayer}, nil
	}
	for player := range strings.SplitSeq(text, ",") {
		player = strings.TrimSpace(player)
		if player != quintain.PolicyPlayer && math.IsNaN(Blunders(player)) {
			return nil, fmt.Errorf("players: has %q, want policy, optimal, random or mixed:P with P from 0 to 1", player)
		}
		players = append(players, player)
	}
	switch {
	case len(players) != 2:
		return nil, fmt.Errorf("players: is %q, want two names with a comma between them, or self", text)
	case !slices.Contains(players, quintain.PolicyPlayer):
		return nil, errors.New("players: has no policy, which should play")
	}
	return players, nil
}

// Check implements [settings.Checker].
func (p *play) Check() error {
	_, err := seated(p.players)
	return err
}

// Players implements [scenario.Host].
func (p *play) Players() []string {
	players, _ := seated(p.players) // Check has found the error
	return players
}
