package moves

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// sokoban asks for moves that push all boxes onto goals.
var sokoban = task.Spec[sokobanParams, sokobanItem]{
	Name:     "sokoban",
	Category: "games",
	Doc:      "Push all boxes of a warehouse onto goals, in no more moves than the question says. There is a solution: each warehouse was made by playing backwards from the end.",
	Source:   "Sokoban, H. Imabayashi (1982); the settings are those of reasoning-gym.",
	Version:  3,
	List:     " ",
	Default:  sokobanParams{MinW: 6, MinH: 6, MaxW: 10, MaxH: 10, MinBoxes: 4, MaxBoxes: 10, MaxDepth: 80},
	Levels: []sokobanParams{
		{MinW: 6, MinH: 6, MaxW: 7, MaxH: 7, MinBoxes: 1, MaxBoxes: 1, MaxDepth: 3},
		{MinW: 6, MinH: 6, MaxW: 8, MaxH: 8, MinBoxes: 1, MaxBoxes: 1, MaxDepth: 9},
		{MinW: 7, MinH: 7, MaxW: 9, MaxH: 9, MinBoxes: 2, MaxBoxes: 2, MaxDepth: 16},
		{MinW: 8, MinH: 8, MaxW: 10, MaxH: 10, MinBoxes: 3, MaxBoxes: 4, MaxDepth: 32},
		{MinW: 9, MinH: 9, MaxW: 12, MaxH: 12, MinBoxes: 5, MaxBoxes: 6, MaxDepth: 60},
		{MinW: 11, MinH: 11, MaxW: 13, MaxH: 13, MinBoxes: 7, MaxBoxes: 8, MaxDepth: 90},
	},
	Make: makeSokoban,
	Many: true,
}

// sokobanParams are the settings of one difficulty. A small warehouse may have too few
// boxes.
type sokobanParams struct {
	MinW     int `json:"min_w" want:"5 to 20"` // columns, including the outer walls
	MinH     int `json:"min_h" want:"5 to 20"` // rows
	MaxW     int `json:"max_w" want:"min_w to 20"`
	MaxH     int `json:"max_h" want:"min_h to 20"`
	MinBoxes int `json:"min_boxes" want:"1 to 50"`
	MaxBoxes int `json:"max_boxes" want:"min_boxes to 50"`
	MaxDepth int `json:"max_depth" want:"2 to 1000"` // limit of pushes in the known solution
}

// sokobanItem is one warehouse.
type sokobanItem struct {
	GameStr  string `json:"gamestr"` // one row per line, characters separated by spaces
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Solution string `json:"solution,omitempty"`  // moves; empty in entries of reasoning-gym
	MaxMoves int    `json:"max_moves,omitempty"` // 0: any number, as in reasoning-gym
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// The characters of a warehouse.
const (
	signPlayer       = '*'
	signPlayerOnGoal = '%'
	signBox          = '@'
	signGoal         = 'X'
	signBoxOnGoal    = '$'
	signWall         = '+'
	signFloor        = '-'
)

// A warehouse is a position of the game.
type warehouse struct {
	grid.Walled[byte]        // signWall or signFloor
	goals, boxes      []bool // by place
	player            int
}

// The moves, in the order of [grid.Walled.Steps].
const sokobanMoves = "UDLR"

// newWarehouse returns a warehouse full of wall.
func newWarehouse(rows, cols int) *warehouse {
	w := &warehouse{Walled: grid.NewWalled[byte](rows, cols, signWall), player: -1}
	w.goals, w.boxes = make([]bool, len(w.Cells)), make([]bool, len(w.Cells))
	return w
}

// free reports whether a place is floor without a box.
func (w *warehouse) free(at int) bool { return w.Cells[at] != signWall && !w.boxes[at] }

// push moves the player a step, and the box there. Into a wall, or a box that cannot move,
// it does nothing.
func (w *warehouse) push(step int) {
	to := w.player + step
	if w.Cells[to] == signWall {
		return
	}
	if w.boxes[to] {
		if !w.free(to + step) {
			return
		}
		w.boxes[to], w.boxes[to+step] = false, true
	}
	w.player = to
}

// solved reports whether all boxes are on goals.
func (w *warehouse) solved() bool {
	for at, box := range w.boxes {
		if box && !w.goals[at] {
			return false
		}
	}
	return true
}

// makeSokoban draws a warehouse with its boxes on goals, plays backwards, and accepts the
// result if the boxes have moved far enough.
func makeSokoban(p sokobanParams, r *rng.Rand) (sokobanItem, error) {
	item := sokobanItem{Width: r.Between(p.MinW, p.MaxW), Height: r.Between(p.MinH, p.MaxH), Phrasing: r.Between(0, len(sokobanPhrasings)-1)}
	const tries, goodTries = 300, 10
	for try := range tries {
		boxes := r.Between(p.MinBoxes, p.MaxBoxes)
		w := drawWarehouse(item.Height, item.Width, r)
		floor := w.floor()
		if boxes = min(boxes, len(floor)/4); boxes == 0 {
			continue
		}
		rng.ToFront(r, floor, boxes+1)
		for _, at := range floor[:boxes] {
			w.goals[at], w.boxes[at] = true, true
		}
		w.player = floor[boxes]
		back, moved := w.playBack(p.MaxDepth, r)
		if w.solved() || 3*moved < 2*boxes && try < goodTries {
			continue
		}
		slices.Reverse(back)
		for i, move := range back {
			back[i] = move ^ 1 // the opposite move
		}
		forward := make([]byte, len(back))
		for i, move := range back {
			forward[i] = sokobanMoves[move]
		}
		item.GameStr, item.Solution = w.text(), string(forward)
		item.MaxMoves = len(forward) + len(forward)/2 + 5
		return item, nil
	}
	return item, fmt.Errorf("no warehouse of %d rows and %d columns was found in %d tries", item.Height, item.Width, tries)
}

// drawWarehouse draws a room with some walls in it. Cells out of reach from most of the
// floor become wall.
func drawWarehouse(rows, cols int, r *rng.Rand) *warehouse {
	w := newWarehouse(rows, cols)
	for i := 1; i < rows-1; i++ {
		for j := 1; j < cols-1; j++ {
			if !r.Chance(0.1875) {
				w.Cells[w.At(i, j)] = signFloor
			}
		}
	}
	var largest []int
	seen := make([]bool, len(w.Cells))
	for at := range w.Cells {
		if w.free(at) && !seen[at] {
			if room := w.reach(at, seen); len(room) > len(largest) {
				largest = room
			}
		}
	}
	for at := range w.Cells {
		w.Cells[at] = signWall
	}
	for _, at := range largest {
		w.Cells[at] = signFloor
	}
	return w
}

// reach returns the reachable places, nearest first, and marks them as seen.
func (w *warehouse) reach(from int, seen []bool) []int {
	places := []int{from}
	seen[from] = true
	for k := 0; k < len(places); k++ {
		for _, step := range w.Steps() {
			if to := places[k] + step; w.free(to) && !seen[to] {
				seen[to] = true
				places = append(places, to)
			}
		}
	}
	return places
}

// floor returns the places without a wall.
func (w *warehouse) floor() (places []int) {
	for at, sign := range w.Cells {
		if sign == signFloor {
			places = append(places, at)
		}
	}
	return places
}

// A sokobanPull is a pull of a box: the player stands at a place next to the box, and moves
// away from it.
type sokobanPull struct{ at, move int }

// playBack walks to boxes and pulls them, up to most times. It returns all moves of the
// player, and the number of boxes off their goals.
func (w *warehouse) playBack(most int, r *rng.Rand) (moves []int, moved int) {
	steps := w.Steps()
	var last sokobanPull
	for range r.Between((most+1)/2, most) {
		pulls := w.pulls()
		if len(pulls) == 0 {
			break
		}
		pull := rng.Pick(r, pulls)
		if on := (sokobanPull{w.player, last.move}); slices.Contains(pulls, on) && r.Chance(0.5) {
			pull = on // the same box in the same direction
		}
		moves = append(moves, w.walk(pull.at)...)
		step := steps[pull.move]
		w.boxes[pull.at-step], w.boxes[pull.at] = false, true
		w.player = pull.at + step
		moves = append(moves, pull.move)
		last = pull
	}
	for at, box := range w.boxes {
		if box && !w.goals[at] {
			moved++
		}
	}
	return moves, moved
}

// pulls lists the pulls within the player's reach.
func (w *warehouse) pulls() (pulls []sokobanPull) {
	for _, at := range w.reach(w.player, make([]bool, len(w.Cells))) {
		for move, step := range w.Steps() {
			if w.boxes[at-step] && w.free(at+step) {
				pulls = append(pulls, sokobanPull{at, move})
			}
		}
	}
	return pulls
}

// walk moves the player to a reachable place, and returns the moves of a shortest way.
func (w *warehouse) walk(to int) (moves []int) {
	by := make([]int, len(w.Cells)) // 1 plus the move that enters the place
	queue, steps := []int{w.player}, w.Steps()
	by[w.player] = len(steps) + 1
	for k := 0; by[to] == 0; k++ {
		for move, step := range steps {
			if next := queue[k] + step; w.free(next) && by[next] == 0 {
				by[next] = move + 1
				queue = append(queue, next)
			}
		}
	}
	for at := to; at != w.player; at -= steps[by[at]-1] {
		moves = append(moves, by[at]-1)
	}
	slices.Reverse(moves)
	w.player = to
	return moves
}

// text prints the warehouse.
func (w *warehouse) text() string {
	b := make([]byte, 0, 2*w.Rows*w.Cols)
	for i := range w.Rows {
		for j := range w.Cols {
			at := w.At(i, j)
			sign := w.Cells[at]
			switch {
			case w.boxes[at] && w.goals[at]:
				sign = signBoxOnGoal
			case w.boxes[at]:
				sign = signBox
			case w.player == at && w.goals[at]:
				sign = signPlayerOnGoal
			case w.player == at:
				sign = signPlayer
			case w.goals[at]:
				sign = signGoal
			}
			b = append(b, sign, ' ')
		}
		b[len(b)-1] = '\n'
	}
	return string(b)
}

// readWarehouse reads the output of text.
func readWarehouse(text string) (*warehouse, error) {
	const most = 100 // limit of rows and of columns
	var rows []string
	for line := range strings.Lines(text) {
		if line = answer.Solid(line); line != "" {
			rows = append(rows, line)
		}
	}
	if len(rows) == 0 || len(rows) > most || len(rows[0]) > most {
		return nil, fmt.Errorf("gamestr has %d rows, want 1 to %d, as of columns", len(rows), most)
	}
	w := newWarehouse(len(rows), len(rows[0]))
	players := 0
	for i, row := range rows {
		if len(row) != w.Cols || strings.Trim(row, "*%@X$+-") != "" {
			return nil, fmt.Errorf("row %d of gamestr is %.40q, want %d of the signs * %% @ X $ + -", i+1, row, w.Cols)
		}
		for j := range len(row) {
			w.put(w.At(i, j), row[j])
		}
		players += strings.Count(row, string(signPlayer)) + strings.Count(row, string(signPlayerOnGoal))
	}
	if players != 1 {
		return nil, fmt.Errorf("gamestr has %d players, want 1", players)
	}
	return w, nil
}

// put sets a place by its character.
func (w *warehouse) put(at int, sign byte) {
	if sign != signWall {
		w.Cells[at] = signFloor
	}
	w.boxes[at] = sign == signBox || sign == signBoxOnGoal
	w.goals[at] = sign == signGoal || sign == signBoxOnGoal || sign == signPlayerOnGoal
	if sign == signPlayer || sign == signPlayerOnGoal {
		w.player = at
	}
}

// sokobanPhrasings are the wordings of the question, before and after the warehouse.
// {moves} stands for the limit of moves.
var sokobanPhrasings = [][2]string{
	{"Solve this Sokoban. The signs mean:\n* player\n% player on a goal\n@ box\n$ box on a goal\nX goal\n+ wall\n- floor\n\n",
		"\n\nThe player moves up, down, left and right, and pushes a box by walking against it if the place behind it is free. Boxes cannot be pulled, and two cannot be pushed at once. A move against a wall or against a box that is blocked changes nothing, but it counts as a move. All boxes have to be on goals after at most {moves} moves. Answer with the moves as a string of the letters U, D, L and R, for example: LLURD"},
	{"Here is the plan of a warehouse:\n\n", "\n\nA worker (*, or % where a goal is under him) has to push every box (@) onto a goal (X); a box that is on a goal already looks like this: $. He can walk over the floor (-) and over goals, but not through walls (+). When he walks into a box, it moves on by one place in the same direction, unless there is a wall or another box. If he cannot move, he stays where he is, and has used up a move all the same. He has {moves} moves. " +
		"Write his moves, U for up, D for down, L for left and R for right, as one word like UURDL, without anything else."},
	{"Which sequence of at most {moves} moves brings all boxes to the marked places?\n\n",
		"\n\nLegend: + is a wall, - an empty place, X a marked place, @ a box, $ a box on a marked place, * you, % you on a marked place.\n\nYou go one place up (U), down (D), left (L) or right (R) at a time. Going to a place with a box pushes the box ahead of you, provided that it has room. There is no pulling. If you try to go where you cannot, nothing changes, but the move counts. Reply with a string over the letters U, D, L, R, such as DDLUR."},
	{"Your answer must be a string of the letters L, R, U and D, no longer than {moves} letters. Each letter moves the man * in the picture by one place to the left, to the right, up or down. If a box (@, or $ when it stands on a goal) is in his way, he pushes it one place further, which works only if a goal or an empty place comes next. A letter for a step that is not possible has no effect, and still counts as one of the {moves}. When all is done, no box may be left that is not on a goal (X).\n\n",
		"\n\nWalls are drawn as + and empty places as -; % is the man on a goal. An answer looks like RRDLU."},
	{"Rules of the game:\n1. You (*) move by one place up, down, left or right.\n2. You may push one box (@) in the direction of your move if nothing is behind it.\n3. Walls (+) stop you and the boxes. A move that is stopped counts like any other.\n4. You win when each box is on a goal. Free goals are X, boxes on goals $, and % is you on a goal. Free places are -.\n5. You lose if that takes more than {moves} moves.\n\n",
		"\n\nHow do you win? Give your moves as letters in a row (U up, D down, L left, R right; ULLDR would be five moves), and no text."},
	{"Somebody has solved the following Sokoban level in at most {moves} moves.\n\n",
		"\n\nDo so as well. + wall, - floor, X goal, @ box, $ box on a goal, * player, % player on a goal. The player steps to neighboring places and shoves single boxes forward; a move against a wall, or against a box that is blocked, changes nothing but counts as well. The level is done when every box stands on a goal. State the moves only, as one string made of U (up), D (down), L (left) and R (right), like RUULD."},
}

func (s sokobanItem) Prompt() string {
	words, most := sokobanPhrasings[s.Phrasing], strconv.Itoa(s.MaxMoves)
	return strings.ReplaceAll(words[0], "{moves}", most) + strings.TrimRight(s.GameStr, "\n") + strings.ReplaceAll(words[1], "{moves}", most)
}

// Canonical implements [task.Canonicalizer]. The side from which the warehouse is seen does not matter.
func (s sokobanItem) Canonical() string {
	var rows [][]byte
	for line := range strings.Lines(s.GameStr) {
		if line = answer.Solid(line); line != "" {
			rows = append(rows, []byte(line))
		}
	}
	return canon.Board(rows, func(cell byte) byte { return cell }) + strconv.Itoa(s.MaxMoves)
}

// Check refuses a record with an invalid warehouse or a wrong solution.
func (s sokobanItem) Check() error {
	if _, err := readWarehouse(s.GameStr); err != nil {
		return err
	}
	if s.Solution == "" {
		return nil
	}
	return task.CheckSolution(s)
}

// Solve implements [task.Instance]. It returns "" for records without a solution.
func (s sokobanItem) Solve() string { return s.Solution }

// Score implements [task.Scorer]. Right are moves that bring all boxes onto goals, within
// the limit. It accepts small letters and ignores space between moves.
func (s sokobanItem) Score(text string) quintain.Verdict {
	w, err := readWarehouse(s.GameStr)
	if err != nil {
		return quintain.Malformed(err.Error()) // Check has not seen this record
	}
	moves, steps := 0, w.Steps()
	for _, c := range text {
		if answer.Space(c) || c == ',' {
			continue
		}
		move := strings.IndexRune(sokobanMoves, c&^0x20)
		if move < 0 {
			return quintain.Malformed(fmt.Sprintf("%q is not one of the moves U, D, L and R", c))
		}
		if moves++; s.MaxMoves > 0 && moves > s.MaxMoves {
			return quintain.Wrong(fmt.Sprintf("there are more than %d moves", s.MaxMoves))
		}
		w.push(steps[move])
	}
	switch {
	case moves == 0:
		return quintain.Malformed("the answer has no moves")
	case !w.solved():
		return quintain.Wrong("a box is not on a goal")
	}
	return quintain.Right()
}
