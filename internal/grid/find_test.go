package grid_test

import (
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]struct {
		cells grid.Grid[string]
		by    string
	}{
		"Turn this:\n\n1 2\n3 4\n\nAnswer with a matrix.":       {grid.Grid[string]{{"1", "2"}, {"3", "4"}}, " "},
		"A board of signs.\n#.\n..\nIts second form: none.":     {grid.Grid[string]{{"#", "."}, {".", "."}}, ""},
		"1 2 3\n4 5 6\n\n1 2\n3 4\n5 6\nThe larger one counts.": {grid.Grid[string]{{"1", "2"}, {"3", "4"}, {"5", "6"}}, " "},
		"There is none in this sentence.":                       {},
		"":                                                      {},
	} {
		if got, by := grid.Find(text); !grid.Equal(got, want.cells) || by != want.by {
			t.Errorf("%q: %q by %q, want %q by %q", text, got, by, want.cells, want.by)
		}
	}
}
