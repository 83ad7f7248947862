package catalog_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain/tasks/catalog"
)

// Each task was looked at for symmetries: decision 036 has one row for it, and no others.
func TestEachTaskHasARowOfSymmetries(t *testing.T) {
	t.Parallel()
	const page = "../../docs/decisions/036-symmetries-of-keys.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9_]+) \| [^|]{3,} \| [^|]{3,} \|$`).FindAllSubmatch(text, -1) {
		rows[string(row[1])] = true
	}
	delete(rows, "task") // the head
	for _, task := range catalog.Tasks() {
		name := task.Info().Name
		if !rows[name] {
			t.Errorf("%s has no row for %s: which of the five symmetries does its key leave out, and why?", page, name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s has a row for %s, which is no task", page, name)
	}
}
