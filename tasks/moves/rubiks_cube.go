package moves

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// rubiksCube asks for moves that solve a scrambled cube.
var rubiksCube = task.Spec[rubiksParams, rubiksItem]{
	Name:     "rubiks_cube",
	Category: "cognition",
	Doc: "Solve a Rubik's cube of two to six layers that was scrambled by a number of turns. " +
		"Any moves are right that leave each face with one color, however the cube is then held.",
	Source:  "The cube of E. Rubik (1974) in the notation of D. Singmaster; the settings are those of reasoning-gym.",
	Version: 4,
	Many:    true,
	List:    " ",
	Default: rubiksParams{Size: 3, MinSteps: 3, MaxSteps: 10},
	Levels: []rubiksParams{
		{Size: 3, MinSteps: 1, MaxSteps: 3},
		{Size: 3, MinSteps: 2, MaxSteps: 3},
		{Size: 3, MinSteps: 3, MaxSteps: 4},
		{Size: 2, MinSteps: 4, MaxSteps: 6},
		{Size: 3, MinSteps: 4, MaxSteps: 5},
		{Size: 3, MinSteps: 5, MaxSteps: 6},
		{Size: 4, MinSteps: 6, MaxSteps: 7},
	},
	Few:  slices.Repeat([]string{"There are few ways to turn a cube so rarely, seen from any side."}, 3),
	Make: makeRubiks,
}

// rubiksParams are the settings of one difficulty.
type rubiksParams struct {
	Size     int `json:"cube_size" want:"2 to 6"`             // layers along an edge
	MinSteps int `json:"min_scramble_steps" want:"1 to 1000"` // turns
	MaxSteps int `json:"max_scramble_steps" want:"min_scramble_steps to 1000"`
}

const mostSteps = 1000

// rubiksItem is one scrambled cube.
type rubiksItem struct {
	Size     int    `json:"cube_size" want:"2 to 6"`
	Steps    int    `json:"scramble_steps"`         // turns
	Moves    string `json:"scramble_moves"`         // the cube's orientation as turns, then the scrambling turns
	Example  string `json:"example_correct_answer"` // may be missing
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeRubiks draws an orientation, then turns. No two in a row are about the same axis.
func makeRubiks(p rubiksParams, r *rng.Rand) (rubiksItem, error) {
	item := rubiksItem{Size: p.Size, Steps: r.Between(p.MinSteps, p.MaxSteps), Phrasing: r.Between(0, len(rubiksPhrasings)-1)}
	for {
		turns := heldAtRandom(r)
		axis := -1
		for range item.Steps {
			face := r.Between(0, 5)
			for face/2 == axis {
				face = r.Between(0, 5)
			}
			axis = face / 2
			turns = append(turns, cubeTurn{face: face, last: r.Between(0, task.Bit(p.Size > 3)), quarters: r.Between(1, 3)})
		}
		if item.Moves = turnsText(turns); !scrambled(p.Size, turns).solved() {
			item.Example = item.Solve()
			return item, nil
		}
	}
}

// heldAtRandom turns the whole cube into one of its 24 orientations.
func heldAtRandom(r *rng.Rand) []cubeTurn {
	up := r.Between(0, 5)
	return held(up, r.Between(0, 3))
}

// heldWays returns the turns of the whole cube to each of its 24 orientations.
func heldWays() (ways [][]cubeTurn) {
	for up := range 6 {
		for quarters := range 4 {
			ways = append(ways, held(up, quarters))
		}
	}
	return ways
}

// held returns the turns that bring up one of the six faces, and then turn the cube by quarters.
func held(up, quarters int) (turns []cubeTurn) {
	ups := [...]cubeTurn{{}, {face: right, quarters: 1}, {face: right, quarters: 2}, {face: right, quarters: 3}, {face: front, quarters: 1}, {face: front, quarters: 3}}
	for _, t := range []cubeTurn{ups[up], {face: top, quarters: quarters}} {
		if t.whole = true; t.quarters > 0 {
			turns = append(turns, t)
		}
	}
	return turns
}

// A rubiksWording is one way to ask.
type rubiksWording struct {
	before string // the cube; %d is the number of layers
	net    bool   // the faces form a net instead of a list
	after  string // the cube
	wide   string // about moves of two layers, if the cube has more than three
	end    string
}

// rubiksPhrasings are the wordings of the question.
var rubiksPhrasings = []rubiksWording{
	{
		"This is the unfolded surface of a scrambled cube of %[1]dx%[1]dx%[1]d pieces: the up face at the top, below it the left, front, right and back faces in a row, and the down face at the bottom. Each letter is the color of a sticker.\n\n", true,
		"\n\nFind moves that solve the cube, so that each face has a single color. The move U turns the layer of the up face a quarter turn clockwise, as seen by somebody who looks straight at that face; D, L, R, F and B do the same with the down, left, right, front and back faces. With an apostrophe, as in U', the turn is counterclockwise, and with a 2, as in U2, it is a half turn.",
		" With a w, as in Uw, the two layers nearest to the face turn together.", " Answer with the moves alone, with spaces between them.",
	},
	{
		"Solve a %[1]dx%[1]dx%[1]d Rubik's cube. Its faces look like this, each as it appears to somebody who looks straight at it. The four faces around the sides are upright, the up face has the front face below it, and the down face has the front face above it.\n\n", false,
		"\n\nWrite the solution in Singmaster's notation: U, D, L, R, F or B for a clockwise quarter turn of the up, down, left, right, front or back layer, the same letter followed by ' for a counterclockwise one, and followed by 2 for a half turn.",
		" A w after the letter, as in Rw', makes the two outer layers of that side turn as one.", " Put spaces between the moves and write nothing else.",
	},
	{
		"Somebody has twisted a cube puzzle with %[1]d layers in each direction. Cut open along its edges and laid flat, it shows these colors. The middle row of faces is left, front, right, back; the face above the front is up, the one below it is down.\n\n", true,
		"\n\nWhich turns bring every color back to a face of its own? Name them in order, separated by spaces. A turn is a letter for a layer, U (up), D (down), L (left), R (right), F (front) or B (back), and it goes clockwise by 90 degrees as seen from in front of that layer. Add ' if it goes the other way, or 2 if it goes by 180 degrees.",
		" Two neighboring layers at once are written with a w: Fw is the front layer together with the next one.", " Give nothing but the turns.",
	},
	{
		"Colors on the six faces of a cube made of %[1]dx%[1]dx%[1]d small cubes (the sides are drawn upright; the last row of the up face and the first row of the down face lie next to the front face):\n\n", false,
		"\n\nYour task is to turn layers until no face shows two colors. Use these turns:\n- U, D, L, R, F, B: the outer layer at the up, down, left, right, front, back face, a quarter turn clockwise when you face it\n- U', D', L', R', F', B': the same layers counterclockwise\n- U2, D2, L2, R2, F2, B2: the same layers, half way around",
		"\n- Uw, Dw, Lw, Rw, Fw, Bw, also with ' or 2: the two outer layers together", "\n\nThe answer is the sequence of turns, in one line and with spaces.",
	},
	{
		"Below is the net of a mixed-up cube (%[1]d layers). Fold it around the front face, which is the second one in the long row: what stands above becomes the up face, what stands below the down face, and the last one in the row the back face.\n\n", true,
		"\n\nHow can it be solved? Reply with a list of moves, with a space between one and the next. A capital letter alone, U D L R F B, means to turn the up, down, left, right, front, back layer by a quarter in the direction of a clock on that face. A letter with ' means against the clock, and a letter with 2 means by a half.",
		" A letter with w, which ' or 2 may follow, moves the second layer along with the first.", " Do not write anything besides the moves.",
	},
	{
		"A robot holds a scrambled %[1]dx%[1]dx%[1]d cube and has photographed each face from straight in front of it. The pictures of the sides are upright; the front face borders the up face at the bottom of its picture, and the down face at the top:\n\n", false,
		"\n\nProgram the robot so that it solves the cube: in the end all stickers of a face are alike. It understands U, D, L, R, F and B (turn the up, down, left, right, front or back layer clockwise by 90 degrees, as the camera in front of it sees it), each of them with ' for the opposite direction, and with 2 for 180 degrees.",
		" It also understands Uw, Dw, Lw, Rw, Fw and Bw, again with ' or 2, for the outer two layers at once.", " Send the commands in one line, separated by spaces, and nothing else.",
	},
}

func (c rubiksItem) Prompt() string {
	words := &rubiksPhrasings[c.Phrasing]
	cube := scrambled(c.Size, c.turns())
	text := fmt.Sprintf(words.before, c.Size)
	if words.net {
		text += cube.net()
	} else {
		text += cube.faces()
	}
	text += words.after
	if c.Size > 3 {
		text += words.wide
	}
	return text + words.end
}

// turns returns the moves that scrambled the cube.
func (c rubiksItem) turns() []cubeTurn {
	turns, _ := readTurns(c.Moves, c.Size) // Check has already read them
	return turns
}

func (c rubiksItem) Short() string {
	cube := scrambled(c.Size, c.turns())
	return "cube: " + string(cube.cells[:cube.at(6, 0)])
}

// Canonical implements [task.Canonicalizer]. The colors do not matter, nor how the cube is held, nor
// whether it is seen in a mirror.
func (c rubiksItem) Canonical() string {
	cube := scrambled(c.Size, c.turns())
	stickers := cube.cells[:cube.at(6, 0)]
	views := rubiksViews()[c.Size]
	return canon.Least(len(views), func(i int) string {
		seen, names, known := make([]byte, len(stickers)), [256]byte{}, byte(0)
		for k, at := range views[i] {
			color := stickers[at]
			if names[color] == 0 {
				known++
				names[color] = known
			}
			seen[k] = '0' + names[color]
		}
		return string(seen)
	})
}

// Check refuses a record with moves that its cube does not have.
func (c rubiksItem) Check() error {
	turns, err := readTurns(c.Moves, c.Size)
	switch {
	case err != nil:
		return fmt.Errorf("scramble_moves: %w", err)
	case len(turns) == 0 || len(turns) > mostSteps+2:
		return fmt.Errorf("scramble_moves has %d, want 1 to %d", len(turns), mostSteps+2)
	}
	return nil
}

// Solve implements [task.Instance]. It undoes the turns; the orientation does not matter.
func (c rubiksItem) Solve() string {
	turns := c.turns()
	for len(turns) > 0 && turns[0].whole {
		turns = turns[1:]
	}
	slices.Reverse(turns)
	for i := range turns {
		turns[i].quarters = 4 - turns[i].quarters
	}
	return turnsText(turns)
}

func (c rubiksItem) Score(text string) quintain.Verdict {
	const longest = 20_000
	if len(text) > longest {
		return quintain.Wrong("the answer is too long")
	}
	turns, err := readTurns(strings.TrimSuffix(answer.Trim(text), "."), c.Size)
	switch {
	case err != nil:
		return quintain.Malformed(err.Error())
	case len(turns) == 0:
		return quintain.Malformed("the answer is empty")
	}
	cube := scrambled(c.Size, c.turns())
	for _, t := range turns {
		cube.turn(t)
	}
	if !cube.solved() {
		return quintain.Wrong("the moves do not solve the cube")
	}
	return quintain.Right()
}
