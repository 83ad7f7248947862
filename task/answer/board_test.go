package answer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/answer"
)

// bit reads a cell that is 0 or 1.
func bit(text string) int {
	switch text {
	case "0", "1":
		return int(text[0] - '0')
	}
	return -1
}

func TestBoard(t *testing.T) {
	want := []int{1, 0, 1, 0, 1, 1}
	for _, test := range []struct{ text, fault string }{
		{"1 0 1\n0 1 1", ""},
		{"101\r\n011\r\n", ""},
		{"[[1, 0, 1], [0, 1, 1]]", ""},
		{`[["1","0","1"],["0","1","1"]]`, ""},
		{"| 1 | 0 | 1 |\n|---|---|---|\n| 0 | 1 | 1 |", ""},
		{"+---+\n|101|\n+---+\n|011|\n+---+", ""},
		{"1 0 1", "want 2 rows of 3 cells, got 1"},
		{"1 0 1\n0 1", "row 2 does not have 3 cells"},
		{"1 0 1\n0 1 1\n0 0 0", "more than 2 rows"},
		{"1 0 2\n0 1 1", `"2" is not a valid cell`},
		{strings.Repeat("1", 100), "is not a valid cell"},
		{"", "want 2 rows of 3 cells, got 0"},
	} {
		cells, fault := answer.Board{Rows: 2, Cols: 3}.Read(test.text, bit)
		if !strings.Contains(fault, test.fault) || (fault == "") != (test.fault == "") || fault == "" && !slices.Equal(cells, want) {
			t.Errorf("%.40q is read as %v with the fault %q, want %q", test.text, cells, fault, test.fault)
		}
	}
}

func FuzzBoard(f *testing.F) {
	f.Add("1 0\n0 1")
	f.Add("[[1,0],[0,1]]")
	f.Fuzz(func(t *testing.T, text string) {
		if cells, fault := (answer.Board{Rows: 2, Cols: 2}).Read(text, bit); fault == "" && len(cells) != 4 {
			t.Errorf("%q is read as %v", text, cells)
		}
	})
}
