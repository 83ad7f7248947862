package cards

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// A bout is the start of a match of several hands against an opponent whose strategy is told. The
// policy has the first seat in the first hand, and then the seats alternate.
type bout interface {
	// hands is their number, and deal tells what the players hold in one, and what chance shows.
	hands() int
	deal(hand int) [3]int

	// most is what a hand may win.
	most() float64

	// show describes a hand, from 0, to the policy. Moves are those so far.
	show(hand int, moves []string) string

	// says tells of a move, and ends of the end of a hand and the beginning of the next one.
	says(mine bool, move string) string
	ends(hand int, moves []string, won float64) string

	// shows tells what chance has shown.
	shows(hand int) string

	// read returns the move that a text in lower case means after others, or says why it is none.
	read(moves []string, text string) (move, why string)
}

// A rival is an opponent, with all that is known of a hand against it.
type rival struct {
	*tree
	strategy  strategy
	responses [2]*response // by the seat of the policy
	slack     float64      // what moves may differ by and count as equal
}

// newRival works out the best responses to a strategy.
func newRival(t *tree, s strategy, slack float64) *rival {
	return &rival{tree: t, strategy: s, slack: slack, responses: [2]*response{t.respond(first, s), t.respond(second, s)}}
}

// par is what uniform play gives away in so many hands, on average.
func (r *rival) par(hands int) (sum float64) {
	for hand := range hands {
		of := r.responses[seat(hand)]
		sum += of.best - of.blind
	}
	return sum
}

// seat is that of the policy in a hand.
func seat(hand int) player { return player(hand % 2) }

// A contest is a match of several hands.
type contest struct {
	bout
	luck  games.Luck
	rival func() *rival // worked out when the first move needs it
	hand  int
	at    *node    // nil before the first move of all
	moves []string // of the hand
	won   float64
	score games.Score
}

// Show implements [games.Match].
func (c *contest) Show() string { return c.show(c.hand, c.moves) }

// Brief implements [games.Briefer]. A bout that cannot be brief is shown.
func (c *contest) Brief() string {
	if b, can := c.bout.(interface{ brief(int, []string) string }); can {
		return b.brief(c.hand, c.moves)
	}
	return c.Show()
}

// here returns the node, where the policy is to move.
func (c *contest) here() *node {
	if c.at == nil {
		return c.rival().root
	}
	return c.at
}

// worth returns what the moves are worth, and the most of it.
func (c *contest) worth() (of []float64, best float64) {
	own := c.deal(c.hand)[seat(c.hand)]
	of = c.rival().responses[seat(c.hand)].worth[c.here().row][own]
	return of, slices.Max(of)
}

// Move implements [games.Match].
func (c *contest) Move(text string) (told, why string) {
	name, why := c.read(c.moves, strings.Join(strings.Fields(strings.ToLower(text)), " "))
	if why != "" {
		return "", why
	}
	r := c.rival()
	if c.at == nil {
		c.at, c.score.Par = r.root, r.par(c.hands())
	}
	move := slices.Index(c.at.moves, name)
	of, best := c.worth()
	c.score.Add(best-of[move], r.slack)
	all := []string{c.make(move, true)}
	for c.hand < c.hands() && c.at.mover != seat(c.hand) {
		all = append(all, c.goOn())
	}
	return strings.Join(all, " "), ""
}

// make makes a move, and tells it.
func (c *contest) make(move int, mine bool) string {
	name := c.at.moves[move]
	c.at, c.moves = c.at.next[move], append(c.moves, name)
	return c.says(mine, name)
}

// goOn does what comes next until the policy is to move: the opponent's move, that of chance, or
// the next hand.
func (c *contest) goOn() string {
	deal := c.deal(c.hand)
	switch c.at.mover {
	case chance:
		c.at = c.at.next[deal[2]]
		return c.shows(c.hand)
	case nobody:
		won := c.at.pay[deal[0]][deal[1]]
		if seat(c.hand) == second {
			won = -won
		}
		told := c.ends(c.hand, c.moves, won)
		c.won += won
		c.hand, c.at, c.moves = c.hand+1, c.rival().root, nil
		return told
	}
	return c.make(c.answer(deal[1-seat(c.hand)]), false)
}

// answer draws the opponent's move.
func (c *contest) answer(holds int) int {
	const most = 100 // moves of a hand
	x := c.luck.At("opponent", c.hand*most+len(c.moves)).Float()
	return drawn(c.rival().strategy[c.at.row][holds], x)
}

// drawn is the move that x, from 0 to 1, draws by the chances of all.
func drawn(chances []float64, x float64) (last int) {
	for move, chance := range chances {
		if chance == 0 {
			continue
		}
		if last = move; x < chance {
			break
		}
		x -= chance
	}
	return last
}

// Over implements [games.Match].
func (c *contest) Over() (worth float64, over bool) {
	if c.hand < c.hands() {
		return 0, false
	}
	return 0.5 + c.won/(2*c.most()*float64(c.hands())), true
}

// Value implements [games.Match].
func (c *contest) Value() float64 { return c.score.Value() }

// Best implements [games.Match].
func (c *contest) Best() (moves []string) {
	of, best := c.worth()
	for move, worth := range of {
		if best-worth <= c.rival().slack {
			moves = append(moves, c.here().moves[move])
		}
	}
	return moves
}

// Allowed implements [games.Match].
func (c *contest) Allowed() []string { return c.here().moves }
