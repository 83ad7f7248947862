package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// impure lists what a task must not import, because problems could then depend on more
// than their draws. An entry includes the packages below it.
var impure = []struct{ path, why string }{
	{"os", "a task opens no file and reads no environment"},
	{"net", "a task does not use the network"},
	{"syscall", "a task does not use the operating system"},
	{"context", "a task ends by itself, quickly"},
	{"math/rand", "randomness comes only from rng"},
	{"crypto/rand", "randomness comes only from rng"},
	{"hash/maphash", "its hashes differ from process to process"},
	{"runtime", "a task does not depend on where it runs"},
	{"unsafe", "the bytes are the same on every machine"},
	{module + "/sandbox", "a task runs no code; only a scenario may start a process"},
}

// clock lists the functions of package time that depend on when or where they are
// called. The calendar (Date, Month, Duration, Parse …) is allowed.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"}

func TestNounsTasksAndScenariosArePure(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() && isPure(s.pkg) {
			report(t, pureFaults(s))
		}
	}
}

// isPure reports whether a package holds nouns, tasks or scenarios.
func isPure(pkg string) bool {
	wing, _, _ := strings.Cut(pkg, "/")
	return slices.Contains([]string{"", "task", "tasks", "scenario", "scenarios"}, wing) && !slices.Contains(worldly, pkg)
}

// worldly lists the packages of these wings that hold neither nouns, nor tasks, nor
// scenarios.
var worldly = []string{
	"task/rng",                                                // makes the randomness
	"tasks/catalog",                                           // chooses tasks by settings
	"tasks/dataset",                                           // reads files
	"tasks/moves/rushgen",                                     // writes a file of boards
	"scenario/external",                                       // starts programs
	"scenario/external/guest",                                 // writes the files of hosts
	"scenario/external/mcptools", "scenario/external/nemogym", // ask servers

	"scenario/external/openenv", "scenario/external/ors", // ask servers
	"scenario/external/venv", // runs tools of Python
}

// episodes lists the packages that may import context: Env and Policy take one.
var episodes = []string{"", "scenario", "scenario/tools", "scenarios", "scenarios/games", "scenarios/toolbox", "tasks/list"}

// pureFaults finds the imports and calls that make s depend on the outside world.
func pureFaults(s *source) (faults []string) {
	for _, spec := range s.ast.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if imported == "context" && slices.Contains(episodes, s.pkg) {
			continue
		}
		for _, bad := range impure {
			if imported == bad.path || strings.HasPrefix(imported, bad.path+"/") {
				faults = append(faults, fmt.Sprintf("%s: imports %s: %s", s.at(spec), imported, bad.why))
			}
		}
		if s.pkg == "" && !isStandard(imported) && imported != module+"/"+ownJSON {
			faults = append(faults, fmt.Sprintf("%s: imports %s: the nouns import the standard library only, and strictjson", s.at(spec), imported))
		}
	}
	name := importName(s, "time")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && name != "" && isSelector(sel, name, "") && slices.Contains(clock, sel.Sel.Name) {
			faults = append(faults, fmt.Sprintf("%s: time.%s: a task reads no clock; it may use only the calendar of package time", s.at(n), sel.Sel.Name))
		}
		return true
	})
	return faults
}
