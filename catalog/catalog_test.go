package catalog_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/catalog"
)

// Every task stands in the category that it names, sorted and once.
func TestCategories(t *testing.T) {
	seen := map[string]bool{}
	var names []string
	for _, c := range catalog.Categories() {
		names = append(names, c.Name)
		for i, one := range c.Tasks {
			info := one.Info()
			if info.Category != c.Name || info.Category == "" || seen[info.Name] {
				t.Errorf("%s of category %q is listed under %q; listed before: %v", info.Name, info.Category, c.Name, seen[info.Name])
			}
			if seen[info.Name] = true; i > 0 && c.Tasks[i-1].Info().Name > info.Name {
				t.Errorf("%s stands after %s", info.Name, c.Tasks[i-1].Info().Name)
			}
		}
	}
	if !slices.IsSorted(names) || len(names) < 2 {
		t.Errorf("the categories are %v", names)
	}
}

// No room is left out, and no two rooms have a task of one name: each golden file is
// of a task of its own.
func TestAllRoomsAreListed(t *testing.T) {
	goldens, err := filepath.Glob("../tasks/*/testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(catalog.Tasks()); n == 0 || n != len(goldens) {
		t.Errorf("the catalog has %d tasks, and there are %d golden files", n, len(goldens))
	}
}
