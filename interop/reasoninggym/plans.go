package reasoninggym

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/answer"
)

// route takes every shortest way to the goal, and pays half for longer ones.
func route(of *item, got string) float64 {
	var m struct {
		Rows [][]string `json:"matrix"`
	}
	if got == "" || !of.read(&m) {
		return 0
	}
	if answer.Trim(got) == answer.Trim(of.oracle) {
		return 1
	}
	cell := func(y, x int) string {
		if y < 0 || y >= len(m.Rows) || x < 0 || x >= len(m.Rows[y]) {
			return "X"
		}
		return m.Rows[y][x]
	}
	y, x := 0, 0
	for i, row := range m.Rows {
		if at := slices.Index(row, "*"); at >= 0 {
			y, x = i, at
		}
	}
	steps := map[string][2]int{"up": {-1, 0}, "down": {1, 0}, "left": {0, -1}, "right": {0, 1}}
	words := answer.Fields(got)
	for _, word := range words {
		step, ok := steps[word]
		if y, x = y+step[0], x+step[1]; !ok || cell(y, x) == "X" {
			return 0
		}
	}
	if cell(y, x) != "#" {
		return 0
	}
	return oneIf(len(words) == len(answer.Fields(of.oracle)), 0.5)
}

// buttons takes the letters of a text for buttons, and pays half if there are more or fewer
// than in the stored sequence.
func buttons(of *item, got string) float64 {
	var m struct {
		Value   int64  `json:"initial_value"`
		Light   string `json:"initial_state"`
		Target  int64  `json:"target_value"`
		Buttons []struct {
			Name  string `json:"name"`
			Kind  string `json:"type"`
			Value int64  `json:"value"`
			Light string `json:"active_state"`
		} `json:"buttons"`
	}
	if !of.read(&m) {
		return 0
	}
	pressed, stored := pressedLetters(got), pressedLetters(of.oracle)
	if pressed == stored {
		return 1
	}
	value, light, lost := m.Value, m.Light, false
	for _, letter := range pressed {
		for _, b := range m.Buttons {
			if b.Name != string(letter) || b.Light != "any" && b.Light != light {
				continue
			}
			switch b.Kind {
			case "add":
				value += b.Value
			case "subtract":
				value -= b.Value
			case "multiply":
				value *= b.Value
			}
			const far = 1 << 40 // no way back
			lost = lost || value > far || value < -far
			light = map[string]string{"red": "green", "green": "red"}[light]
			break
		}
	}
	if lost || value != m.Target {
		return 0
	}
	return oneIf(len(pressed) == len(stored), 0.5)
}

// pressedLetters returns the letters A to C of a text.
func pressedLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'C' {
			return r
		}
		return -1
	}, pyUpper(text))
}

// hanoiMove matches a move of a disk.
var hanoiMove = compiled.Regexp(`Move disk \p{Nd}+ from Peg \p{Nd}+ to Peg \p{Nd}+`)

// tower takes legal moves that end on the target, pays less for more than the stored number
// of moves, and a little for all legal moves. Entries of ours may start and end in other
// positions (any_state), which reasoning-gym does not have: its rule goes for them too.
func tower(of *item, got string) float64 {
	var m struct {
		Disks  int `json:"num_disks"`
		Pegs   int `json:"num_pegs"`
		Start  int `json:"start_peg"`
		Target int `json:"target_peg"`
		Best   int `json:"solution_length"`

		From []int `json:"start"` // the peg of each disk, the smallest first
		To   []int `json:"goal"`
	}
	if got == "" || !of.read(&m) {
		return 0
	}
	const most = 10_000
	if m.Disks < 1 || m.Disks > most || m.Pegs < 1 || m.Pegs > most {
		return of.spoil("want some num_disks and num_pegs")
	}
	pegs := map[int][]int{}
	for peg := range m.Pegs {
		pegs[peg+1] = nil
	}
	if m.From == nil || m.To == nil {
		m.From, m.To = slices.Repeat([]int{m.Start}, m.Disks), slices.Repeat([]int{m.Target}, m.Disks)
	}
	if len(m.From) != m.Disks || len(m.To) != m.Disks {
		return of.spoil("want a peg of each disk in start and goal")
	}
	for disk := m.Disks; disk > 0; disk-- {
		peg := m.From[disk-1]
		pegs[peg] = append(pegs[peg], disk)
	}
	moves := 0
	for _, line := range pyLines(got) {
		if answer.Trim(line) == "" {
			continue
		}
		if moves++; !hanoiMove().MatchString(line) || !move(pegs, answer.Fields(line)) {
			return 0
		}
	}
	there := true
	for i, peg := range m.To {
		there = there && slices.Contains(pegs[peg], i+1)
	}
	switch {
	case !there:
		return 0.05
	case m.Best == 0 || moves <= m.Best:
		return 1
	}
	return float64(m.Best) / float64(moves)
}

// move moves a disk, and reports whether that is legal.
func move(pegs map[int][]int, words []string) bool {
	if len(words) != 9 {
		return false
	}
	var n [3]int
	for i, word := range []string{words[2], words[5], words[8]} {
		read, ok := pyReadInt(word)
		if !ok || !read.IsInt64() {
			return false
		}
		n[i] = int(read.Int64())
	}
	from, to := pegs[n[1]], pegs[n[2]]
	_, known := pegs[n[2]]
	if !known || len(from) == 0 || from[len(from)-1] != n[0] || len(to) > 0 && to[len(to)-1] < n[0] {
		return false
	}
	pegs[n[1]] = from[:len(from)-1]
	pegs[n[2]] = append(pegs[n[2]], n[0])
	return true
}

// jugs takes moves of JSON that end with the target in a jug, and pays a little for others.
func jugs(of *item, got string) float64 {
	var m struct {
		Puzzle struct {
			Sizes  []int64 `json:"jug_capacities"`
			Target int64   `json:"target"`
		} `json:"puzzle"`
	}
	v, ok := pyReadJSON(got)
	if !of.read(&m) || !ok {
		return 0
	}
	list, isList := v.([]any)
	if object, empty := v.(map[string]any); empty && len(object) == 0 || v == "" {
		isList = true
	}
	if !isList {
		return 0
	}
	levels := make([]int64, len(m.Puzzle.Sizes))
	for _, one := range list {
		text, ok := one.(string)
		if !ok || !pour(m.Puzzle.Sizes, levels, answer.Fields(text)) {
			return 0
		}
	}
	return oneIf(slices.Contains(levels, m.Puzzle.Target), 0.01)
}

// pour makes a move with jugs, and reports whether it is one.
func pour(sizes, levels []int64, words []string) bool {
	if len(words) < 2 {
		return false
	}
	jug := func(name string) (int, bool) {
		return int(name[0]) - 'A', len(name) == 1 && name[0] >= 'A' && int(name[0]) < 'A'+len(levels)
	}
	first, second, arrow := strings.Cut(words[1], "->")
	if words[0] == "pour" != arrow || first == "" || arrow && second == "" {
		return false
	}
	a, ok := jug(first)
	if !ok {
		return false
	}
	switch words[0] {
	case "fill":
		levels[a] = sizes[a]
	case "empty":
		levels[a] = 0
	case "pour":
		b, ok := jug(second)
		if !ok {
			return false
		}
		n := min(levels[a], sizes[b]-levels[b])
		levels[a] -= n
		levels[b] += n
	default:
		return false
	}
	return true
}

// letters takes digits for letters that solve the sum, and pays a little for other digits.
func letters(of *item, got string) float64 {
	var m struct {
		Words       []string `json:"words_letters"`
		Result      string   `json:"result_letters"`
		LeadingZero bool     `json:"allow_leading_zero"`
	}
	if !of.read(&m) {
		return 0
	}
	digits := map[string]int{}
	for pair := range strings.SplitSeq(got, ",") {
		parts := strings.Split(answer.Trim(pair), "=")
		if len(parts) != 2 {
			return 0
		}
		n, ok := pyReadInt(parts[1])
		if !ok {
			return 0
		}
		d := 10 // too large for a digit
		if n.IsInt64() && n.Int64() >= 0 && n.Int64() < 10 {
			d = int(n.Int64())
		}
		digits[answer.Trim(parts[0])] = d
	}
	return oneIf(solvesSum(digits, m.Words, m.Result, m.LeadingZero), 0.01)
}

// solvesSum reports whether digits for letters make the words add up to the result.
func solvesSum(digits map[string]int, words []string, result string, leadingZero bool) bool {
	used := map[string]bool{}
	for _, word := range append(slices.Clone(words), result) {
		for i, r := range word {
			used[string(r)] = true
			if d, known := digits[string(r)]; !known || d > 9 || i == 0 && d == 0 && !leadingZero {
				return false
			}
		}
	}
	taken := [10]bool{}
	for _, d := range digits {
		if d > 9 || taken[d] {
			return false
		}
		taken[d] = true
	}
	value := func(word string) (n float64) {
		for _, r := range word {
			n = 10*n + float64(digits[string(r)])
		}
		return n
	}
	sum := -value(result)
	for _, word := range words {
		sum += value(word)
	}
	return len(used) == len(digits) && sum == 0
}

// coloring takes colors of JSON that differ along each edge, and pays a little for others.
func coloring(of *item, got string) float64 {
	var m struct {
		Puzzle struct {
			Vertices []int         `json:"vertices"`
			Edges    [][2]int      `json:"edges"`
			Colors   []json.Number `json:"color_options"`
		} `json:"puzzle"`
	}
	v, ok := pyReadJSON(got)
	if !of.read(&m) || !ok {
		return 0
	}
	colors, ok := v.(map[string]any)
	if !ok {
		return listed(v, m.Puzzle.Vertices)
	}
	for _, vertex := range m.Puzzle.Vertices {
		color, has := colors[strconv.Itoa(vertex)]
		if !has || !slices.ContainsFunc(m.Puzzle.Colors, func(one json.Number) bool { return pySame(one, color) }) {
			return 0.01
		}
	}
	for _, edge := range m.Puzzle.Edges {
		if pySame(colors[strconv.Itoa(edge[0])], colors[strconv.Itoa(edge[1])]) {
			return 0.01
		}
	}
	return 1
}

// listed scores JSON that is no object: a list counts as wrong colors, unless it has the name of
// the first vertex, which reasoning-gym then uses as an index.
func listed(v any, vertices []int) float64 {
	list, ok := v.([]any)
	if !ok || len(vertices) > 0 && slices.Contains(list, any(strconv.Itoa(vertices[0]))) {
		return 0
	}
	return 0.01
}

// knightSwap takes moves of JSON that swap the knights, pays less for more than the stored
// number, and a little for all legal moves.
func knightSwap(of *item, got string) float64 {
	var m struct {
		Possible bool                `json:"is_possible"`
		Board    map[string][]string `json:"board"`
		Pieces   map[string]*string  `json:"pieces"`
		Turn     string              `json:"start_turn"`
		Solution []json.RawMessage   `json:"solution"`
	}
	got = answer.Trim(got)
	if got == "" || !of.read(&m) {
		return 0
	}
	if no := pyLower(got) == "no"; no || !m.Possible {
		return oneIf(no && !m.Possible, 0)
	}
	v, ok := pyReadJSON(got)
	list, isList := v.([]any)
	if !ok || !isList {
		return 0
	}
	at := map[string]string{}
	for square, piece := range m.Pieces {
		if piece != nil {
			at[square] = *piece
		}
	}
	turn := m.Turn
	for _, one := range list {
		text, _ := one.(string)
		parts := strings.Split(text, ",")
		if len(parts) != 3 || parts[0] != turn || at[parts[1]] != turn || at[parts[2]] != "" || !slices.Contains(m.Board[parts[1]], parts[2]) {
			return 0
		}
		delete(at, parts[1])
		at[parts[2]] = turn
		turn = map[string]string{"w": "B", "B": "w"}[turn]
	}
	for square, piece := range m.Pieces {
		if piece != nil && (at[square] == "" || at[square] == *piece) {
			return 0.05
		}
	}
	if len(list) <= len(m.Solution) {
		return 1
	}
	return float64(len(m.Solution)) / float64(len(list))
}
