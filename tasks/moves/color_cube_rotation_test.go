package moves

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestColorCubeScore(t *testing.T) {
	item := colorCubeItem{
		InitialState: colors{Top: "red", Right: "blue", Front: "green", Left: "gold", Back: "white", Bottom: "black"},
		Rotations:    []string{"front", "right"}, TargetSide: "left", NumRotations: 2,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"green", 1, "it came up, and went on to the left"},
		{" Green.\n", 1, "case, space and a full stop do not count"},
		{"gold", 0, "the color at the start"},
		{"blue", 0, "the color on top"},
		{"greenish", 0, "another word"},
		{"green or gold", 0, "two colors"},
		{"The left side is green", 0, "a sentence"},
	})
	good := `"initial_state":{"top":"red","right":"blue","front":"green","left":"gold","back":"white","bottom":"black"}`
	tasktest.RefusedRecords(t, colorCubeRotation.Task(), []string{
		`{"rotations":["front"],"target_side":"left"}`,
		`{` + good + `,"rotations":["inside"],"target_side":"left"}`,
		`{` + good + `,"rotations":["front"],"target_side":"inside"}`,
		`{` + good + `,"rotations":["front"],"target_side":"left","phrasing":6}`,
	})
}

// A direction points in space: x to the right, y to the back, z up.
type direction [3]int

var directions = map[string]direction{
	"top": {0, 0, 1}, "bottom": {0, 0, -1}, "right": {1, 0, 0}, "left": {-1, 0, 0}, "front": {0, -1, 0}, "back": {0, 1, 0},
}

// The second solver follows the side in question backwards through space. Each turn rotates
// about the axis that both its sides leave in place.
func TestColorCubeSecond(t *testing.T) {
	tasktest.Second(t, colorCubeRotation.Task(), 1200, func(item colorCubeItem, prompt, got string) error {
		at := directions[item.TargetSide]
		for i := len(item.Rotations) - 1; i >= 0; i-- {
			at = before(at, directions[item.Rotations[i]])
		}
		for side, d := range directions {
			if want := item.InitialState.of(side); d == at && want != got {
				return fmt.Errorf("solution %s, want %s", got, want)
			}
		}
		for _, side := range sides {
			if !strings.Contains(prompt, item.InitialState.of(side)) {
				return fmt.Errorf("the prompt does not name %s", item.InitialState.of(side))
			}
		}
		return nil
	})
}

// before returns where the side now at d was before the turn that brought side up.
func before(d, side direction) direction {
	up := direction{0, 0, 1}
	dot := func(a, b direction) int { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	if side[2] == -1 { // half a turn about x
		return direction{d[0], -d[1], -d[2]}
	}
	if side == up {
		return d
	}
	// A quarter turn in the plane of up and side takes side to up and up to -side.
	rest := direction{}
	for i := range rest {
		rest[i] = d[i] - dot(d, up)*up[i] - dot(d, side)*side[i]
		rest[i] += dot(d, up)*side[i] - dot(d, side)*up[i]
	}
	return rest
}

func TestColorCubeKeys(t *testing.T) {
	tasktest.Same(t, colorCubeRotation.Task(), "the wording does not matter", func(c *colorCubeItem) { c.Phrasing = (c.Phrasing + 1) % len(colorCubePhrasings) })
	tasktest.Variant(t, colorCubeRotation.Task(), "other colors", func(c *colorCubeItem, r *rng.Rand) func(string) string {
		paint := rng.Sample(r, []string{"lilac", "ocher", "teal", "plum", "ivory", "mauve", "khaki"}, len(sides))
		to := map[string]string{}
		for i, side := range sides {
			to[c.InitialState.of(side)] = paint[i]
		}
		s := c.InitialState
		c.InitialState = colors{to[s.Top], to[s.Right], to[s.Front], to[s.Left], to[s.Back], to[s.Bottom]}
		return func(answer string) string { return to[answer] }
	})
	tasktest.Variant(t, colorCubeRotation.Task(), "from another place", func(c *colorCubeItem, r *rng.Rand) func(string) string {
		by, mirrored := r.Between(0, 3), r.Chance(0.5)
		if slices.Contains(c.Rotations, "bottom") {
			by = 2 * r.Between(0, 1)
		}
		seen := func(side string) string { return seenSide(side, by, mirrored) }
		paint := map[string]string{}
		for _, side := range sides {
			paint[seen(side)] = c.InitialState.of(side)
		}
		c.InitialState = colors{paint["top"], paint["right"], paint["front"], paint["left"], paint["back"], paint["bottom"]}
		for i, side := range c.Rotations {
			c.Rotations[i] = seen(side)
		}
		c.TargetSide = seen(c.TargetSide)
		return nil
	})
	tasktest.Other(t, colorCubeRotation.Task(), "another side is another question", func(c *colorCubeItem) {
		if c.TargetSide == "top" {
			c.TargetSide = "bottom"
		}
	})
}
