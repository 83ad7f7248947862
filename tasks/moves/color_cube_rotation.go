package moves

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// colorCubeRotation asks for the color of a side of a cube after some turns.
var colorCubeRotation = task.Spec[colorCubeParams, colorCubeItem]{
	Name:     "color_cube_rotation",
	Category: "cognition",
	Doc: "Keep track of the colors of a cube's sides while it is turned, a quarter or half way round at a time. " +
		"The question names the axis of each turn, or it follows from the named sides.",
	Source:  "A puzzle of reasoning-gym, with its settings.",
	Version: 2,
	Default: colorCubeParams{MinRotations: 1, MaxRotations: 3},
	Levels: []colorCubeParams{
		{MinRotations: 1, MaxRotations: 1},
		{MinRotations: 2, MaxRotations: 3},
		{MinRotations: 5, MaxRotations: 8},
		{MinRotations: 12, MaxRotations: 18},
		{MinRotations: 30, MaxRotations: 40},
		{MinRotations: 80, MaxRotations: 120},
	},
	Few:  []string{"There are few ways to turn a cube once, seen from any side.", "There are few ways to turn a cube twice, seen from any side."},
	Make: makeColorCube,
}

// colorCubeParams are the settings of one difficulty.
type colorCubeParams struct {
	MinRotations int `json:"min_rotations" want:"1 to 1000"`
	MaxRotations int `json:"max_rotations" want:"min_rotations to 1000"`
}

// colorCubeItem is one cube and its turns.
type colorCubeItem struct {
	InitialState colors   `json:"initial_state"`
	Rotations    []string `json:"rotations" oneof:"top right front left back bottom"` // the side that each turn brings to the top
	TargetSide   string   `json:"target_side" oneof:"top right front left back bottom"`
	NumRotations int      `json:"num_rotations"`
	Phrasing     int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// colors are the colors of a cube's sides.
type colors struct {
	Top    string `json:"top"`
	Right  string `json:"right"`
	Front  string `json:"front"`
	Left   string `json:"left"`
	Back   string `json:"back"`
	Bottom string `json:"bottom"`
}

// sides are the names of a cube's sides.
var sides = []string{"top", "right", "front", "left", "back", "bottom"}

// palette lists the colors to draw from.
var palette = []string{
	"red", "blue", "green", "yellow", "orange", "purple", "white", "black", "brown", "pink", "gray", "turquoise", "gold", "silver", "beige", "violet",
}

// of returns the color of a side.
func (c colors) of(side string) string {
	switch side {
	case "top":
		return c.Top
	case "right":
		return c.Right
	case "front":
		return c.Front
	case "left":
		return c.Left
	case "back":
		return c.Back
	}
	return c.Bottom
}

// turned returns the colors after a turn that brings a side to the top. A turn of the
// front, back or bottom leaves left and right in place; one of the left or right leaves
// front and back. The bottom takes half a turn.
func (c colors) turned(side string) colors {
	switch side {
	case "front":
		c.Top, c.Back, c.Bottom, c.Front = c.Front, c.Top, c.Back, c.Bottom
	case "back":
		c.Top, c.Front, c.Bottom, c.Back = c.Back, c.Top, c.Front, c.Bottom
	case "right":
		c.Top, c.Left, c.Bottom, c.Right = c.Right, c.Top, c.Left, c.Bottom
	case "left":
		c.Top, c.Right, c.Bottom, c.Left = c.Left, c.Top, c.Right, c.Bottom
	case "bottom":
		c.Top, c.Bottom, c.Front, c.Back = c.Bottom, c.Top, c.Back, c.Front
	}
	return c
}

// makeColorCube draws colors and turns. No turn undoes the one before.
func makeColorCube(p colorCubeParams, r *rng.Rand) (colorCubeItem, error) {
	paint := rng.Sample(r, palette, len(sides))
	item := colorCubeItem{
		InitialState: colors{paint[0], paint[1], paint[2], paint[3], paint[4], paint[5]},
		TargetSide:   rng.Pick(r, sides),
		NumRotations: r.Between(p.MinRotations, p.MaxRotations),
		Phrasing:     r.Between(0, len(colorCubePhrasings)-1),
	}
	undo := ""
	for len(item.Rotations) < item.NumRotations {
		side := rng.Pick(r, sides[1:])
		if side == undo {
			continue
		}
		item.Rotations = append(item.Rotations, side)
		undo = undoes[side]
	}
	return item, nil
}

// undoes maps a turn to its inverse.
var undoes = map[string]string{"front": "back", "back": "front", "left": "right", "right": "left", "bottom": "bottom"}

// A cubeWording is one way to ask.
type cubeWording struct {
	before  string // the colors
	painted string // a side (%s) and its color (%c)
	between string // the colors and the turns
	turn    string // a side that a quarter turn brings to the top
	half    string // the half turn that brings the bottom to the top
	numbers bool   // the turns are numbered, one per line
	ask     string // the side in question
}

// colorCubePhrasings are the wordings of the question.
var colorCubePhrasings = []cubeWording{
	{
		"A cube has sides of six colors:\n\n", "- %s: %c\n", "\nIt is turned as follows. Each step names the side that comes to the top by the place where it is just before the step. If nothing else is said, it is a quarter turn.\n\n",
		"Turn the %s side to the top.", "Turn the bottom side to the top by a half turn, in which front and back change places and left and right stay.",
		true, "\nWhich color is on the %s side now?",
	},
	{
		"Imagine a painted cube on a table.", " Its %s side is %c.", "\n\nNow somebody tips it over, by a quarter turn each time unless it says otherwise. Front, back, left and right are always meant as seen from your chair, from which you watch: ",
		"the %s side comes up,", "the bottom side comes up by a half turn, which swaps front and back and leaves left and right as they are,",
		false, " and there the cube rests.\n\nWhat is the color of its %s side in the end?",
	},
	{
		"Colors of a cube before it moves:\n", "%s = %c\n", "\nMoves, each by the names of the sides at that moment, and each a quarter turn where nothing else is written:\n",
		"%s -> top", "bottom -> top, by half a turn about the axis from left to right",
		true, "\nGive the color of the %s side after the last move.",
	},
	{
		"You hold a cube in front of you.", " The color of the %s is %c.", "\n\nYou rotate it so that, one after another, these sides come to the top, each by the shortest way: ",
		"the %s,", "the bottom (by a half turn that swaps front and back, and not left and right),",
		false, " and then you stop.\n\nThe names always mean the sides as you see them at that moment. Which color does the %s of the cube have when you stop?",
	},
	{
		"A die without dots has a color on each face.\n\n", "The %s face is %c.\n", "\nA robot rolls it in this order:\n\n",
		"Bring the %s face up by a quarter turn.", "Bring the bottom face up by a half turn, in which the front and the back change places and the left and right faces do not.",
		true, "\nThe name of a face always tells where it is right before the step. Report the color of the %s face when the robot has finished.",
	},
	{
		"| side | color |\n|---|---|\n", "| %s | %c |\n", "\nA box in the shape of a cube is painted as in this table. It is then turned over, and each time another side comes to the top. This is where that side was just before: ",
		"%s,", "bottom (by a half turn that keeps the left and the right side where they are),",
		false, " and that was the last turn. A side that was not at the bottom came up by a quarter turn.\n\nName the color of the %s side of the box after all turns.",
	},
}

func (c colorCubeItem) Prompt() string {
	words := colorCubePhrasings[c.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words.before...)
	for _, side := range sides {
		b = task.AppendFilled(b, words.painted, func(what byte) string {
			if what == 'c' {
				return c.InitialState.of(side)
			}
			return side
		})
	}
	b = append(b, words.between...)
	for i, side := range c.Rotations {
		if words.numbers {
			b = append(strconv.AppendInt(b, int64(i+1), 10), ". "...)
		} else if i > 0 {
			b = append(b, " then "...)
		}
		turn := words.turn
		if side == "bottom" {
			turn = words.half
		}
		b = task.AppendFilled(b, turn, func(byte) string { return side })
		if words.numbers {
			b = append(b, '\n')
		}
	}
	b = task.AppendFilled(b, words.ask, func(byte) string { return c.TargetSide })
	return string(append(b, " Answer with the name of the color."...))
}

func (c colorCubeItem) Short() string {
	var paint []string
	for _, side := range sides {
		paint = append(paint, side+" "+c.InitialState.of(side))
	}
	return "cube: " + strings.Join(paint, ", ") + "; up: " + strings.Join(c.Rotations, ", ") + "; " + c.TargetSide + "?"
}

// ring lists the sides around the cube.
var ring = []string{"front", "right", "back", "left"}

// Canonical implements [task.Canonicalizer]. The colors do not matter, nor the place from which somebody
// looks at the cube, in a mirror or not; if it is turned upside down, left and right must stay such.
func (c colorCubeItem) Canonical() string {
	const places = 8
	fixed := slices.Contains(c.Rotations, "bottom")
	return canon.Least(places, func(i int) string {
		by, mirrored := i/2, i%2 == 1
		if fixed {
			by = by / 2 * 2
		}
		seen := func(side string) string { return seenSide(side, by, mirrored) }
		names, text := canon.Names[string]{}, []string{seen(c.TargetSide)}
		back := map[string]string{}
		for _, side := range sides {
			back[seen(side)] = side
		}
		for _, side := range sides {
			text = append(text, strconv.Itoa(names.Of(c.InitialState.of(back[side]))))
		}
		for _, side := range c.Rotations {
			text = append(text, seen(side))
		}
		return strings.Join(text, " ")
	})
}

// seenSide returns what a side is called by somebody who stands by so many quarters further round the
// cube, or looks into a mirror there.
func seenSide(side string, by int, mirrored bool) string {
	at := slices.Index(ring, side)
	if at < 0 {
		return side
	}
	if mirrored {
		at = len(ring) - at
	}
	return ring[(at+by)%len(ring)]
}

// Choices implements [task.Chooser]: one of the six colors.
func (c colorCubeItem) Choices() int { return len(sides) }

// Check refuses a record with an unknown side, or without a color.
func (c colorCubeItem) Check() error {
	for _, side := range sides {
		if strings.TrimSpace(c.InitialState.of(side)) == "" {
			return fmt.Errorf("initial_state: the %s has no color", side)
		}
	}
	return nil
}

func (c colorCubeItem) Solve() string {
	state := c.InitialState
	for _, side := range c.Rotations {
		state = state.turned(side)
	}
	return state.of(c.TargetSide)
}

// Score implements [task.Scorer]. It ignores case and a full stop at the end.
func (c colorCubeItem) Score(text string) quintain.Verdict {
	got, want := strings.TrimSuffix(answer.Trim(text), "."), c.Solve()
	switch {
	case got == "":
		return quintain.Malformed("the answer is empty")
	case strings.EqualFold(got, want):
		return quintain.Right()
	}
	return quintain.Wrong("want " + want)
}
