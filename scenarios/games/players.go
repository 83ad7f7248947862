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
	share, ok := strings.CutPrefix(player, "mixed:")
	p, err := strconv.ParseFloat(share, 64)
	if !ok || err != nil || !(p >= 0 && p <= 1) {
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
		if err := checkPlayer(player); err != nil {
			return nil, fmt.Errorf("players: %w", err)
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

// checkPlayer reports an invalid name.
func checkPlayer(player string) error {
	if name, ok := strings.CutPrefix(player, quintain.ServerPlayer); ok {
		if name == "" {
			return fmt.Errorf("has %q, want %s and the name of a policy in the settings", player, quintain.ServerPlayer)
		}
		return nil
	}
	if text, ok := strings.CutPrefix(player, quintain.FrozenPlayer); ok {
		if version, err := strconv.ParseUint(text, 10, 31); err != nil || strconv.FormatUint(version, 10) != text {
			return fmt.Errorf("has %q, want %s and a version, such as %s0", player, quintain.FrozenPlayer, quintain.FrozenPlayer)
		}
		return nil
	}
	if player != quintain.PolicyPlayer && math.IsNaN(Blunders(player)) {
		return fmt.Errorf("has %q, want policy, optimal, random, mixed:P with P from 0 to 1, server:NAME or frozen:VERSION", player)
	}
	return nil
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

// TablesOnly implements [scenario.Host]: an evaluation plays one side, against the opponent of the level.
func (p *play) TablesOnly() bool { return false }
