package moves

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// rushHour asks for moves that bring the red car to the exit.
var rushHour = task.Spec[rushParams, rushItem]{
	Name:     "rush_hour",
	Category: "games",
	Doc: "Slide cars and trucks out of the way of the red car, which has to reach the exit. Any number of moves will do, but each must be possible. " +
		"The number of moves of a shortest solution is exact. Problems with fewer moves are later positions of the same boards.",
	Source:  "Rush Hour, N. Yoshigahara (1996); boards made by tasks/moves/rushgen of this project; the settings are those of reasoning-gym.",
	Version: 3,
	List:    " ",
	Default: rushParams{MinMoves: 1, MaxMoves: 50},
	Levels: []rushParams{
		{MinMoves: 2, MaxMoves: 3},
		{MinMoves: 4, MaxMoves: 7},
		{MinMoves: 8, MaxMoves: 11},
		{MinMoves: 12, MaxMoves: 16},
		{MinMoves: 17, MaxMoves: 23},
		{MinMoves: 24, MaxMoves: 50},
	},
	Make: makeRush,
	Many: true,
}

// rushParams are the settings of one difficulty: the number of moves of a shortest
// solution. A move slides one piece, by any number of cells.
type rushParams struct {
	MinMoves int `json:"min_moves" want:"1 to 46"`
	MaxMoves int `json:"max_moves" want:"min_moves or more"` // the boards may not reach it
}

// rushHardest is the number of moves of the hardest boards.
const rushHardest = 46

// rushItem is one board.
type rushItem struct {
	BoardConfig string `json:"board_config"` // as readRush reads it
	MinMoves    int    `json:"min_moves"`
	Solution    string `json:"solution,omitempty"` // empty in entries of reasoning-gym
	Phrasing    int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeRush draws a game that is long enough, and plays a shortest solution of it until the
// wanted number of moves is left. The rest of a shortest solution is shortest too.
func makeRush(p rushParams, r *rng.Rand) (rushItem, error) {
	game := rng.Pick(r, rushFrom(p.MinMoves))
	moves := game.all()
	left := r.Between(p.MinMoves, min(p.MaxMoves, len(moves)))
	board, err := readRush(game.cells)
	if err != nil {
		return rushItem{}, err
	}
	for _, move := range moves[:len(moves)-left] {
		board.slide(move.piece, move.by)
	}
	var letters [rushPieces]byte
	for i := range board.n {
		letters[i] = 'A' + byte(i)
	}
	rng.Shuffle(r, letters[1:board.n])
	return rushItem{
		BoardConfig: board.text(game.cells, &letters), MinMoves: left,
		Solution: rushText(moves[len(moves)-left:], &letters),
		Phrasing: r.Between(0, len(rushPhrasings)-1),
	}, nil
}

// text writes the board, with a letter for each piece. cells, which it was read from, has
// the walls.
func (b *rushBoard) text(cells string, letters *[rushPieces]byte) string {
	var text [rushCells]byte
	for i := range text {
		text[i] = rushEmpty
		if cells[i] == rushWall {
			text[i] = rushWall
		}
	}
	for i, p := range b.pieces[:b.n] {
		for k := range p.size {
			text[p.at+k*p.step] = letters[i]
		}
	}
	return string(text[:])
}

// rushText writes moves, with a letter for each piece.
func rushText(moves []rushMove, letters *[rushPieces]byte) string {
	b := make([]byte, 0, len(" B+1")*len(moves))
	for _, move := range moves {
		b = append(b, ' ', letters[move.piece], "-+"[task.Bit(move.by > 0)])
		b = strconv.AppendInt(b, int64(max(move.by, -move.by)), 10)
	}
	return string(b[1:])
}

// rushPhrasings are the wordings of the question, before and after the board.
var rushPhrasings = [][2]string{
	{"Bring the red car, A, to the exit at the right end of its row.\n\n",
		"\n\nEach letter is a car or a truck, a dot is an empty cell, and x is a wall. A vehicle that lies across moves only to the left and right, one that stands upright only up and down, and none can jump over another vehicle or a wall. Write a move as the letter, a sign and the number of cells: + is right or down, - is left or up. Put spaces between the moves, as in B-1 D+2 A+1."},
	{"A parking lot is so full that car A cannot drive out:\n\n",
		"\n\nThe way out is at the right, at the end of A's row. Vehicles (two or three equal letters in a line) roll forwards and backwards in the direction of their line but never sideways, and they need free cells (.) to do so; x marks pillars. Which moves bring A to the last two cells of its row? Give them in order, separated by spaces. C+2 moves C by two cells to the right, or down if it stands upright, and C-2 to the left or up."},
	{"Answer with a list of moves such as \"F+1 C-3 A+2\" and nothing else. The letter says which vehicle moves, the number how many cells, and the sign which way: + for right and down, - for left and up. " +
		"After the last move, the vehicle A must touch the right edge of this board:\n\n",
		"\n\nVehicles keep to the row or column in which they lie. All cells that one passes over have to be empty (shown as a dot); x cells never are."},
	{"Rules:\n- The board has six rows and six columns. Equal letters form one vehicle, dots are free and x is blocked.\n- In one move, a vehicle slides along its own line by one cell or more. All cells on the way must be free.\n- The game is won when vehicle A stands in the two rightmost cells of its row.\n\nPosition:\n\n",
		"\n\nHow can the game be won? Reply with the moves alone, with a space between them. Each is a letter, + or -, and a number of cells, for example E-2. Plus means to the right or downwards, minus to the left or upwards."},
	{"In the traffic jam below, clear the way for the red car AA, and let it drive as far to the right as it can.\n\n",
		"\n\nYou may slide any vehicle along the line of its letters, forwards or backwards, as long as nothing is in its way: dots are open road, x is a barrier. For each move, state the vehicle and by how many cells it goes to the right or down (+), or to the left or up (-). The whole answer is one line like D+1 B-2 A+3."},
	{"Six by six cells hold some cars (two cells), trucks (three cells) and perhaps barriers (x):\n\n",
		"\n\nThey block the ambulance A, which has to get to the right end of its row. Find out which vehicles have to make room, how far and in which order. A vehicle stays in its line, and can only enter cells that are empty (.). Note a slide to the right or down by 2 cells of vehicle G as G+2, and one to the left or up as G-2; separate the slides by spaces, and leave out everything else."},
}

func (s rushItem) Prompt() string {
	words := rushPhrasings[s.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	for at := range rushCells {
		c := s.BoardConfig[at]
		if c == rushEmpty {
			c = '.'
		}
		b = append(b, c, " \n"[task.Bit(at%rushSide == rushSide-1)])
	}
	return string(append(b[:len(b)-1], words[1]...))
}

// Canonical implements [task.Canonicalizer]: the board, with letters in the order of the
// pieces' first cells, row by row. It is seen from one side only: the exit is in the third of six rows.
func (s rushItem) Canonical() string {
	var names [256]byte
	names[rushEmpty], names['.'], names[rushWall], names['A'] = rushEmpty, rushEmpty, rushWall, 'A'
	next, b := byte('B'), []byte(s.BoardConfig)
	for i, c := range b {
		if names[c] == 0 {
			names[c], next = next, next+1
		}
		b[i] = names[c]
	}
	return string(b)
}

// Check refuses a record with an invalid board or a wrong solution.
func (s rushItem) Check() error {
	if _, err := readRush(s.BoardConfig); err != nil {
		return err
	}
	if s.Solution == "" {
		return nil
	}
	return task.CheckSolution(s)
}

// Solve implements [task.Instance]. It returns "" for records without a solution.
func (s rushItem) Solve() string { return s.Solution }

// Score implements [task.Scorer]. Right are possible moves that bring the red car to the
// exit. It accepts small letters, and commas between moves.
func (s rushItem) Score(text string) quintain.Verdict {
	board, err := readRush(s.BoardConfig)
	if err != nil {
		return quintain.Malformed(err.Error()) // Check has not seen this record
	}
	n := 0
	for {
		text = strings.TrimLeftFunc(text, func(c rune) bool { return c == ',' || answer.Space(c) })
		if text == "" {
			break
		}
		move, rest, read := cutRushMove(text)
		if n++; !read || move.piece >= board.n {
			return quintain.Malformed(fmt.Sprintf("move %d, %.10q, is not a letter of the board, a sign and a number", n, text))
		}
		if !board.slide(move.piece, move.by) {
			return quintain.Wrong(fmt.Sprintf("move %d, %s, is blocked", n, text[:len(text)-len(rest)]))
		}
		text = rest
	}
	switch {
	case n == 0:
		return quintain.Malformed("the answer has no moves")
	case !board.out():
		return quintain.Wrong("the red car is not at the exit")
	}
	return quintain.Right()
}

// cutRushMove reads the move at the beginning of text. Letters in the question have no
// gaps, even if those of a record of reasoning-gym do.
func cutRushMove(text string) (move rushMove, rest string, read bool) {
	if len(text) < len("A+1") {
		return move, text, false
	}
	move.piece = int(text[0]&^0x20) - 'A'
	rest = strings.TrimLeft(text[2:], "0123456789")
	digits := text[2 : len(text)-len(rest)]
	by, err := strconv.Atoi(digits)
	if move.by = by; text[1] == '-' {
		move.by = -by
	}
	return move, rest, move.piece >= 0 && (text[1] == '+' || text[1] == '-') && err == nil && len(digits) <= 2
}
