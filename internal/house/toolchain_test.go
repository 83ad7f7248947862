package house

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// ownJSON stands in for a part of encoding/json, and ownUnicode for unicode, so every floor may import them.
const (
	ownJSON    = "internal/strictjson"
	ownUnicode = "internal/unicode15"
)

// A standIn replaces functions of a package.
type standIn struct {
	replaced string // the package
	why      string
	own      string
	names    []string // its functions
	but      []string // packages that may call them: they read names as they are
}

var standIns = []standIn{
	{"encoding/json", "takes the names of fields in any case", ownJSON, strings.Fields("Unmarshal NewDecoder"), []string{"text/pyvalue", "policy/fake"}},
	{"unicode", "differs between toolchains", ownUnicode, strings.Fields("Is In IsLetter IsMark IsNumber IsDigit IsPunct IsSymbol IsUpper IsLower IsTitle IsPrint IsGraphic IsOneOf To ToUpper ToLower ToTitle SimpleFold"), nil},
}

func TestStandIns(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() {
			report(t, toolchainFaults(s))
		}
	}
}

// toolchainFaults finds the functions that a package of ours stands in for.
func toolchainFaults(s *source) (faults []string) {
	for _, in := range standIns {
		name := importName(s, in.replaced)
		if name == "" || s.pkg == in.own || slices.Contains(in.but, s.pkg) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && isSelector(sel, name, "") && slices.Contains(in.names, sel.Sel.Name) {
				faults = append(faults, fmt.Sprintf("%s: %s.%s %s: call %s", s.at(n), path.Base(in.replaced), sel.Sel.Name, in.why, path.Base(in.own)))
			}
			return true
		})
	}
	return faults
}
