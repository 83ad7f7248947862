package duels

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A board is a position with its rules, seen from the player to move. S is comparable, and equal
// for positions that are played alike.
type board[S comparable] interface {
	// key names the position.
	key() S

	// moves lists the legal moves; there are none in a finished game.
	moves() []move[S]

	// over reports whether there are none.
	over() bool

	// name is the text of a move.
	name(how [3]int8) string

	// worth is that of a finished game to the player who would move: 0, 1/2 or 1.
	worth() float64

	// known is what the best play of both is worth to the player to move, if theory tells.
	known() (worth float64, tells bool)

	// read returns a move from a text, or the rule that forbids it.
	read(text string) (m move[S], why string)

	// show describes the position to the player to move.
	show() string
}

// A move is a move with what comes after it.
type move[S comparable] struct {
	how  [3]int8 // for board.name
	next board[S]
}

// An opponent plays against the policy: optimal takes one of the best moves, random any, and
// mixed:P any with probability P and else one of the best. All choices are uniform.
type opponent string

// Check reports an unknown opponent.
func (o opponent) Check() error {
	if math.IsNaN(o.blunders()) {
		return fmt.Errorf("opponent is %q, want optimal, random or mixed:P with P from 0 to 1", string(o))
	}
	return nil
}

// blunders is the probability of a move that may be any; NaN: unknown.
func (o opponent) blunders() float64 { return games.Blunders(string(o)) }

// told tells the policy how an opponent plays that does not always play its best.
func (o opponent) told() string {
	if o.blunders() == 0 {
		return ""
	}
	return fmt.Sprintf(" With a chance of %v, your opponent makes any legal move, all as likely; else one of the best.", o.blunders())
}

// slack is how much the worth of two moves may differ by rounding.
const slack = 1e-12

// A solver knows the values of the positions of a game. Whoever calls it holds mu.
type solver[S comparable] struct {
	mu       sync.Mutex
	blunders float64
	perfect  map[S]float64 // to the player to move, if both play their best
	hopes    map[S]float64 // to the policy, which is to move, against the opponent
}

func newSolver[S comparable](o opponent) *solver[S] {
	return &solver[S]{blunders: o.blunders(), perfect: map[S]float64{}, hopes: map[S]float64{}}
}

// best is what the best play of both is worth to the player to move.
func (s *solver[S]) best(b board[S]) float64 {
	if worth, tells := b.known(); tells {
		return worth
	}
	key := b.key()
	if worth, seen := s.perfect[key]; seen {
		return worth
	}
	worth := 0.0
	if b.over() {
		worth = b.worth()
	}
	for _, m := range b.moves() {
		if worth = max(worth, 1-s.best(m.next)); worth == 1 {
			break
		}
	}
	s.perfect[key] = worth
	return worth
}

// hope is what the policy's best play is worth to it, when it is to move.
func (s *solver[S]) hope(b board[S]) float64 {
	if s.blunders == 0 { // the opponent gives nothing away
		return s.best(b)
	}
	key := b.key()
	if worth, seen := s.hopes[key]; seen {
		return worth
	}
	worth := 0.0
	if b.over() {
		worth = b.worth()
	}
	for _, m := range b.moves() {
		worth = max(worth, s.after(m))
	}
	s.hopes[key] = worth
	return worth
}

// after is what a move of the policy is worth to it, before the opponent answers.
func (s *solver[S]) after(m move[S]) float64 {
	if s.blunders == 0 {
		return 1 - s.best(m.next)
	}
	if m.next.over() {
		return 1 - m.next.worth()
	}
	answers := m.next.moves()
	return float64(s.blunders*s.mean(answers)) + float64((1-s.blunders)*s.mean(s.strongest(answers)))
}

// mean is what the policy may hope for after one of the opponent's moves, all as likely.
func (s *solver[S]) mean(answers []move[S]) float64 {
	sum := 0.0
	for _, a := range answers {
		sum += s.hope(a.next)
	}
	return sum / float64(len(answers))
}

// strongest returns the best moves of a player who expects the best answers.
func (s *solver[S]) strongest(moves []move[S]) (best []move[S]) {
	top := -1.0
	for _, m := range moves {
		worth := 1 - s.best(m.next)
		if worth > top {
			best, top = nil, worth
		}
		if worth == top {
			best = append(best, m)
		}
	}
	return best
}

// A duel is a match against the opponent.
type duel[S comparable] struct {
	*solver[S]
	luck  games.Luck
	board board[S]
	mine  bool // the policy is to move
	turn  int
	start float64 // what the best play was worth before the first move
	lost  float64 // what the moves gave away of it
}

// newDuel begins a match; the policy is to move. Nothing is solved before its first move.
func newDuel[S comparable](b board[S], s *solver[S], luck games.Luck) *duel[S] {
	return &duel[S]{solver: s, luck: luck, board: b, mine: true}
}

// answer makes the opponent's move.
func (d *duel[S]) answer() (name string) {
	from := d.board.moves()
	r := d.luck.At("opponent", d.turn)
	if !r.Chance(d.blunders) {
		from = d.strongest(from)
	}
	m := rng.Pick(r, from)
	name = d.board.name(m.how)
	d.board, d.mine = m.next, true
	return name
}

// Show implements [games.Match].
func (d *duel[S]) Show() string { return d.board.show() }

// Brief implements [games.Briefer].
func (d *duel[S]) Brief() string { return brief(d.board) }

// brief describes a board. One that cannot be brief is shown.
func brief[S comparable](of board[S]) string {
	if b, can := of.(interface{ brief() string }); can {
		return b.brief()
	}
	return of.show()
}

// Move implements [games.Match].
func (d *duel[S]) Move(text string) (told, why string) {
	m, why := d.board.read(strings.Join(strings.Fields(strings.ToLower(text)), " "))
	if why != "" {
		return "", why
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	best := d.hope(d.board)
	if d.turn == 0 {
		d.start = best
	}
	if loss := best - d.after(m); loss > slack {
		d.lost += loss
	}
	d.turn++
	told = "You play " + d.board.name(m.how) + "."
	d.board, d.mine = m.next, false
	if !d.board.over() {
		told += " Your opponent plays " + d.answer() + "."
	}
	if worth, over := d.Over(); over {
		told += " " + result(worth)
	}
	return told, ""
}

// result tells the policy how a game has ended.
func result(worth float64) string {
	switch worth {
	case 1:
		return "You have won."
	case 0:
		return "You have lost."
	}
	return "The game is drawn."
}

// Over implements [games.Match].
func (d *duel[S]) Over() (worth float64, over bool) {
	switch {
	case !d.board.over():
		return 0, false
	case d.mine:
		return d.board.worth(), true
	}
	return 1 - d.board.worth(), true
}

// Value implements [games.Match]: the share of what the seat was worth that is not given away.
func (d *duel[S]) Value() float64 {
	if d.lost == 0 {
		return 1
	}
	return max(0, 1-d.lost/d.start)
}

// Best implements [games.Match].
func (d *duel[S]) Best() (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	best := d.hope(d.board)
	for _, m := range d.board.moves() {
		if d.after(m) >= best-slack {
			names = append(names, d.board.name(m.how))
		}
	}
	return names
}

// Allowed implements [games.Match].
func (d *duel[S]) Allowed() (names []string) {
	for _, m := range d.board.moves() {
		names = append(names, d.board.name(m.how))
	}
	return names
}
