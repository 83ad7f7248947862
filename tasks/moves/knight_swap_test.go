package moves

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// knightsOn returns the record of a board with knights on some squares; white begins.
func knightsOn(squares, white, black string) knightItem {
	b := newKnightBoard(strings.Fields(squares))
	var p knightPosition
	for i, name := range b.names {
		if strings.Contains(white, name) {
			p.knights[0] |= 1 << i
		}
		if strings.Contains(black, name) {
			p.knights[1] |= 1 << i
		}
	}
	moves, _ := b.swap(p, 0)
	return b.item(p, moves)
}

func TestKnightSwapScore(t *testing.T) {
	item := knightsOn("A1 B3 C1 D3 A3", "A1", "D3") // A1-B3-C1-D3: the knights meet, unless one waits
	if err := task.Check(item); err != nil || item.IsPossible {
		t.Fatalf("error %v, possible %v", err, item.IsPossible)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"No", 1, ""},
		{" no.\n", 1, "lower case, a full stop"},
		{"NO", 1, "upper case"},
		{"No way", 0, "words"},
		{`["w,A1,B3"]`, 0, "a legal move; reasoning-gym pays 0.05 where there is a solution"},
	})
	item = knightsOn("A1 B3 C1 A2 C3 B1 A3 C2", "A1 C1", "A3 C3") // Guarini's puzzle
	if err := task.Check(item); err != nil || item.NumSteps != 16 {
		t.Fatalf("error %v, %d moves, want 16", err, item.NumSteps)
	}
	right := item.Solve()
	longer := strings.Replace(right, "[", fmt.Sprintf(`["w,%s,%s", "B,%s,%s", "w,%[2]s,%[1]s", "B,%[4]s,%[3]s", `, "A1", "B3", "A3", "B1"), 1)
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{right, 1, ""},
		{strings.ReplaceAll(right, ",", ", "), 1, "space in the moves"},
		{strings.ToLower(right), 1, "lower case"},
		{longer, 1, "longer than necessary; reasoning-gym pays 0.8"},
		{strings.Replace(right, `"w`, `"B`, 1), 0, "the wrong turn"},
		{right[:strings.LastIndex(right, `, "`)] + "]", 0, "a move left out"},
		{`["w,A1,C3"]`, 0, "to a square that is taken"},
		{`["w,A1,A2"]`, 0, "no knight's move"},
		{`["w,A1,D3"]`, 0, "off the board"},
		{`["w,A2,C3"]`, 0, "from an empty square"},
		{`["w,A1"]`, 0, "no target"},
		{`[["w","A1","B3"]]`, 0, "lists in a list"},
		{"No", 0, "there is a solution"},
		{"w,A1,B3", 0, "no list"},
	})
	tasktest.RefusedRecords(t, knightSwap.Task(), []string{
		`{"pieces":{},"start_turn":"w"}`,
		`{"pieces":{"A1":"w","B3":"B"},"start_turn":"W"}`,
		`{"pieces":{"A1":"w","B3":"x"},"start_turn":"w"}`,
		`{"pieces":{"A1":"w","B3":null},"start_turn":"w"}`,
		`{"pieces":{"A1":"w","B30":"B"},"start_turn":"w"}`,
		`{"pieces":{"A1":"w","B3":"B"},"start_turn":"w","solution":[["w","A1","B3"]]}`,
		`{"pieces":{"A1":"w","B3":"B"},"start_turn":"w","phrasing":6}`,
	})
}

// Half of the boards that reasoning-gym calls impossible lack a move, and the player cannot
// know that.
func TestKnightSwapOfOthers(t *testing.T) {
	item := knightsOn("A1 B3 C1 A2 C3 B1 A3 C2", "A1 C1", "A3 C3")
	item.Board["A1"], item.IsPossible, item.NumSteps = item.Board["A1"][:1], false, 0
	right := item.Solve()
	item.Solution = nil
	raw, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	p := quintain.Problem{Task: "knight_swap", Instance: quintain.RawRecord(raw)}
	for text, want := range map[string]float64{right: 1, "No": 0} {
		if v, err := knightSwap.Task().Grade(p, text); err != nil || v.Score != want {
			t.Errorf("%s gets %+v, error %v, want %v", text, v, err, want)
		}
	}
	if got := item.Solve(); got != right {
		t.Errorf("solved by %s, want %s", got, right)
	}
}

func TestKnightSwapParams(t *testing.T) {
	tasktest.Refused(t, knightSwap.Task(), map[string]string{
		`{"min_nodes":5}`:           "min_nodes",
		`{"max_nodes":13}`:          "max_nodes",
		`{"min_pieces":0}`:          "min_pieces",
		`{"max_pieces":3}`:          "max_pieces",
		`{"min_steps":0}`:           "min_steps",
		`{"max_steps":3}`:           "max_steps",
		`{"max_attempts":0}`:        "max_attempts",
		`{"impossible_ratio":1.01}`: "impossible_ratio",
	})
}

// readKnights reads the squares from the picture in a prompt.
func readKnights(prompt string) map[[2]int]string {
	squares := map[[2]int]string{}
	for line := range strings.Lines(prompt) {
		if len(line) < 3 || line[0] < '1' || line[0] > '9' || line[1] != ' ' || line[2] != '|' {
			continue
		}
		for col, cell := range strings.Split(strings.Trim(line[2:], "|\n"), "|") {
			if sign := strings.TrimSpace(cell); sign != "" {
				squares[[2]int{col, int(line[0] - '1')}] = sign
			}
		}
	}
	return squares
}

// The second solver reads the picture from the prompt and plays the solution on it. If
// there is none, it visits all reachable positions.
func TestKnightSwapSecond(t *testing.T) {
	count := map[bool]int{}
	tasktest.Every(t, knightSwap.Task(), tasktest.Count(1000, 150), func(k knightItem, prompt, got string) error {
		squares := readKnights(prompt)
		goal, turn := map[[2]int]string{}, "w"
		for _, text := range []string{"Black makes the first", "black move by turns, Black first", "Black begins", "Black has the first turn", "Black's turn", "Black moves first"} {
			if strings.Contains(prompt, text) {
				turn = "B"
			}
		}
		for at, sign := range squares {
			goal[at] = map[string]string{"w": "B", "B": "w", ".": "."}[sign]
		}
		if len(squares) != len(k.Pieces) || turn != k.StartTurn {
			return fmt.Errorf("the prompt shows %d squares and the turn of %s", len(squares), turn)
		}
		count[got == "No"]++
		if got == "No" {
			if swappable(squares, goal, turn) {
				return fmt.Errorf("there is a solution")
			}
			return nil
		}
		var moves []string
		if err := json.Unmarshal([]byte(got), &moves); err != nil {
			return err
		}
		for _, move := range moves {
			var color string
			var from, to [2]int
			parts := strings.Split(move, ",")
			color, from, to = parts[0], [2]int{int(parts[1][0] - 'A'), int(parts[1][1] - '1')}, [2]int{int(parts[2][0] - 'A'), int(parts[2][1] - '1')}
			across, up := max(from[0]-to[0], to[0]-from[0]), max(from[1]-to[1], to[1]-from[1])
			if color != turn || squares[from] != color || squares[to] != "." || across*up != 2 {
				return fmt.Errorf("move %s is not legal", move)
			}
			squares[from], squares[to] = ".", color
			turn = map[string]string{"w": "B", "B": "w"}[turn]
		}
		if fmt.Sprint(squares) != fmt.Sprint(goal) || len(moves) != k.NumSteps {
			return fmt.Errorf("%d moves end at %v", len(moves), squares)
		}
		return nil
	})
	if tasktest.Heavy && (count[true] < 60 || count[true] > 150) {
		t.Errorf("%d of 1000 problems have no solution, want about 100", count[true])
	}
}

// swappable visits all positions depth first.
func swappable(squares, goal map[[2]int]string, turn string) bool {
	want, seen := fmt.Sprint(goal), map[string]bool{}
	var visit func(turn string) bool
	visit = func(turn string) bool {
		now := fmt.Sprint(squares)
		if now == want {
			return true
		}
		if seen[turn+now] {
			return false
		}
		seen[turn+now] = true
		for from := range goal {
			for to := range goal {
				across, up := from[0]-to[0], from[1]-to[1]
				if squares[from] != turn || squares[to] != "." || across*across+up*up != 5 {
					continue
				}
				squares[from], squares[to] = ".", turn
				found := visit(map[string]string{"w": "B", "B": "w"}[turn])
				squares[from], squares[to] = turn, "."
				if found {
					return true
				}
			}
		}
		return false
	}
	return visit(turn)
}

func TestKnightSwapKeys(t *testing.T) {
	tasktest.Variant(t, knightSwap.Task(), "from another side, or with the colors exchanged", func(k *knightItem, r *rng.Rand) func(string) string {
		side, highest := r.Between(0, canon.Sides-1), 0
		for name := range k.Pieces {
			highest = max(highest, int(name[0]-'A'), int(name[1]-'1'))
		}
		exchanged := r.Chance(0.5)
		square := func(name string) string {
			row, col := canon.Place(side, [2]int{highest + 1, highest + 1}, int(name[1]-'1'), int(name[0]-'A'))
			return string([]byte{'A' + byte(col), '1' + byte(row)})
		}
		color := func(name string) string {
			if exchanged {
				return map[string]string{"w": "B", "B": "w"}[name]
			}
			return name
		}
		pieces, near := map[string]*string{}, map[string][]string{}
		for name, piece := range k.Pieces {
			if piece != nil {
				other := color(*piece)
				piece = &other
			}
			pieces[square(name)] = piece
			for _, to := range k.Board[name] {
				near[square(name)] = append(near[square(name)], square(to))
			}
		}
		k.Pieces, k.Board, k.StartTurn = pieces, near, color(k.StartTurn)
		for i, move := range k.Solution {
			k.Solution[i] = [3]string{color(move[0]), square(move[1]), square(move[2])}
		}
		return func(answer string) string {
			return regexp.MustCompile(`(w|B),(\w\d),(\w\d)`).ReplaceAllStringFunc(answer, func(move string) string {
				part := strings.Split(move, ",")
				return color(part[0]) + "," + square(part[1]) + "," + square(part[2])
			})
		}
	})
	tasktest.Same(t, knightSwap.Task(), "another solution", func(k *knightItem) { k.NumSteps = 0 })
}
