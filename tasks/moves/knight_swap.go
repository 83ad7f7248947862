package moves

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// knightSwap asks how knights of two colors exchange their places.
var knightSwap = task.Spec[knightParams, knightItem]{
	Name:     "knight_swap",
	Category: "games",
	Doc: "Move white and black knights in turn until they have exchanged places, on a board with gaps, or say that it is impossible. " +
		"A search of all positions decides. Any moves that get there are right.",
	Source:  "Guarini's puzzle (1512) on other boards; the settings are those of reasoning-gym.",
	Version: 3,
	List:    answer.AsJSON,
	Default: knightParams{MinNodes: 6, MaxNodes: 9, MinPieces: 2, MaxPieces: 2, MinSteps: 4, MaxSteps: 20, MaxAttempts: 100, ImpossibleRatio: 0.2},
	Levels: []knightParams{
		{MinNodes: 6, MaxNodes: 7, MinPieces: 1, MaxPieces: 1, MinSteps: 2, MaxSteps: 6, MaxAttempts: 100, ImpossibleRatio: 0.1},
		{MinNodes: 6, MaxNodes: 8, MinPieces: 1, MaxPieces: 1, MinSteps: 5, MaxSteps: 14, MaxAttempts: 100, ImpossibleRatio: 0.1},
		{MinNodes: 7, MaxNodes: 9, MinPieces: 2, MaxPieces: 2, MinSteps: 6, MaxSteps: 12, MaxAttempts: 100, ImpossibleRatio: 0.1},
		{MinNodes: 8, MaxNodes: 9, MinPieces: 2, MaxPieces: 2, MinSteps: 12, MaxSteps: 30, MaxAttempts: 100, ImpossibleRatio: 0.1},
		{MinNodes: 9, MaxNodes: 9, MinPieces: 3, MaxPieces: 3, MinSteps: 12, MaxSteps: 60, MaxAttempts: 100, ImpossibleRatio: 0.1},
	},
	Few:  []string{"There are few boards of six or seven squares with one knight of each color."},
	Make: makeKnights,
	Many: true,
}

// knightParams are the settings of one difficulty.
type knightParams struct {
	MinNodes        int     `json:"min_nodes" want:"6 to 12"` // squares of the board
	MaxNodes        int     `json:"max_nodes" want:"min_nodes to 12"`
	MinPieces       int     `json:"min_pieces" want:"1 or more"` // knights of each color
	MaxPieces       int     `json:"max_pieces" want:"min_pieces or more"`
	MinSteps        int     `json:"min_steps" want:"1 to 1000"` // moves of a shortest solution
	MaxSteps        int     `json:"max_steps" want:"min_steps to 1000"`
	MaxAttempts     int     `json:"max_attempts" want:"1 to 10000"` // rounds of drawing boards until one fits
	ImpossibleRatio float64 `json:"impossible_ratio" want:"0 to 1"` // share of problems without a solution
}

const (
	mostSquares   = 12
	squareRows    = 4 // rows of the board that squares are taken from
	squareCols    = 5
	boardsATry    = 10 // boards drawn in each attempt
	mostAttempts  = 10_000
	mostPositions = 4000 // limit of positions searched while making a problem
)

// Check refuses what no tag does.
func (p knightParams) Check() error {
	return task.Within("max_pieces", p.MaxPieces, p.MinPieces, (p.MinNodes-1)/2)
}

// knightItem is one board. Its squares have names such as B3: column B, row 3.
type knightItem struct {
	Board       map[string][]string  `json:"board"`                  // the squares a knight's move away; some may be missing in entries of reasoning-gym
	Pieces      map[string]*string   `json:"pieces" want:"1 to 16"`  // by square: "w", "B", or nil if it is empty
	StartTurn   string               `json:"start_turn" oneof:"w B"` // "w" or "B"
	Solution    [][3]string          `json:"solution"`               // moves: color, from, to; nil if there are none
	IsPossible  bool                 `json:"is_possible"`
	NumSteps    int                  `json:"num_steps"`
	BoardStates []map[string]*string `json:"board_states,omitempty"` // from reasoning-gym; not used
	Phrasing    int                  `json:"phrasing,omitempty" want:"0 to 5"`
}

// A knightBoard is a set of squares as bits, in the order of their names.
type knightBoard struct {
	names []string
	near  []uint16 // by square: the squares a knight's move away
}

// newKnightBoard returns the board of squares with these names; it sorts names.
func newKnightBoard(names []string) *knightBoard {
	slices.Sort(names)
	b := &knightBoard{names, make([]uint16, len(names))}
	for i, from := range names {
		for j, to := range names {
			across, up := int(from[0])-int(to[0]), int(from[1])-int(to[1])
			if across*across+up*up == 5 {
				b.near[i] |= 1 << j
			}
		}
	}
	return b
}

// A knightPosition is the places of the knights of each color, and whose turn it is: 0 for
// white, 1 for black.
type knightPosition struct {
	knights [2]uint16
	turn    uint8
}

// move returns the position after a legal move.
func (p knightPosition) move(from, to int) knightPosition {
	p.knights[p.turn] ^= 1<<from | 1<<to
	p.turn ^= 1
	return p
}

// A knightStep is a position reached in a search.
type knightStep struct {
	position knightPosition
	before   int32 // index of the step before, in the queue
	from, to int8
}

// swap searches breadth first for the fewest moves that exchange the knights, or returns
// nil if there are none. A limit above 0 bounds the positions it searches; ok reports that
// these were enough.
func (b *knightBoard) swap(start knightPosition, limit int) (moves [][2]int, ok bool) {
	queue, seen := []knightStep{{position: start}}, map[knightPosition]bool{start: true}
	var steps []knightStep
	for k := 0; k < len(queue); k++ {
		if now := queue[k].position; now.knights[0] == start.knights[1] && now.knights[1] == start.knights[0] {
			for ; k > 0; k = int(queue[k].before) {
				moves = append(moves, [2]int{int(queue[k].from), int(queue[k].to)})
			}
			slices.Reverse(moves)
			return moves, true
		}
		if limit > 0 && k == limit {
			return nil, false
		}
		steps = b.next(queue[k].position, steps[:0])
		for _, next := range steps {
			if !seen[next.position] {
				seen[next.position] = true
				next.before = int32(k)
				queue = append(queue, next)
			}
		}
	}
	return nil, true
}

// next appends the positions after each possible move.
func (b *knightBoard) next(now knightPosition, steps []knightStep) []knightStep {
	for own := now.knights[now.turn]; own != 0; own &= own - 1 {
		from := bits.TrailingZeros16(own)
		for free := b.near[from] &^ (now.knights[0] | now.knights[1]); free != 0; free &= free - 1 {
			to := bits.TrailingZeros16(free)
			steps = append(steps, knightStep{position: now.move(from, to), from: int8(from), to: int8(to)})
		}
	}
	return steps
}

// makeKnights draws boards until one has a solution of the right length, or none if the
// problem is to have none.
func makeKnights(p knightParams, r *rng.Rand) (knightItem, error) {
	impossible := r.Chance(p.ImpossibleRatio)
	phrasing := r.Between(0, len(knightPhrasings)-1)
	for range p.MaxAttempts * boardsATry {
		board := newKnightBoard(drawSquares(r.Between(p.MinNodes, p.MaxNodes), r))
		position := knightPosition{turn: uint8(r.Between(0, 1))}
		squares := make([]int, len(board.names))
		for i := range squares {
			squares[i] = i
		}
		pieces := r.Between(p.MinPieces, p.MaxPieces)
		rng.ToFront(r, squares, 2*pieces)
		for i, square := range squares[:2*pieces] {
			position.knights[i%2] |= 1 << square
		}
		moves, ok := board.swap(position, mostPositions)
		if !ok || impossible != (moves == nil) || !impossible && (len(moves) < p.MinSteps || len(moves) > p.MaxSteps) {
			continue
		}
		item := board.item(position, moves)
		item.Phrasing = phrasing
		return item, nil
	}
	return knightItem{}, fmt.Errorf("no board that takes min_steps (%d) to max_steps (%d) moves was found in max_attempts (%d)", p.MinSteps, p.MaxSteps, p.MaxAttempts)
}

// drawSquares draws squares connected by knight's moves.
func drawSquares(n int, r *rng.Rand) []string {
	square := func(col, row int) string { return string([]byte{'A' + byte(col), '1' + byte(row)}) }
	jumps := [8][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}
	names, cells := make([]string, 0, n), make([][2]int, 0, n)
	for len(names) < n {
		cell := [2]int{r.Between(0, squareCols-1), r.Between(0, squareRows-1)}
		if len(cells) > 0 {
			from, jump := rng.Pick(r, cells), rng.Pick(r, jumps[:])
			cell = [2]int{from[0] + jump[0], from[1] + jump[1]}
		}
		inside := cell[0] >= 0 && cell[0] < squareCols && cell[1] >= 0 && cell[1] < squareRows
		if inside && !slices.Contains(cells, cell) {
			names, cells = append(names, square(cell[0], cell[1])), append(cells, cell)
		}
	}
	return names
}

// knightColors are the names of the colors.
var knightColors = [2]string{"w", "B"}

// item writes a board, a position and the moves from it as a record.
func (b *knightBoard) item(start knightPosition, moves [][2]int) knightItem {
	item := knightItem{Board: map[string][]string{}, Pieces: map[string]*string{}, StartTurn: knightColors[start.turn], IsPossible: moves != nil, NumSteps: len(moves)}
	for i, name := range b.names {
		item.Board[name], item.Pieces[name] = []string{}, nil
		for near := b.near[i]; near != 0; near &= near - 1 {
			item.Board[name] = append(item.Board[name], b.names[bits.TrailingZeros16(near)])
		}
		for color, knights := range start.knights {
			if knights>>i&1 == 1 {
				item.Pieces[name] = &knightColors[color]
			}
		}
	}
	turn := start.turn
	for _, move := range moves {
		item.Solution = append(item.Solution, [3]string{knightColors[turn], b.names[move[0]], b.names[move[1]]})
		turn ^= 1
	}
	return item
}

// start returns the board and the position of the record.
func (k knightItem) start() (*knightBoard, knightPosition) {
	b := newKnightBoard(slices.Collect(maps.Keys(k.Pieces)))
	var p knightPosition
	if k.StartTurn == knightColors[1] {
		p.turn = 1
	}
	for i, name := range b.names {
		if color := k.Pieces[name]; color != nil {
			p.knights[slices.Index(knightColors[:], *color)] |= 1 << i
		}
	}
	return b, p
}

// knightPhrasings are the wordings of the question, before and after the board. {first}
// and {second} are the colors in the order of their turns.
var knightPhrasings = [][2]string{
	{"White knights (w) and black knights (B) stand on this board. Squares with a dot are empty, and where nothing is printed there is no square.\n\n",
		"\n\nThe knights are to change places: every square that has a white knight now must have a black one in the end, and the other way round. {first} makes the first move; after that, the colors take turns. A knight moves as in chess, two squares in one direction and one to the side, over whatever is in between, and may only go to an empty square of the board. " +
			"Answer with a JSON list of the moves, each written as color,from,to, for example [\"w,A1,B3\", \"B,C1,A2\"]. If it cannot be done, answer No."},
	{"Here is a board for chess knights:\n\n", "\n\nIn the picture, w is a white knight, B a black knight, and . an empty square; all other places are not part of the board. Can the white and the black knights exchange their places if white and black move by turns, {first} first, and no knight is ever taken? They move in the shape of an L, as chess knights do, to empty squares only. " +
		"If yes, reply with the moves as a JSON list of strings like \"B,C3,A2\" (the color, w or B; the square that is left; the square that is entered). If not, reply with the word No."},
	{"Find moves by which the knights of both colors swap their positions, or find out that there are none.\n\n",
		"\n\nColumns have letters, rows have numbers. A square is empty (.), or a white (w) or a black knight (B) stands on it.\n- {first} begins, and then the two colors alternate.\n- Each move is a knight's move of chess to an empty square.\n- At the end, white stands on exactly the squares where black stood, and black where white stood.\n\n" +
			"Write a JSON list with one string for each move, in the form [\"w,B1,C3\", …], or No if there is no way."},
	{"A puzzle with knights: those marked w and those marked B want to trade places. Each turn one of them jumps to a free square (.), one step along a row or column and two steps along the other. {first} has the first turn, {second} the second, and so on by turns. Blank places do not belong to the board.\n\n",
		"\n\nGive the jumps in their order, as a JSON list. A jump from D2 to B1 by a black knight is \"B,D2,B1\"; one by a white knight begins with w. Any list that ends with all knights exchanged is fine, however long it is. If none does, the answer is No."},
	{"Your answer is either a JSON list of moves, such as [\"B,A3,C2\", \"w,B1,A3\"], or the word No. The question: how do the knights on the following board change sides?\n\n",
		"\n\nw: white knight. B: black knight. Dot: empty square. A knight goes to an empty square that lies two squares away in one direction and one in the other. It is {first}'s turn, and no color moves twice in a row. When you are done, the set of squares with white knights must be the set that had black ones, and vice versa. Say No only if it is impossible."},
	{"Start:\n\n", "\n\nGoal: the same picture with every w replaced by B and every B by w. You may use only moves of a chess knight to free squares (.), in which white (w) and black (B) alternate. {first} moves first. Spell out the moves as strings \"color,from,to\" in one JSON list, for instance [\"w,C2,A1\"]. Should the goal be out of reach, write No instead."},
}

func (k knightItem) Prompt() string {
	first, second := "White", "Black"
	if k.StartTurn == knightColors[1] {
		first, second = second, first
	}
	words := knightPhrasings[k.Phrasing]
	fill := strings.NewReplacer("{first}", first, "{second}", second)
	return fill.Replace(words[0]) + k.picture() + fill.Replace(words[1])
}

// picture draws the board, with its top row first.
func (k knightItem) picture() string {
	top, right := byte('1'), byte('A')
	for name := range k.Pieces {
		right, top = max(right, name[0]), max(top, name[1])
	}
	ruler := "  " + strings.Repeat("+---", int(right-'A')+1) + "+\n"
	b := []byte(ruler)
	for row := top; row >= '1'; row-- {
		b = append(b, row, ' ')
		for col := byte('A'); col <= right; col++ {
			b = append(b, '|', ' ', k.sign(string([]byte{col, row})), ' ')
		}
		b = append(append(b, "|\n"...), ruler...)
	}
	b = append(b, "  "...)
	for col := byte('A'); col <= right; col++ {
		b = append(b, ' ', ' ', col, ' ')
	}
	return strings.TrimRight(string(b), " ")
}

// sign returns the character for a square in the picture.
func (k knightItem) sign(name string) byte {
	color, ok := k.Pieces[name]
	switch {
	case !ok:
		return ' '
	case color == nil:
		return '.'
	}
	return (*color)[0]
}

// Canonical implements [task.Canonicalizer]: which squares are a knight's move apart, and where the
// knights stand that move first, and the others. Neither the colors matter nor the names of the squares.
func (k knightItem) Canonical() string {
	const empty, first, second = 0, 1, 2
	var g canon.Graph
	board, start := k.start()
	for i := range board.names {
		switch {
		case start.knights[start.turn]>>i&1 == 1:
			g.Node(first)
		case start.knights[1-start.turn]>>i&1 == 1:
			g.Node(second)
		default:
			g.Node(empty)
		}
		for j := range i {
			if board.near[i]>>j&1 == 1 {
				g.Join(i, j, 0)
			}
		}
	}
	return g.Key()
}

// Check refuses a record unless it is a board with equally many knights of both colors and
// a right solution.
func (k knightItem) Check() error {
	count := map[string]int{}
	for name, color := range k.Pieces {
		if len(name) != 2 || name[0] < 'A' || name[0] > 'Z' || name[1] < '1' || name[1] > '9' {
			return fmt.Errorf("pieces has %.20q, want squares from A1 to Z9", name)
		}
		if color == nil {
			continue
		}
		if count[*color]++; !slices.Contains(knightColors[:], *color) {
			return fmt.Errorf("pieces has a knight of the color %.20q, want w or B", *color)
		}
	}
	if count["w"] != count["B"] || count["w"] == 0 {
		return fmt.Errorf("there are %d white knights and %d black ones, want equally many", count["w"], count["B"])
	}
	if len(k.Solution) == 0 {
		return nil
	}
	return task.CheckSolution(k)
}

// whole reports whether the record has every knight's move on its board. If it lacks some,
// it may wrongly claim that there is no solution.
func (k knightItem) whole(b *knightBoard) bool {
	for i, name := range b.names {
		if len(k.Board[name]) != bits.OnesCount16(b.near[i]) {
			return false
		}
	}
	return true
}

// possible reports whether there is a solution.
func (k knightItem) possible() bool {
	board, start := k.start()
	if k.IsPossible || k.whole(board) {
		return k.IsPossible
	}
	moves, _ := board.swap(start, 0)
	return moves != nil
}

// noSwap is the answer if there is no solution.
const noSwap = "No"

func (k knightItem) Solve() string {
	if len(k.Solution) == 0 {
		board, start := k.start()
		if k.whole(board) {
			return noSwap
		}
		moves, _ := board.swap(start, 0)
		k.Solution = board.item(start, moves).Solution
	}
	if len(k.Solution) == 0 {
		return noSwap
	}
	texts := make([]string, len(k.Solution))
	for i, move := range k.Solution {
		texts[i] = `"` + strings.Join(move[:], ",") + `"`
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// Score implements [task.Scorer]. Right are legal moves that exchange the knights, or No,
// in either case, if there are none.
func (k knightItem) Score(text string) quintain.Verdict {
	text = answer.Trim(text)
	const longestNo = 4 // with a full stop
	if len(text) < longestNo && strings.EqualFold(strings.TrimSuffix(text, "."), noSwap) {
		if k.possible() {
			return quintain.Wrong("there is a solution")
		}
		return quintain.Right()
	}
	v, err := answer.ReadJSON(text)
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("the answer is neither No nor a JSON list: %v", err))
	}
	list, ok := answer.Texts(v)
	if !ok {
		return quintain.Malformed("the answer is not a list of texts")
	}
	board, start := k.start()
	now := start
	for i, move := range list {
		from, to, fault := board.readMove(move, now)
		if fault != "" {
			return quintain.Wrong(fmt.Sprintf("move %d, %.40q: %s", i+1, move, fault))
		}
		now = now.move(from, to)
	}
	if now.knights[0] != start.knights[1] || now.knights[1] != start.knights[0] {
		return quintain.Wrong("the knights have not changed places")
	}
	return quintain.Right()
}

// readMove reads a move such as "w,A1,B3", with or without spaces. fault describes an
// illegal one.
func (b *knightBoard) readMove(text string, now knightPosition) (from, to int, fault string) {
	parts := strings.Split(text, ",")
	if len(parts) != 3 {
		return 0, 0, "want color,from,to"
	}
	square := func(name string) int { return slices.Index(b.names, strings.ToUpper(answer.Trim(name))) }
	from, to = square(parts[1]), square(parts[2])
	switch color := answer.Trim(parts[0]); {
	case !strings.EqualFold(color, knightColors[now.turn]):
		return 0, 0, "it is the turn of " + knightColors[now.turn]
	case from < 0 || to < 0:
		return 0, 0, "there is no such square"
	case now.knights[now.turn]>>from&1 == 0:
		return 0, 0, "no knight of that color is there"
	case (now.knights[0]|now.knights[1])>>to&1 == 1:
		return 0, 0, "the square is not empty"
	case b.near[from]>>to&1 == 0:
		return 0, 0, "that is not a knight's move"
	}
	return from, to, ""
}
