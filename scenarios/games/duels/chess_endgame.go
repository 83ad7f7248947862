package duels

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// chessEndgame is the end of a game of chess.
var chessEndgame = games.Spec[chessParams, chessStart]{
	Name: "chess_endgame",
	Doc: "Mate a bare king, or a rook with a queen, in as few moves as can be; or hold the draw against a pawn or a queen. " +
		"Moves are measured by the exact distance to mate.",
	Source:  "The rules of chess; tables, code and texts are our own.",
	Version: 2,
	Levels: []chessParams{
		{Endings: []string{"KQK", "KRK"}, Least: 1, Most: 2, Opponent: "optimal"},
		{Endings: []string{"KQK", "KRK"}, Least: 3, Most: 5, Opponent: "optimal"},
		{Endings: []string{"KQK", "KRK", "KPK"}, Least: 6, Most: 10, Opponent: "optimal"},
		{Endings: []string{"KPK"}, Hold: 8, Opponent: "optimal"},
		{Endings: []string{"KRK", "KPK", "KBBK"}, Least: 11, Most: 19, Opponent: "optimal"},
		{Endings: []string{"KQKR"}, Least: 4, Most: 20, Opponent: "optimal"},
		{Endings: []string{"KPK", "KQKR"}, Hold: 16, Opponent: "optimal"},
	},
	Make:   makeChess,
	Reward: games.Value,
	Guess:  []float64{0.0262, 0.0004, 0, 0.0154, 0, 0, 0.0121},
}

// chessParams are the parameters of a level. With Hold, the policy plays Black.
type chessParams struct {
	Endings  []string `json:"endings" want:"1 or more" oneof:"KQK KRK KPK KBBK KQKR"` // one of them is drawn
	Least    int      `json:"least"`                                                  // moves to mate
	Most     int      `json:"most"`
	Hold     int      `json:"hold" want:"0 to 40"` // moves for which Black holds the draw; 0: White mates
	Opponent opponent `json:"opponent"`
}

// Check refuses what no tag does.
func (p chessParams) Check() error {
	if p.Hold == 0 && (p.Least < 1 || p.Least > p.Most || p.Most > 40) {
		return fmt.Errorf("least and most are %d and %d, want 1 to 40 moves", p.Least, p.Most)
	}
	return p.Opponent.Check()
}

// A chessStart is a position in the beginning.
type chessStart struct {
	Ending   string   `json:"ending"`
	At       []int8   `json:"at"`   // squares of the men, a1 is 0, b1 is 1 and a2 is 8
	Mate     int      `json:"mate"` // moves that White needs; 0: Black, who is to move, holds
	Hold     int      `json:"hold"` // moves for which Black must hold
	Opponent opponent `json:"opponent"`
}

// makeChess draws a position, each that suits as likely.
func makeChess(p chessParams, r *rng.Rand) (chessStart, error) {
	const patience = 100_000
	e := endings[rng.Pick(r, p.Endings)]
	for range patience {
		c := chess{ending: e, black: p.Hold > 0}
		start := chessStart{Ending: e.name, Hold: p.Hold, Opponent: p.Opponent}
		for i := range e.men {
			c.at[i] = int8(r.Between(0, 63))
			start.At = append(start.At, c.at[i])
		}
		if !c.sound() {
			continue
		}
		n, forced := c.plies(allMates)
		if p.Hold > 0 {
			if !forced && c.hard() {
				return start, nil
			}
			continue
		}
		if start.Mate = (n + 1) / 2; forced && start.Mate >= p.Least && start.Mate <= p.Most {
			return start, nil
		}
	}
	return chessStart{}, errors.New("no position of these parameters is so far from mate")
}

// hard reports whether Black must take care to hold: half of its moves lose, and none takes a man.
func (c *chess) hard() bool {
	moves := c.moves()
	losing := 0
	for _, mv := range moves {
		next := c.after(mv)
		if next.ending == nil {
			return false
		}
		if _, forced := next.plies(allMates); forced {
			losing++
		}
	}
	return losing < len(moves) && 2*losing >= len(moves)
}

// Check makes a record that is no position an error.
func (p chessStart) Check() error {
	params := chessParams{Endings: []string{p.Ending}, Least: 1, Most: 1, Hold: p.Hold, Opponent: p.Opponent}
	if err := task.Check(params); err != nil {
		return err
	}
	if len(p.At) != len(endings[p.Ending].men) {
		return fmt.Errorf("%s has %d men, not %d", p.Ending, len(endings[p.Ending].men), len(p.At))
	}
	c := p.chess()
	if !c.sound() {
		return fmt.Errorf("%s with its men at %v is no position", p.Ending, p.At)
	}
	n, forced := c.plies(allMates)
	if p.Hold > 0 && (p.Mate != 0 || forced || len(c.moves()) == 0) || p.Hold == 0 && (p.Mate == 0 || !forced || p.Mate != (n+1)/2) {
		return fmt.Errorf("mate is %d and hold is %d, which is not true of the position", p.Mate, p.Hold)
	}
	return nil
}

// chess returns the position in the beginning.
func (p chessStart) chess() chess {
	c := chess{ending: endings[p.Ending], black: p.Hold > 0}
	copy(c.at[:], p.At)
	return c
}

// Rules implements [games.Start].
func (p chessStart) Rules(wording int) string {
	spelling := " Write a move in algebraic notation, such as Kd4, or by its two squares, such as e3d4."
	if p.Hold > 0 {
		return fmt.Sprintf([]string{
			"This is the end of a game of chess. You play Black and hold a draw: White must not be able to force mate. The game ends when White can force it, after %d moves of yours, or when White has too little left to mate. " +
				"Stalemate is a draw; repetition and the rule of fifty moves play no part.",
			"You are Black in an endgame of chess that is a draw with the right moves. Do not let White reach a position in which it can force mate: then you have lost. You have held the draw after %d moves, or earlier if White cannot mate any more. " +
				"Stalemate is a draw. Neither the rule of fifty moves nor repetition ends the game.",
			"A chess endgame, in which you defend with the black pieces. It is drawn, and you lose as soon as White can force mate. Hold out for %d moves; a stalemate, or a White with too little left to mate, is a draw at once. " +
				"Repeated positions and the rule of fifty moves play no part.",
		}[wording], p.Hold) + spelling
	}
	return []string{
		"This is the end of a game of chess. You play White and can force mate; mate Black in as few moves as possible. The game also ends, as a draw, when you can no longer force mate. Stalemate is a draw; repetition and the rule of fifty moves play no part.",
		"You are White in an endgame of chess that is won with the right moves. Mate Black, and the sooner the better. If you can no longer force mate, the game is drawn at once. Stalemate is a draw. Neither the rule of fifty moves nor repetition ends the game.",
		"A chess endgame, in which you have the white pieces and a forced mate. Bring it about in as few moves as you can. The game is a draw as soon as there is no forced mate any more, by stalemate or otherwise. Repeated positions and the rule of fifty moves play no part.",
	}[wording] + spelling
}

// Example implements [games.Start].
func (p chessStart) Example() string { return "Kd4" }

// Turns implements [games.Start]: twice the moves that White needs, and four; or the moves to hold
// and a fault.
func (p chessStart) Turns() int {
	if p.Hold > 0 {
		return p.Hold + 1
	}
	return 2*p.Mate + 4
}

// Canonical implements [games.Start]: the least image under the symmetries of the board.
func (p chessStart) Canonical() string {
	least := p.image(0)
	for n := range 8 {
		if n > 1 && endings[p.Ending].pawns { // only left and right are alike
			break
		}
		if image := p.image(n); slices.Compare(image, least) < 0 {
			least = image
		}
	}
	return fmt.Sprint(p.Ending, least, p.Hold > 0)
}

// image is where the men stand under one of 8 symmetries.
func (p chessStart) image(n int) []int8 {
	at := slices.Clone(p.At)
	for i := range at {
		if n&1 != 0 {
			at[i] ^= 7
		}
		if n&2 != 0 {
			at[i] ^= 56
		}
		if n&4 != 0 {
			at[i] = at[i]>>3 | at[i]&7<<3
		}
	}
	if p.Ending == "KBBK" {
		slices.Sort(at[2:])
	}
	return at
}

// Match implements [games.Start].
func (p chessStart) Match(luck games.Luck, _ *games.Tables) games.Match {
	return &finish{chess: p.chess(), luck: luck, defends: p.Hold > 0, hold: p.Hold, random: p.Opponent.blunders()}
}
