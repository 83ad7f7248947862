package alone

import (
	"fmt"
	"slices"
	"strings"
)

// A puzzle is a position on the way to a goal, where the shortest way is the best.
type puzzle interface {
	// moves lists the legal moves.
	moves() []string

	// move makes a move, and tells what happened. why says which rule forbids it.
	move(name string) (next puzzle, told, why string)

	show() string
	done() bool

	// left is the length of the shortest way from here, or far if it is longer than most.
	left(most int) int
}

// far is more than any limit of moves.
const far = 1 << 20

// A trail is an episode of a puzzle. What it is worth is the length of the shortest way, divided by
// that of the best way that is still open.
type trail struct {
	puzzle
	limit int // of moves
	used  int // moves
	least int // length of the shortest way; 0: not known yet
	rest  int // 1 more than left; 0: not known yet
}

// togo is the length of the shortest way, worked out once for each position, or far if the moves do
// not suffice for it. Then they never do again.
func (t *trail) togo() int {
	if t.rest == 0 {
		t.rest = t.left(t.limit-t.used) + 1
	}
	if t.least == 0 {
		t.least = t.rest - 1
	}
	return t.rest - 1
}

// step makes one move.
func (t *trail) step(name string) (told, why string) {
	if t.least == 0 {
		t.togo()
	}
	next, told, why := t.move(name)
	if why == "" {
		t.puzzle = next
		t.used++
		if t.rest <= far {
			t.rest = 0
		}
	}
	return told, why
}

// Value implements [games.Match].
func (t *trail) Value() float64 {
	if togo := t.togo(); togo < far {
		return float64(t.least) / float64(t.used+togo)
	}
	return 0
}

// Over implements [games.Match].
func (t *trail) Over() (worth float64, over bool) {
	if t.done() {
		return t.Value(), true
	}
	return 0, t.used >= t.limit
}

// Allowed implements [games.Match].
func (t *trail) Allowed() []string { return t.moves() }

// Best implements [games.Match]. If no way is left, all moves are as good.
func (t *trail) Best() []string {
	if t.Value() == 0 {
		return t.moves()
	}
	return nearer(t.puzzle, t.togo(), far)
}

// nearer lists up to most moves that come nearer to the goal, which is so far away.
func nearer(p puzzle, togo, most int) (moves []string) {
	for _, name := range p.moves() {
		next, _, _ := p.move(name)
		if len(moves) < most && next.left(togo-1) < togo {
			moves = append(moves, name)
		}
	}
	return moves
}

// mostSteps is the most steps of a reply.
const mostSteps = 8

// A walk is a trail whose replies may make several steps.
type walk struct{ trail }

// Move implements [games.Match]: steps up to the first that is blocked.
func (w *walk) Move(text string) (told, why string) {
	steps := strings.Fields(strings.ToLower(text))
	if len(steps) == 0 || len(steps) > mostSteps {
		return "", fmt.Sprintf("it has %d steps, want 1 to %d", len(steps), mostSteps)
	}
	for _, name := range steps {
		if !slices.Contains(directions[:], name) {
			return "", fmt.Sprintf("%q is none of up, down, left and right", name)
		}
	}
	var made []string
	for _, name := range steps {
		if _, over := w.Over(); over {
			break
		}
		if _, why = w.step(name); why != "" {
			break
		}
		made = append(made, name)
	}
	if len(made) == 0 {
		return "", why
	}
	told = "You moved " + strings.Join(made, " ") + "."
	if why != "" {
		told += " Then you stopped: " + why + "."
	}
	return told, ""
}

// Show implements [games.Match].
func (w *walk) Show() string {
	return fmt.Sprintf("%s\nSteps made: %d of at most %d.", w.show(), w.used, w.limit)
}

// Best implements [games.Match]: first as many steps as a reply may have, then the single ones.
func (w *walk) Best() []string {
	single := w.trail.Best()
	if w.Value() == 0 {
		return single
	}
	steps := w.plan(mostSteps, w.togo())
	if len(steps) == 1 {
		return single
	}
	return append([]string{strings.Join(steps, " ")}, single...)
}

// plan is the beginning of a shortest way: so many moves, or all.
func (w *walk) plan(most, togo int) (steps []string) {
	if by, can := w.puzzle.(planner); can {
		return by.plan(min(most, togo), togo)
	}
	for p := w.puzzle; togo > 0 && len(steps) < most; togo-- {
		name := nearer(p, togo, 1)[0]
		steps = append(steps, name)
		p, _, _ = p.move(name)
	}
	return steps
}

// A planner is a puzzle that finds a whole way at once.
type planner interface {
	// plan is the first n moves of a shortest way, which has togo.
	plan(n, togo int) []string
}
