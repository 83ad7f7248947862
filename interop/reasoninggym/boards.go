package reasoninggym

import (
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// carMove matches a move of a car.
var carMove = compiled.Regexp(`([A-Z])([+-])(\p{Nd}+)`)

// cars makes all moves in a text as far as they go, and pays a little if the first car is not
// at the exit.
func cars(of *item, got string) float64 {
	var m struct {
		Board string `json:"board_config"`
	}
	if got == "" || !of.read(&m) {
		return 0
	}
	const cells, exit = 36, 16
	if len(m.Board) != cells {
		return of.spoil("board_config does not have 36 cells")
	}
	board, labels, walls := []byte(m.Board), []byte{}, 0
	for _, c := range board {
		switch {
		case c == 'x':
			walls++
		case c >= 'A' && c <= 'Z' && !slices.Contains(labels, c):
			labels = append(labels, c)
		}
	}
	slices.Sort(labels)
	for _, found := range carMove().FindAllStringSubmatch(got, -1) {
		switch car := int(found[1][0] - 'A'); {
		case car == len(labels)+walls:
			return 0
		case car < len(labels):
			slide(board, labels[car], found[2], found[3])
		}
	}
	return oneIf(len(labels) > 0 && slices.Index(board, labels[0]) == exit, 0.01)
}

// slide moves a car by some cells, as far as it goes.
func slide(board []byte, car byte, sign, number string) {
	first, last := slices.Index(board, car), 35-slices.Index(reversed(board), car)
	step, limit := 1, func(cell int) int { return cell % 6 }
	if last-first >= 6 {
		step, limit = 6, func(cell int) int { return cell / 6 }
	}
	n, _ := pyReadInt(number)
	front, back := last, first
	if sign == "-" {
		step, front, back = -step, first, last
	}
	for i := int64(0); n != nil && (!n.IsInt64() || i < n.Int64()); i++ {
		next := front + step
		if edge := limit(front); step > 0 && edge == 5 || step < 0 && edge == 0 || board[next] != 'o' {
			return
		}
		board[next], board[back] = car, 'o'
		front, back = next, back+step
	}
}

// reversed returns a list from its end.
func reversed(board []byte) []byte {
	board = slices.Clone(board)
	slices.Reverse(board)
	return board
}

// warehouse makes all moves L, R, U and D in a text.
func warehouse(of *item, got string) float64 {
	var m struct {
		Game string `json:"gamestr"`
	}
	if !of.read(&m) {
		return 0
	}
	grid := strings.Split(strings.Trim(strings.ReplaceAll(m.Game, " ", ""), "\n"), "\n")
	cells := make([][]byte, len(grid))
	at := [2]int{-1, -1} // the player's row and column
	for i, row := range grid {
		cells[i] = []byte(row)
		if j := strings.IndexAny(row, "*%"); j >= 0 {
			at = [2]int{i, j}
		}
	}
	if at[0] < 0 {
		return of.spoil("gamestr has no player")
	}
	for _, c := range got {
		move := strings.IndexRune("LRUD", c)
		if move < 0 {
			continue
		}
		step := [...][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}[move]
		if push(cells, at, step) {
			at[0], at[1] = at[0]+step[0], at[1]+step[1]
		}
	}
	for _, row := range cells {
		if slices.Contains(row, '@') {
			return 0
		}
	}
	return 1
}

// push moves the player and a box before it, and reports whether there is room.
func push(cells [][]byte, player, step [2]int) bool {
	at := func(n int) *byte {
		i, j := player[0]+n*step[0], player[1]+n*step[1]
		if i < 0 || i >= len(cells) || j < 0 || j >= len(cells[i]) {
			return nil
		}
		return &cells[i][j]
	}
	here, next, after := at(0), at(1), at(2)
	if next == nil {
		return false
	}
	if *next == '@' || *next == '$' {
		if after == nil || *after != '-' && *after != 'X' {
			return false
		}
		*after = map[byte]byte{'-': '@', 'X': '$'}[*after]
		*next = map[byte]byte{'@': '-', '$': 'X'}[*next]
	}
	if *next != '-' && *next != 'X' {
		return false
	}
	*next = map[byte]byte{'-': '*', 'X': '%'}[*next]
	*here = map[byte]byte{'*': '-', '%': 'X'}[*here]
	return true
}

// boxAction matches an action of an agent.
var (
	boxAction = compiled.Regexp(`^move\((.*?),\s(.*?)\)`)
	decimals  = compiled.Regexp(`\p{Nd}+\.?\p{Nd}*`)
)

// boxes carries out a plan of JSON, and pays for each box at its target, or a little.
func boxes(of *item, got string) float64 {
	var m struct {
		State map[string][]string `json:"initial_state"`
	}
	v, ok := pyReadJSON(got)
	if !of.read(&m) || !ok {
		return 0
	}
	all := 0
	for _, things := range m.State {
		for _, thing := range things {
			all += int(part(strings.HasPrefix(thing, "box"), 1))
		}
	}
	steps, isList := v.([]any)
	if object, ok := v.(map[string]any); ok && len(object) == 0 || v == "" {
		isList = true
	}
	if !isList {
		return 0
	}
	for _, step := range steps {
		actions, ok := step.(map[string]any)
		if !ok {
			return 0
		}
		for agent, action := range actions {
			text, ok := action.(string)
			if !ok || !act(m.State, agent, text) {
				return 0
			}
		}
	}
	left := 0
	for _, things := range m.State {
		for _, thing := range things {
			left += int(part(strings.HasPrefix(thing, "box"), 1))
		}
	}
	if all == 0 {
		return 0.05
	}
	return max(0.05, float64(all-left)/float64(all))
}

// act carries out an action, or nothing if it is impossible. It reports whether
// reasoning-gym would survive it.
func act(state map[string][]string, agent, action string) bool {
	found := boxAction().FindStringSubmatch(action)
	if found == nil {
		return true
	}
	place, key, ok := square(agent)
	if !ok {
		return false
	}
	things := state[key]
	box, to := slices.Index(things, found[1]), found[2]
	if box < 0 {
		return true
	}
	if target := slices.Index(things, to); target >= 0 && strings.HasPrefix(to, "target") && to[len("target"):] == strings.TrimPrefix(found[1], "box") {
		rest := slices.Delete(slices.Clone(things), box, box+1)
		target = slices.Index(rest, to)
		state[key] = slices.Delete(rest, target, target+1)
		return true
	}
	if !strings.HasPrefix(to, "square") {
		return true
	}
	next, nextKey, ok := square(to)
	if !ok {
		return false
	}
	if math.Abs(place[0]-next[0])+math.Abs(place[1]-next[1]) != 1 {
		return true
	}
	if _, known := state[nextKey]; !known {
		return false
	}
	state[key] = slices.Delete(slices.Clone(things), box, box+1)
	state[nextKey] = append(slices.Clone(state[nextKey]), found[1])
	return true
}

// square returns the first two numbers of a text, and the name of the square there.
func square(text string) (at [2]float64, name string, ok bool) {
	numbers := decimals().FindAllString(text, -1)
	if len(numbers) < 2 {
		return at, "", false
	}
	for i := range at {
		at[i], _ = pyReadFloat(numbers[i])
	}
	return at, pyWriteFloat(at[0]) + "_" + pyWriteFloat(at[1]), true
}
