package house

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// light lists the packages that a change of a task, a game or a tool must not build again, with
// all packages below them. They get tasks and scenarios by value, from cmd/quintain.
var light = []string{"cmd/quintain/screen", "run/watch", "run", "hub", "run/fleet", "gateway"}

// isFamily reports whether a package holds tasks or scenarios, or connects those of all families.
func isFamily(pkg string) bool {
	return (below(pkg, "tasks") || below(pkg, "scenarios")) && pkg != "tasks/list" && pkg != "tasks/dataset"
}

// below reports whether pkg is the package parent, or in a folder of it.
func below(pkg, parent string) bool { return pkg == parent || isParent(parent, pkg) }

func TestLightPackagesBuildNoFamily(t *testing.T) {
	report(t, weights(checkout(t).packages))
}

// The tests of these packages need a family or two, but not all of them: a binary that links the
// catalogue takes seconds. (Heavy tests may.)
func TestTestsOfLightPackagesLinkNoCatalogue(t *testing.T) {
	for _, l := range checkout(t).packages {
		if tests := slices.Concat(l.TestImports, l.XTestImports); isLight(l.name()) && slices.Contains(tests, module+"/tasks/catalog") {
			t.Errorf("the tests of %s import tasks/catalog: import the families that they play", l.name())
		}
	}
}

// isLight reports whether a package is among the light ones.
func isLight(name string) bool {
	return slices.ContainsFunc(light, func(of string) bool { return below(name, of) })
}

// weights names each light package that needs a family, with the imports that lead to it.
func weights(packages []listing) (faults []string) {
	imports := map[string][]string{}
	for _, l := range packages {
		for _, to := range l.Imports {
			if ours(to) {
				imports[l.name()] = append(imports[l.name()], within(to))
			}
		}
	}
	for _, l := range packages {
		name := l.name()
		if !isLight(name) {
			continue
		}
		if chain := lead(imports, name); chain != nil {
			faults = append(faults, fmt.Sprintf("%s builds a family of tasks or scenarios: %s; take what it needs as a value from cmd/quintain", name, strings.Join(chain, " → ")))
		}
	}
	return faults
}

// lead returns a shortest chain of imports from a package to a family; nil: there is none.
func lead(imports map[string][]string, from string) []string {
	by := map[string]string{from: ""} // who imports a package that was reached
	for open := []string{from}; len(open) > 0; open = open[1:] {
		for _, to := range imports[open[0]] {
			if _, reached := by[to]; reached {
				continue
			}
			by[to] = open[0]
			if open = append(open, to); !isFamily(to) {
				continue
			}
			chain := []string{to}
			for ; to != from; to = by[to] {
				chain = append([]string{by[to]}, chain...)
			}
			return chain
		}
	}
	return nil
}

func TestWeights(t *testing.T) {
	of := func(name string, imports ...string) listing {
		l := listing{ImportPath: module + "/" + name, Imports: []string{"fmt"}}
		for _, to := range imports {
			l.Imports = append(l.Imports, module+"/"+to)
		}
		return l
	}
	base := []listing{of("tasks/list", "task"), of("tasks/numbers", "task"), of("serve", "tasks/numbers"), of("scenarios/games", "task")}
	for _, test := range []struct {
		pkg  listing
		want string // part of the only fault; empty: none
	}{
		{of("run", "tasks/list", "tasks/dataset"), ""},
		{of("runner", "serve"), ""},
		{of("run/player", "tasks/list", "serve"), "run/player → serve → tasks/numbers;"},
		{of("run/watch", "scenarios/games"), "watch → scenarios/games;"},
	} {
		faults := weights(append(base, test.pkg))
		if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], test.want)) {
			t.Errorf("%s: faults %q, want %q", test.pkg.name(), faults, test.want)
		}
	}
}
