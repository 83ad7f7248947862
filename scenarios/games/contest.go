package games

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Sided is a [Start] of a game that the policy can play on both sides.
type Sided interface {
	Start

	// RulesAt is Rules for a seat, 0 or 1.
	RulesAt(seat, wording int) string

	// Sides begins a match of two seats. All matches of a Start with the same luck go the same way
	// with the same moves.
	Sides(Luck, *Tables) Sides
}

// Sides is a game of two seats under way. One goroutine uses it. A method Brief(seat int) string, if
// it has one, describes the position in a few characters, as that of a [Briefer].
type Sides interface {
	// Seat is the one to move. Seat 0 makes the first move.
	Seat() int

	// Show describes the position with all that a seat may know of it.
	Show(seat int) string

	// Move makes a move of the seat to move, and returns its name, which both seats may know and
	// which is a text for Move that stands for the same move. why says which rule forbids it; then
	// nothing has changed.
	Move(text string) (name, why string)

	// Over reports whether the match has ended, and what it is worth to seat 0, 0 to 1. It is worth
	// the rest to seat 1.
	Over() (worth float64, over bool)

	// Says tells a seat of a move: its own, if mine, or the other's.
	Says(mine bool, move string) string

	// News tells a seat what followed from the last move, besides the position; empty: nothing.
	News(seat int) string

	// Best lists moves of the best play for the seat to move, and Allowed all moves. Play draws one
	// of the best: where surprise counts, not all are as likely.
	Best() []string
	Allowed() []string
	Play(*rng.Rand) string
}

// A Blind is a [Sides] in which both seats move at once: seat 0 first, and then seat 1, who must not
// know that move. Best and Allowed do not depend on it.
type Blind interface {
	Sides

	// Blind reports whether the seat to move must not know the last move yet.
	Blind() bool
}

// A made is a move that a seat made.
type made struct {
	seat int
	name string
}

// A contest is a match of two seats.
type contest struct {
	start   Sided
	luck    Luck
	wording int
	short   bool // see [play]
	players []string
	sides   Sides
	moves   []string  // so far
	held    []made    // that nobody has been told of, because the other seat moves at the same time
	news    [2]string // of moves that the seat has not been told of
	faults  [2]int    // replies of each seat without a legal move
	opened  [2]bool   // the seat has its first messages
}

// Table implements [scenario.Host].
func (p *play) Table(_ quintain.Task, problem quintain.Problem) (quintain.Table, error) {
	return p.contest(problem)
}

func (p *play) contest(problem quintain.Problem) (*contest, error) {
	record, err := p.game.deal(problem)
	if err != nil {
		return nil, err
	}
	start, luck, wording := record.start()
	of, can := start.(Sided)
	if !can {
		return nil, errors.New("the game has one side") // Declare offers no players
	}
	return &contest{start: of, luck: luck, wording: wording, short: p.ShortPrompts, players: p.Players(), sides: of.Sides(luck, &p.game.tables)}, nil
}

// Seats implements [quintain.Table].
func (c *contest) Seats() int { return len(c.players) }

// Open implements [quintain.Table].
func (c *contest) Open(context.Context) (quintain.Next, error) {
	next := quintain.Next{}
	c.goOn(&next)
	return next, nil
}

// Step implements [quintain.Table].
func (c *contest) Step(_ context.Context, seat int, reply quintain.Reply) (next quintain.Next, err error) {
	if seat != c.sides.Seat() {
		return next, fmt.Errorf("seat %d replies, and seat %d is to move", seat, c.sides.Seat())
	}
	move, why := answer.Between(reply.Text, tag(c.short))
	if why == "" && len(move) > maxMove {
		move, why = "", "the move is too long"
	}
	next.Answer, next.Malformed = move, why != ""
	if why == "" {
		var name string
		if name, why = c.sides.Move(move); why == "" {
			c.note(seat, name)
			c.goOn(&next)
			next.Why = c.ending(seat)
			return next, nil
		}
		next.Illegal = true
	}
	next.Why = why
	c.faults[seat]++
	if c.faults[seat] > 1 {
		next.End, next.Forfeit = quintain.Terminated, true
		return next, nil
	}
	next.Seat, next.Observe = seat, []quintain.Message{{Role: quintain.RoleUser, Content: c.refusal(seat, why)}}
	return next, nil
}

// refusal tells a seat why its reply is no legal move.
func (c *contest) refusal(seat int, why string) string {
	if c.short {
		return "no\n" + c.brief(seat)
	}
	return "That was no legal move: " + why + ". Nothing has changed. Another such reply loses the match.\n\n" + c.position(seat)
}

// brief describes the position to a seat in short prompts.
func (c *contest) brief(seat int) string {
	if b, can := c.sides.(interface{ Brief(seat int) string }); can {
		return b.Brief(seat)
	}
	return c.sides.Show(seat)
}

// note takes a move that was made, and tells the seats of all that they may know.
func (c *contest) note(seat int, name string) {
	c.held = append(c.held, made{seat, name})
	if b, ok := c.sides.(Blind); ok && b.Blind() {
		return
	}
	for viewer := range c.news {
		for _, m := range c.held {
			c.news[viewer] = sentence(c.news[viewer], c.sides.Says(viewer == m.seat, m.name))
		}
		c.news[viewer] = sentence(c.news[viewer], c.sides.News(viewer))
	}
	for _, m := range c.held {
		c.moves = append(c.moves, m.name)
	}
	c.held = nil
}

// goOn makes the moves of the table's own players, until a policy is to move or the match ends.
func (c *contest) goOn(next *quintain.Next) {
	for {
		worth, over := c.sides.Over()
		if over {
			next.End, next.Rewards = quintain.Terminated, []float64{worth, 1 - worth}
			return
		}
		seat := c.sides.Seat()
		if player := c.players[seat]; player == quintain.PolicyPlayer || quintain.Opponent(player) {
			next.Seat, next.Observe = seat, c.observe(seat)
			return
		}
		r := c.luck.At("opponent", len(c.moves))
		var name string
		if r.Chance(Blunders(c.players[seat])) {
			name = rng.Pick(r, c.sides.Allowed())
		} else {
			name = c.sides.Play(r)
		}
		name, _ = c.sides.Move(name)
		c.note(seat, name)
	}
}

// observe returns the next messages of a seat.
func (c *contest) observe(seat int) (messages []quintain.Message) {
	if c.short {
		return []quintain.Message{{Role: quintain.RoleUser, Content: c.brief(seat)}}
	}
	if !c.opened[seat] {
		c.opened[seat] = true
		messages = append(messages, quintain.Message{Role: quintain.RoleSystem, Content: strings.Join([]string{
			c.start.RulesAt(seat, c.wording),
			c.turn(seat) + " " + fmt.Sprintf(tableForms[c.wording], c.example()) + " " + earnings[Outcome][c.wording],
		}, "\n\n")})
	}
	text := strings.TrimSpace(c.news[seat] + "\n\n" + c.position(seat))
	c.news[seat] = ""
	return append(messages, quintain.Message{Role: quintain.RoleUser, Content: text})
}

// example is a legal move now: that of the game, or else the first.
func (c *contest) example() string {
	if move := c.start.Example(); slices.Contains(c.sides.Allowed(), move) {
		return move
	}
	return c.sides.Allowed()[0]
}

// turn tells a seat when it moves.
func (c *contest) turn(seat int) string {
	if _, ok := c.sides.(Blind); ok {
		return atOnce[c.wording]
	}
	return turns[c.wording][seat]
}

// atOnce tells the same of a [Blind].
var atOnce = [wordings]string{
	"You and your opponent move at the same time.",
	"Both of you choose your moves at once.",
	"Neither of you knows the other's move before both are made.",
}

// turns tell a seat when it moves.
var turns = [wordings][2]string{
	{"You move first.", "Your opponent moves first."},
	{"The first move is yours.", "The first move is your opponent's."},
	{"You begin.", "Your opponent begins."},
}

// tableForms say how to reply; they get an example of a move.
var tableForms = [wordings]string{
	"Reply with one move between <move> and </move>, for example <move>%s</move>; you may think before it. Your first reply without exactly one legal move " +
		"changes nothing, the second loses the match.",
	"Write each move as <move>%s</move>, exactly one in each reply, after any thoughts. If a reply of yours has no legal move, you are told why; if it happens " +
		"again, you lose.",
	"Every reply must hold exactly one move, in tags: <move>%s</move>. One reply without a legal move is forgiven; with another one, the match is lost.",
}

// soFar begins the line of a message with all moves so far.
const soFar = "Moves so far: "

// between is what stands between moves. Those that are made at once may have commas.
func (c *contest) between() string {
	if _, ok := c.sides.(Blind); ok {
		return "; "
	}
	return ", "
}

// position describes the position to the seat that is to move.
func (c *contest) position(seat int) string {
	text := c.sides.Show(seat) + "\n\n"
	if len(c.moves) > 0 {
		text += soFar + strings.Join(c.moves, c.between()) + ".\n"
	}
	return text + "It is your move."
}

// ending tells how the match has ended for a seat; empty: it has not.
func (c *contest) ending(seat int) string {
	worth, over := c.sides.Over()
	if !over {
		return ""
	}
	if seat == 1 {
		worth = 1 - worth
	}
	switch worth {
	case 1:
		return "It wins."
	case 0:
		return "It loses."
	case 0.5:
		return "The match is drawn."
	}
	return fmt.Sprintf("The match earns %.3g.", worth)
}

// AdviseAt implements [scenario.Host]. It plays the moves so far, which the last message tells.
func (p *play) AdviseAt(_ quintain.Task, problem quintain.Problem, seat int, talk []quintain.Message) (advice quintain.Advice, err error) {
	if p.ShortPrompts {
		return advice, errors.New("short prompts do not tell the moves so far, so there is no advice after them")
	}
	c, err := p.contest(problem)
	if err != nil || len(talk) == 0 {
		return advice, err
	}
	_, moves, _ := strings.Cut(talk[len(talk)-1].Content, soFar)
	moves, _, _ = strings.Cut(moves, ".\n")
	for move := range strings.SplitSeq(moves, c.between()) {
		if move == "" {
			break
		}
		if _, why := c.sides.Move(move); why != "" {
			return advice, fmt.Errorf("the conversation has the move %q: %s", move, why)
		}
	}
	if _, ok := c.sides.(Blind); ok && c.sides.Seat() != seat {
		c.sides.Move(c.sides.Allowed()[0]) // any: it makes no difference to the other seat
	}
	if _, over := c.sides.Over(); over || c.sides.Seat() != seat {
		return advice, nil
	}
	return tagged("move", c.sides.Best(), c.sides.Allowed()), nil
}

// tagged returns moves as replies.
func tagged(tag string, best, allowed []string) (a quintain.Advice) {
	opening, closing := "<"+tag+">", "</"+tag+">"
	for _, m := range best {
		a.Best = append(a.Best, opening+m+closing)
	}
	for _, m := range allowed {
		a.Allowed = append(a.Allowed, opening+m+closing)
	}
	return a
}

// Close implements [quintain.Table].
func (c *contest) Close() error { return nil }
