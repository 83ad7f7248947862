package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/internal/stats"
)

// TestNumbersOfTwoProcessesAreOne joins the files of a run that a second process took over at
// step 2, which both have.
func TestNumbersOfTwoProcessesAreOne(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	for path, lines := range map[string]string{
		first:  `{"step":1,"time":10,"values":{"a":1,"old":5}}` + "\n" + `{"step":2,"time":20,"values":{"a":2}}` + "\n",
		second: `{"step":2,"time":40,"values":{"a":3,"new":6}}` + "\n" + `{"step":3,"time":50,"values":{"a":4}}` + "\n",
	} {
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, order := range [][]string{{first, second}, {second, first}, {first, filepath.Join(dir, "none"), second}} {
		n := newRunNumbers(order...)
		if more, err := n.Refresh(); more || err != nil || n.Len() != 4 || n.Left() != 0 {
			t.Fatalf("%v: more %v, error %v, %d rows, %d left", order, more, err, n.Len(), n.Left())
		}
		if began, ended := n.Span(); began != 10 || ended != 50 {
			t.Errorf("%v: from %v to %v", order, began, ended)
		}
		if names := n.Names(); !slices.Equal(names, []string{"a", "new", "old"}) {
			t.Errorf("%v: names %v", order, names)
		}
		if last, there := n.Last("a"); !there || last != (stats.Point{Step: 3, Time: 50, Value: 4}) {
			t.Errorf("%v: the last is %v", order, last)
		}
		if _, there := n.Last("none"); there {
			t.Error("a series that is none has a last point")
		}
		if l := n.Line("a", false, 10); !slices.Equal(l.X, []float64{1, 2, 2, 3}) || !slices.Equal(l.Y, []float64{1, 2, 3, 4}) {
			t.Errorf("%v: over steps %v", order, l)
		}
		if l := n.Line("a", true, 10); !slices.Equal(l.X, []float64{10, 20, 40, 50}) || !slices.Equal(l.Y, []float64{1, 2, 3, 4}) {
			t.Errorf("%v: over time %v", order, l)
		}
	}
}
