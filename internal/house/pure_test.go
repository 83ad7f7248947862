package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// impure lists what a task may not import: it would let a problem depend on more
// than its draw. An entry stands for the packages below it too.
var impure = []struct{ path, why string }{
	{"os", "a task opens no file and reads no environment"},
	{"net", "a task knows no network"},
	{"syscall", "a task knows no operating system"},
	{"context", "a task ends by itself, soon"},
	{"math/rand", "chance comes from rng alone"},
	{"crypto/rand", "chance comes from rng alone"},
	{"hash/maphash", "its hashes differ from process to process"},
	{"runtime", "a task does not know where it runs"},
	{"unsafe", "the bytes are the same on every machine"},
	{module + "/sandbox", "a task runs no code; what needs a process is a scenario"},
}

// clock lists what of package time depends on when or where it is called. The
// calendar (Date, Month, Duration, Parse …) is free.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"}

func TestPure(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() && isPure(s.pkg) {
			report(t, pureFaults(s))
		}
	}
}

// isPure reports whether a package holds nouns or tasks.
func isPure(pkg string) bool { return pkg == "" || pkg == "task" || strings.HasPrefix(pkg, "tasks/") }

// pureFaults tells by which imports and calls s depends on the world.
func pureFaults(s *source) (faults []string) {
	for _, spec := range s.ast.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		if s.pkg == "" && imported == "context" {
			continue // the signatures of Env and Policy need it
		}
		for _, bad := range impure {
			if imported == bad.path || strings.HasPrefix(imported, bad.path+"/") {
				faults = append(faults, fmt.Sprintf("%s: imports %s: %s", s.at(spec), imported, bad.why))
			}
		}
		if s.pkg == "" && !isStandard(imported) {
			faults = append(faults, fmt.Sprintf("%s: imports %s: the nouns know the standard library only", s.at(spec), imported))
		}
	}
	name := importName(s, "time")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, is := n.(*ast.SelectorExpr)
		if is && name != "" && isSelector(sel, name, "") && slices.Contains(clock, sel.Sel.Name) {
			faults = append(faults, fmt.Sprintf("%s: time.%s: a task reads no clock; of time it may use the calendar", s.at(n), sel.Sel.Name))
		}
		return true
	})
	return faults
}
