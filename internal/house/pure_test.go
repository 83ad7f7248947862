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

func TestNounsAndTasksArePure(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() && isPure(s.pkg) {
			report(t, pureFaults(s))
		}
	}
}

// isPure reports whether a package holds nouns or tasks.
func isPure(pkg string) bool { return pkg == "" || pkg == "task" || strings.HasPrefix(pkg, "tasks/") }

// pureFaults finds the imports and calls that make s depend on the outside world.
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
		if s.pkg == "" && !isStandard(imported) && imported != module+"/"+ownJSON {
			faults = append(faults, fmt.Sprintf("%s: imports %s: the nouns import the standard library only, and jsonform", s.at(spec), imported))
		}
	}
	name := importName(s, "time")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, is := n.(*ast.SelectorExpr)
		if is && name != "" && isSelector(sel, name, "") && slices.Contains(clock, sel.Sel.Name) {
			faults = append(faults, fmt.Sprintf("%s: time.%s: a task reads no clock; it may use only the calendar of package time", s.at(n), sel.Sel.Name))
		}
		return true
	})
	return faults
}
