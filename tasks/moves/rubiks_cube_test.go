package moves

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRubiksScore(t *testing.T) {
	tasktest.Nears(t, rubiksItem{Size: 3, Moves: "R U"}.Score, []tasktest.Near{
		{"U' R'", 1, ""}, {"U'R'", 0, "moves without space between them"}, {"U', R'.", 1, "commas and a full stop are free"}, {"U3 R’", 1, "three turns for one back, and another apostrophe"},
		{"U U U R' R' R'2 R'4", 0, "one turn too far"}, {"U U2 R2 R", 1, "the same in other moves"}, {"x U' R' y", 0, "the cube is held in another way, so that other layers turn"},
		{"Y U' F' Z", 1, "held in another way, with the right layers"}, {"U' R' x", 1, "solved, and held in another way"},
		{"R' U'", 0, "in the wrong order"}, {"U R", 0, "the wrong way round"}, {"U'", 0, "one move of two"}, {"U' R R' R'", 1, "a move and its opposite are harmless"},
		{"U' R' Q", 0, "no move: reasoning-gym ignores it"}, {"The answer is U' R'", 0, "a sentence"}, {"U''", 0, "two apostrophes"}, {"u' r'", 0, "small letters, which mean two layers to some"}, {"9R", 0, "no such layer"},
		{"R1000000000000", 0, "no number of this world"}, {"U4", 0, "nothing is done"}, {"", 0, "nothing"}, {".", 0, ""}, {"2", 0, ""}, {"w", 0, ""}, {"Xw", 0, ""}, {"2M", 0, ""},
	})
	tasktest.Nears(t, rubiksItem{Size: 4, Moves: "2R Uw2"}.Score, []tasktest.Near{
		{"Uw2 2R'", 1, "an inner layer by its number"}, {"Uw2 Rw' R", 1, "or by two layers and one back"}, {"2Uw2 3L", 1, "from the other side"}, {"Uw2 R'", 0, "the outer layer"}, {"Uw2 M", 0, "an even cube has no middle layer"},
	})
	tasktest.RefusedRecords(t, rubiksCube.Task(), []string{
		`{"cube_size":1,"scramble_moves":"U"}`, `{"cube_size":7,"scramble_moves":"U"}`, `{"cube_size":3,"scramble_moves":""}`, `{"cube_size":3,"scramble_moves":"U V"}`,
		`{"cube_size":3,"scramble_moves":"` + strings.Repeat("U ", 1003) + `"}`, `{"cube_size":3,"scramble_moves":"U","phrasing":6}`,
	})
}

// Sequences known to lead back to the start, and no earlier.
func TestKnownOrders(t *testing.T) {
	for _, c := range []struct {
		size  int
		moves string
		order int
	}{
		{3, "R U R' U'", 6}, {3, "R U", 105}, {3, "R U2 D' B D'", 1260}, {3, "R U R' U' R' F R2 U' R' U' R U R' F'", 2}, {3, "M2 E2 S2", 2}, {3, "R' L X M", 1},
		{2, "R U", 15}, {2, "R U R' U'", 6}, {4, "Rw U", 240}, {4, "2R2 B2 U2 Lw U2 Rw' U2 Rw U2 F2 Rw F2 Lw' B2 2R2", 2}, {5, "M", 4},
	} {
		turns, err := readTurns(c.moves, c.size)
		if err != nil {
			t.Fatal(err)
		}
		cube, order := scrambled(c.size, turns), 1
		for ; !cube.solved() && order < 3000; order++ {
			for _, turn := range turns {
				cube.turn(turn)
			}
		}
		if order != c.order {
			t.Errorf("%s has order %d with %d layers, want %d", c.moves, order, c.size, c.order)
		}
	}
}

// A place is the position of a sticker in space, in half pieces from the center: x to the
// right, y up, z to the front. The coordinate that is n or -n tells the face.
type place [3]int

// placesOf returns the positions of a face's stickers, by row.
func placesOf(face string, n int) (places []place) {
	m := n - 1
	for i := range n * n {
		r, c := 2*(i/n)-m, 2*(i%n)-m
		places = append(places, map[string]place{
			"up": {c, n, r}, "down": {c, -n, -r}, "front": {c, -r, n}, "back": {-c, -r, -n}, "right": {n, -r, -c}, "left": {-n, -r, c},
		}[face])
	}
	return places
}

// shown reads the stickers in a prompt.
func shown(prompt string, n int) (stickers map[place]byte, faces int) {
	stickers = map[place]byte{}
	order := map[bool][]string{true: {"up", "left", "front", "right", "back", "down"}, false: {"up", "down", "left", "right", "front", "back"}}[!strings.Contains(prompt, "\nup:\n")]
	count := map[string]int{}
	face := 0
	for line := range strings.Lines(prompt) {
		cells := strings.Fields(line)
		if len(cells) == 0 || strings.Trim(line, "WYORGB \n") != "" {
			continue
		}
		for j, cell := range cells {
			name := order[face+j/n]
			stickers[placesOf(name, n)[count[name]]] = cell[0]
			if count[name]++; count[name] == n*n {
				faces++
			}
		}
		if count[order[face]] == n*n {
			face += len(cells) / n
		}
	}
	return stickers, faces
}

var turnRE = regexp.MustCompile(`^([UDLRFB])(w?)(['2]?)$`)

// turned turns layers through space, about the axis that points out of a face: the
// component along the axis stays, and the rest moves along the cross product of the two.
func turned(stickers map[place]byte, n int, move string) (map[place]byte, error) {
	parts := turnRE.FindStringSubmatch(move)
	if parts == nil {
		return nil, fmt.Errorf("%q is not a move", move)
	}
	a := map[string]place{"U": {0, 1, 0}, "D": {0, -1, 0}, "R": {1, 0, 0}, "L": {-1, 0, 0}, "F": {0, 0, 1}, "B": {0, 0, -1}}[parts[1]]
	for range map[string]int{"": 1, "2": 2, "'": 3}[parts[3]] {
		next := map[place]byte{}
		for p, color := range stickers {
			along := a[0]*p[0] + a[1]*p[1] + a[2]*p[2]
			if along < n-1-2*len(parts[2]) {
				next[p] = color
				continue
			}
			next[place{
				a[0]*along - (a[1]*p[2] - a[2]*p[1]),
				a[1]*along - (a[2]*p[0] - a[0]*p[2]),
				a[2]*along - (a[0]*p[1] - a[1]*p[0]),
			}] = color
		}
		stickers = next
	}
	return stickers, nil
}

// The second solver folds the picture in the prompt into a cube in space, and turns it
// there.
func TestRubiksSecond(t *testing.T) {
	tasktest.Second(t, rubiksCube.Task(), 1400, func(item rubiksItem, prompt, got string) error {
		n := item.Size
		stickers, faces := shown(prompt, n)
		if len(stickers) != 6*n*n || faces != 6 {
			return fmt.Errorf("the prompt shows %d stickers and %d faces", len(stickers), faces)
		}
		for _, move := range strings.Fields(got) {
			var err error
			if stickers, err = turned(stickers, n, move); err != nil {
				return err
			}
		}
		for _, name := range []string{"up", "down", "left", "right", "front", "back"} {
			places := placesOf(name, n)
			for _, p := range places {
				if stickers[p] != stickers[places[0]] {
					return fmt.Errorf("the %s face has several colors after %s", name, got)
				}
			}
		}
		if len(strings.Fields(got)) != item.Steps {
			return fmt.Errorf("%s has not %d moves", got, item.Steps)
		}
		return nil
	})
}

func TestRubiksKeys(t *testing.T) {
	tasktest.Same(t, rubiksCube.Task(), "equivalent turns make no difference", func(c *rubiksItem) { c.Moves += " U U3" })
	tasktest.Variant(t, rubiksCube.Task(), "held otherwise, in other colors", func(c *rubiksItem, r *rng.Rand) func(string) string {
		before, after := heldAtRandom(r), heldAtRandom(r)
		c.Moves = turnsText(before) + " " + c.Moves + " " + turnsText(after)
		slices.Reverse(after)
		for i := range after {
			after[i].quarters = 4 - after[i].quarters
		}
		return func(answer string) string { return turnsText(after) + " " + answer }
	})
	tasktest.Variant(t, rubiksCube.Task(), "in a mirror", func(c *rubiksItem, _ *rng.Rand) func(string) string {
		mirrored := func(text string) string {
			turns, err := readTurns(text, c.Size)
			if err != nil {
				t.Fatal(err)
			}
			for i, turn := range turns {
				if turn.whole && turn.face == right {
					continue
				}
				if turn.face == left || turn.face == right {
					turns[i].face = left + right - turn.face
				}
				turns[i].quarters = 4 - turn.quarters
			}
			return turnsText(turns)
		}
		c.Moves = mirrored(c.Moves)
		return mirrored
	})
	tasktest.Other(t, rubiksCube.Task(), "another turn", func(c *rubiksItem) {
		if c.Steps == 1 {
			c.Moves += " U D2 F"
		}
	})
}

// At every level, a few turns solve the cube: a policy that looks a few turns ahead earns
// something.
func TestRubiksIsWithinReach(t *testing.T) {
	tasktest.Every(t, rubiksCube.Task(), 500, func(item rubiksItem, _, got string) error {
		if n := len(strings.Fields(got)); n > 7 {
			return fmt.Errorf("%d turns solve it, want at most 7", n)
		}
		return nil
	})
}
