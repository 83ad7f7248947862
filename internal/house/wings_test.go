package house

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWings bounds the folders at the root: a stranger should see the parts of the system
// there, not a list. A folder at the root is a wing, or a noun of the field that people
// import. What serves one wing stands in it; what nobody outside would import stands
// behind internal/.
const maxWings = 24

// TestWings compares the folders at the root with the limit and with the table of wings
// in docs/ARCHITECTURE.md.
func TestWings(t *testing.T) {
	found := wings(checkout(t).files)
	if len(found) > maxWings {
		t.Errorf("%d folders at the root, at most %d are allowed: move one into the wing that it serves, or behind internal/: %s",
			len(found), maxWings, strings.Join(found, " "))
	}
	described := wingRows(string(readText(t, architecture)))
	for _, wing := range found {
		if !slices.Contains(described, wing) {
			t.Errorf("%s: the table of wings lacks %s: say in a sentence what it is", architecture, wing)
		}
	}
	for _, wing := range described {
		if !slices.Contains(found, wing) {
			t.Errorf("%s: the table of wings has %s, which does not exist", architecture, wing)
		}
	}
}

// wings lists the folders at the root that hold files, in order, without hidden ones.
func wings(files []string) []string {
	var all []string
	for _, file := range files {
		if folder, _, below := strings.Cut(file, "/"); below && !strings.HasPrefix(folder, ".") {
			all = append(all, folder)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var wingRow = regexp.MustCompile("(?m)^\\| `([a-z]+)/`")

// wingRows reads the names in the table of wings.
func wingRows(text string) (names []string) {
	_, text, _ = strings.Cut(text, "\n| wing |")
	text, _, _ = strings.Cut(text, "\n\n")
	for _, row := range wingRow.FindAllStringSubmatch(text, -1) {
		names = append(names, row[1])
	}
	return names
}

func TestWingsAreFound(t *testing.T) {
	if got := wings([]string{"b/x/y.go", "go.mod", ".ci/run", "a/z.go", "b/w.go"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("wings %q", got)
	}
	text := "| `no/` |\n\n| wing | |\n|---|---|\n| `a/` | x `c/` |\n| `b/` | y |\n\n| `d/` | |\n"
	if got := wingRows(text); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("rows %q", got)
	}
}
