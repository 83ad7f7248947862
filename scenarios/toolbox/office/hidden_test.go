package office

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task/rng"
)

// Two problems that differ only in what the tools tell have the same goal.
func TestGoalsTellNothingThatIsHidden(t *testing.T) {
	t.Parallel()
	same := func(a, b toolbox.Start) {
		t.Helper()
		for wording := range 3 {
			if one, two := a.Goal(wording), b.Goal(wording); one != two {
				t.Errorf("%q\nand %q", one, two)
			}
		}
		if a.Canonical() == b.Canonical() {
			t.Errorf("%q is the name of both", a.Canonical())
		}
	}
	for i := range uint64(30) {
		r := rng.New(i, "hidden")
		n, errN := makeNumbers(calculator.Levels[i%5], r)
		k, errK := makePairs(keyValue.Levels[i%5], r)
		f, errF := makeFolders(fileTree.Levels[i%5], r)
		w, errW := makeWeek(calendar.Levels[i%5], r)
		if errN != nil || errK != nil || errF != nil || errW != nil {
			t.Fatal(errN, errK, errF, errW)
		}
		other := n
		other.Of = append([]named{}, n.Of...)
		for j := range other.Of {
			other.Of[j].Value += 1000
		}
		same(n, other)
		pairs := k
		pairs.Entries = append([]pair{}, k.Entries...)
		for j := range pairs.Entries {
			pairs.Entries[j].Value = "1"
		}
		same(k, pairs)
		tree := f
		tree.Files = append([]textFile{}, f.Files...)
		for j := range tree.Files {
			tree.Files[j].Text = "one\n"
		}
		same(f, tree)
		free := w
		free.Meetings = nil
		same(w, free)
	}
}

func FuzzClean(f *testing.F) {
	for _, text := range []string{"a/b", "./a//b/", "../a", "/", "", "a/../b", "\x00", strings.Repeat("a/", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := clean("path", text)
		if err != nil {
			return
		}
		again, err := clean("path", p)
		if err != nil || again != p || strings.HasPrefix(p, "/") || strings.Contains(fmt.Sprint("/", p, "/"), "/../") {
			t.Errorf("%q becomes %q, and that %q, %v", text, p, again, err)
		}
	})
}
