package catalog_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/tasks/catalog"
)

// Each task was looked at for symmetries: decision 036 has one row for it, and no others.
func TestEachTaskHasARowOfSymmetries(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/decisions/036-symmetries-of-keys.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows, names []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9_]+) \| [^|]{3,} \| [^|]{3,} \|$`).FindAllSubmatch(page, -1) {
		if name := string(row[1]); name != "task" {
			rows = append(rows, name)
		}
	}
	for _, task := range catalog.Tasks() {
		names = append(names, task.Info().Name)
	}
	slices.Sort(names)
	if slices.Sort(rows); !slices.Equal(rows, names) {
		t.Errorf("the rows are %q, want one for each of %q", rows, names)
	}
}
