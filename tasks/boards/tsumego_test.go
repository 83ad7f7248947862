package boards

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// goItem returns the item of a board; spaces separate its rows.
func goItem(rows string) tsumegoItem {
	item := tsumegoItem{}
	for _, row := range strings.Fields(rows) {
		item.Board = append(item.Board, strings.Split(row, ""))
	}
	item.BoardSize = len(item.Board)
	return item
}

func TestTsumegoScore(t *testing.T) {
	item := goItem("..... .XX.. XOO.. .XX.X ...XO")
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"D3", 1, ""},
		{" d3.\n", 1, "a small letter, a full stop"},
		{"3D", 0, "row before column"},
		{"D2", 0, "another point"},
		{"B3", 0, "a point with a stone"},
		{"F3", 0, "off the board"},
		{"D6", 0, ""},
		{"D0", 0, ""},
		{"D+3", 0, ""},
		{"D03", 0, "a zero in front"},
		{"D3 or A1", 0, "two points; reasoning-gym pays a share of the length"},
		{"A1", 0, "reasoning-gym pays 0.05 for any point"},
		{"Black", 0, "a word"},
	})
	if got := item.Solve(); got != "D3" {
		t.Errorf("the solution is %s", got)
	}
	two := goItem(".O.O. X.X.X ..... ..... .....") // from reasoning-gym: two captures
	for _, text := range []string{"A5", "C5"} {
		if v := two.Score(text); v.Score != 0 {
			t.Errorf("%s gets %+v, and the white stones have two liberties", text, v)
		}
	}
	two = goItem("XO.OX .X.X. ..... ..... .....")
	if v := two.Score("C5"); v.Score != 1 {
		t.Errorf("C5 gets %+v", v)
	}
	if got := goItem("..... ..... ..O.. ..... .....").Solve(); got != "pass" {
		t.Errorf("the solution without a capture is %s", got)
	}
	for _, record := range []string{
		`{"board":[],"board_size":0}`, `{"board":[["."]],"board_size":2}`, `{"board":[[".","."],["."]],"board_size":2}`,
		`{"board":[["x"]],"board_size":1}`, `{"board":[["."]],"board_size":1,"phrasing":6}`,
	} {
		tasktest.RefusedRecords(t, tsumego.Task(), []string{record})
	}
}

// The second solver reads the board from the prompt, plays Black at each empty point, and
// removes every white stone without a path over white stones to an empty point.
func TestTsumegoSecond(t *testing.T) {
	tasktest.Second(t, tsumego.Task(), 1002, func(item tsumegoItem, prompt, got string) error {
		var rows [][]byte
		for line := range strings.Lines(prompt) {
			if fields := strings.Fields(line); len(fields) == item.BoardSize+1 && strings.Trim(strings.Join(fields[1:], ""), ".XO") == "" {
				rows = append(rows, []byte(strings.Join(fields[1:], "")))
			}
		}
		if len(rows) != item.BoardSize {
			return fmt.Errorf("the prompt shows %d rows", len(rows))
		}
		if len(captured(rows, 'O')) > 0 || len(captured(rows, 'X')) > 0 {
			return fmt.Errorf("a group has no liberty")
		}
		var found []string
		for i, row := range rows {
			for j := range row {
				if row[j] != '.' {
					continue
				}
				row[j] = 'X'
				if len(captured(rows, 'O')) > 0 {
					found = append(found, fmt.Sprintf("%c%d", 'A'+j, len(rows)-i))
				}
				row[j] = '.'
			}
		}
		if len(found) != 1 || found[0] != got {
			return fmt.Errorf("the captures are %v, not %s", found, got)
		}
		return nil
	})
}

// captured returns the stones of a color without a liberty, by sweeping liberties over them
// until nothing changes.
func captured(rows [][]byte, color byte) (stones [][2]int) {
	alive := map[[2]int]bool{}
	for changed := true; changed; {
		changed = false
		for i := range rows {
			for j := range rows[i] {
				at := [2]int{i, j}
				if rows[i][j] != color || alive[at] {
					continue
				}
				for _, near := range [][2]int{{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}} {
					if near[0] < 0 || near[1] < 0 || near[0] == len(rows) || near[1] == len(rows) {
						continue
					}
					if rows[near[0]][near[1]] == '.' || alive[near] {
						alive[at], changed = true, true
					}
				}
			}
		}
	}
	for i := range rows {
		for j := range rows[i] {
			if rows[i][j] == color && !alive[[2]int{i, j}] {
				stones = append(stones, [2]int{i, j})
			}
		}
	}
	return stones
}

func TestTsumegoKeys(t *testing.T) {
	tasktest.Variant(t, tsumego.Task(), "from another side", func(item *tsumegoItem, r *rng.Rand) func(string) string {
		side, size := r.Between(1, canon.Sides-1), [2]int{item.BoardSize, item.BoardSize}
		item.Board = canon.Seen(item.Board, side)
		return func(answer string) string {
			number, err := strconv.Atoi(answer[1:])
			if err != nil {
				t.Fatal(err)
			}
			row, col := canon.Place(side, size, item.BoardSize-number, int(answer[0]-'A'))
			return fmt.Sprintf("%c%d", 'A'+col, item.BoardSize-row)
		}
	})
	tasktest.Other(t, tsumego.Task(), "a stone is taken away", func(item *tsumegoItem) {
		for _, row := range item.Board {
			for j := range row {
				if row[j] == "X" {
					row[j] = "."
					return
				}
			}
		}
	})
}
