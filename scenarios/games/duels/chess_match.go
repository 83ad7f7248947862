package duels

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A finish is an endgame under way. The policy plays White, who tries to mate, or Black, who tries
// to hold the draw.
type finish struct {
	chess
	luck    games.Luck
	defends bool // the policy plays Black
	hold    int  // moves for which Black must hold
	random  float64

	optimum int // moves that White needs from the beginning; 0: not worked out
	excess  int // moves by which the policy's were longer
	turn    int // moves of the policy
	lost    bool
}

// Show implements [games.Match].
func (f *finish) Show() string {
	var s strings.Builder
	s.WriteString("```")
	for i, row := range f.ranks() {
		fmt.Fprintf(&s, "\n%d", 8-i)
		for _, mark := range row {
			fmt.Fprintf(&s, " %c", mark)
		}
	}
	s.WriteString("\n  a b c d e f g h\n```\n")
	for side, name := range []string{"White", "Black"} {
		var men []string
		for i, m := range f.men {
			if m.black == (side == 1) {
				men = append(men, string(m.kind)+chessSquare(f.at[i]))
			}
		}
		fmt.Fprintf(&s, "%s: %s\n", name, strings.Join(men, " "))
	}
	s.WriteString("FEN: " + f.fen())
	if f.defends {
		fmt.Fprintf(&s, "\nMoves to hold: %d", f.hold-f.turn)
	}
	return s.String()
}

// loss is what a move gives away: moves on the way to mate, or all.
func (f *finish) loss(mv chessMove) (moves int, all bool) {
	next := f.after(mv)
	n, forced := next.plies(allMates)
	if f.defends || !forced {
		return 0, f.defends == forced
	}
	now, _ := f.plies(allMates)
	return (n + 1 - now) / 2, false
}

// Move implements [games.Match].
func (f *finish) Move(text string) (told, why string) {
	mv, why := f.read(text)
	if why != "" {
		return "", why
	}
	if f.turn == 0 && !f.defends {
		n, _ := f.plies(allMates)
		f.optimum = (n + 1) / 2
	}
	more, all := f.loss(mv)
	f.excess, f.lost = f.excess+more, f.lost || all
	told = "You play " + f.spell(mv) + "."
	f.chess = f.after(mv)
	f.turn++
	if !f.decided() {
		mv := f.answer()
		told += " Your opponent plays " + f.spell(mv) + "."
		f.chess = f.after(mv)
	}
	if ending := f.told(); ending != "" {
		told += " " + ending
	}
	return told, ""
}

// decided reports whether nothing is left to play for.
func (f *finish) decided() bool {
	return f.lost || f.ending == nil || len(f.moves()) == 0
}

// told tells how the game has ended; empty: it has not.
func (f *finish) told() string {
	switch worth, over := f.Over(); {
	case !over:
		return ""
	case f.ending != nil && len(f.moves()) == 0 && f.checked(f.black):
		return map[bool]string{true: "That is mate: you have won.", false: "That is mate: you have lost."}[worth == 1]
	case f.ending != nil && len(f.moves()) == 0:
		return "That is stalemate: the game is drawn."
	case f.lost && f.defends:
		return "White can force mate now: you have lost."
	case f.ending == nil:
		return "White has too little left to mate: the game is drawn."
	case f.lost:
		return "White can no longer force mate: the game is drawn."
	}
	return "You have held the draw."
}

// Over implements [games.Match]. White gets nothing for a draw, and Black all.
func (f *finish) Over() (worth float64, over bool) {
	switch {
	case f.defends:
		over = f.decided() || f.turn == f.hold
		if over && !f.lost {
			worth = 1
		}
	case f.decided():
		over = true
		if !f.lost {
			worth = 1
		}
	}
	return worth, over
}

// answer chooses the opponent's move.
func (f *finish) answer() chessMove {
	moves := f.moves()
	r := f.luck.At("opponent", f.turn-1)
	if r.Chance(f.random) {
		return rng.Pick(r, moves)
	}
	return rng.Pick(r, f.toughest(moves))
}

// toughest returns the best of the opponent's moves.
func (f *finish) toughest(moves []chessMove) (best []chessMove) {
	top := 0.0
	for _, mv := range moves {
		merit := f.merit(mv)
		if len(best) == 0 || merit > top {
			best, top = nil, merit
		}
		if merit == top {
			best = append(best, mv)
		}
	}
	return best
}

// merit tells the good moves of the opponent from others: Black's by the plies to mate, and those of
// White, who cannot force it, by the share of answers that lose.
func (f *finish) merit(mv chessMove) float64 {
	next := f.after(mv)
	if !f.defends {
		n, forced := next.plies(allMates)
		if !forced {
			return never
		}
		return float64(n)
	}
	if next.ending == nil {
		return -2 // a pawn becomes a bishop or a knight
	}
	answers := next.moves()
	if len(answers) == 0 {
		return -2 // stalemate
	}
	losing := 0
	for _, answer := range answers {
		then := next.after(answer)
		if then.ending == nil {
			return -1 // Black takes
		}
		if _, forced := then.plies(allMates); forced {
			losing++
		}
	}
	return float64(losing) / float64(len(answers))
}

// Value implements [games.Match]. White loses all by twice the moves it needs, and four.
func (f *finish) Value() float64 {
	switch {
	case f.lost:
		return 0
	case f.excess == 0:
		return 1
	}
	return max(0, 1-float64(f.excess)/float64(f.optimum+4))
}

// Best implements [games.Match].
func (f *finish) Best() (names []string) {
	for _, mv := range f.moves() {
		if more, all := f.loss(mv); more == 0 && !all {
			names = append(names, f.spell(mv))
		}
	}
	return names
}

// Allowed implements [games.Match].
func (f *finish) Allowed() (names []string) {
	for _, mv := range f.moves() {
		names = append(names, f.spell(mv))
	}
	return names
}

// read returns a move from a text, or the rule that forbids it.
func (f *finish) read(text string) (mv chessMove, why string) {
	plain := plainMove(text)
	for _, mv := range f.moves() {
		if plainMove(f.spellPlain(mv)) == plain || plainMove(f.coordinates(mv)) == plain {
			return mv, ""
		}
	}
	if len(plain) < 2 {
		return mv, fmt.Sprintf("%q is no move, such as Kd4 or e2d4", text)
	}
	kind, to, known := f.meant(plain)
	if !known {
		return mv, fmt.Sprintf("%q is no move, such as Kd4 or e2d4", text)
	}
	for i, m := range f.men {
		if m.kind == kind && m.black == f.black && f.reached(i)>>to&1 == 1 {
			if f.exposes(chessMove{man: int8(i), to: to}) {
				return mv, "that would leave your king in check"
			}
			return mv, "a pawn that reaches the last rank becomes another piece, as in e8=Q"
		}
	}
	return mv, fmt.Sprintf("no %s of yours can go to %s", menNames[kind], chessSquare(to))
}

// menNames are the names of the men.
var menNames = map[byte]string{'K': "king", 'Q': "queen", 'R': "rook", 'B': "bishop", 'N': "knight", 'P': "pawn"}

// plainMove is a move in small letters, without the signs for takes, check and mate.
func plainMove(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune("+#=x- ", r) {
			return -1
		}
		return r
	}, text))
}

// meant returns the kind of man and the square that a plain move names.
func (f *finish) meant(plain string) (kind byte, to int8, known bool) {
	square := func(text string) (at int8, ok bool) {
		for at := range int8(64) {
			if chessSquare(at) == text {
				return at, true
			}
		}
		return 0, false
	}
	if from, ok := square(plain[:2]); ok && len(plain) >= 4 { // two squares
		for i, m := range f.men {
			if m.black == f.black && f.at[i] == from {
				kind = m.kind
			}
		}
		to, ok = square(plain[2:4])
		return kind, to, ok && kind != 0
	}
	if to, ok := square(plain[:2]); ok {
		return 'P', to, true
	}
	kind = plain[0] &^ 32
	to, ok := square(plain[1:min(3, len(plain))])
	return kind, to, ok && menNames[kind] != ""
}
