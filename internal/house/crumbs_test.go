package house

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// leastLines is how many lines a package with a single importer has at least, blank lines and
// comments left out: a smaller one is a file of its importer.
const leastLines = 300

// crumbs lists the smaller packages that stand alone, each with the reason. Families of tasks and
// scenarios need none.
var crumbs = exceptions{
	"python":          "Go embeds files of its own folder alone, and these lie in the Python package",
	"run/fleet/lease": "pure: who holds what is a function of a log, without clock, network or disk, and fleet has all three",
}

func TestSmallPackagesHaveImporters(t *testing.T) {
	all := checkout(t)
	lines := map[string]int{}
	for _, s := range all.sources {
		if s.test {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		lines[s.pkg] += codeLines(text)
	}
	report(t, crumbs.except(crumbFaults(all.packages, lines)))
}

// crumbFaults finds small packages that only one other imports, by name. Programs and packages for
// tests have no importers.
func crumbFaults(packages []listing, lines map[string]int) map[string]string {
	by := map[string][]string{} // importers
	for _, l := range packages {
		for _, to := range l.Imports {
			if ours(to) {
				by[within(to)] = append(by[within(to)], l.name())
			}
		}
	}
	faults := map[string]string{}
	for name, importers := range by {
		if len(importers) == 1 && lines[name] < leastLines && !isFamily(name) && !forTests(name) {
			faults[name] = fmt.Sprintf("%s has %d lines, and only %s imports it: join it, or say in crumbs (internal/house) why it stands alone", name, lines[name], show(importers[0]))
		}
	}
	return faults
}

func TestCrumbFaults(t *testing.T) {
	of := func(name string, imports ...string) listing {
		l := listing{ImportPath: module + "/" + name, Imports: []string{"fmt"}}
		for _, to := range imports {
			l.Imports = append(l.Imports, module+"/"+to)
		}
		return l
	}
	packages := []listing{of("a", "small", "large", "two", "tasks/x", "xtest"), of("b", "two"), of("small"), of("large"), of("two"), of("tasks/x"), of("xtest")}
	faults := crumbFaults(packages, map[string]int{"small": 299, "large": 300, "two": 1, "tasks/x": 1})
	if got, want := slices.Sorted(maps.Keys(faults)), []string{"small"}; !slices.Equal(got, want) {
		t.Errorf("faults of %v, want %v", got, want)
	}
}
