package house

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// ownJSON stands in for encoding/json, and ownUnicode for unicode, so every floor may import them.
const (
	ownJSON    = "internal/jsonform"
	ownUnicode = "internal/unicode15"
)

// A standIn replaces functions of a package whose results differ between Go 1.26 and 1.27.
type standIn struct {
	replaced string // the package
	own      string
	names    []string // its functions
}

var standIns = []standIn{
	{"encoding/json", ownJSON, strings.Fields("Marshal MarshalIndent Unmarshal NewDecoder NewEncoder")},
	{"unicode", ownUnicode, strings.Fields("Is In IsLetter IsMark IsNumber IsDigit IsPunct IsSymbol IsUpper IsLower IsTitle IsPrint IsGraphic IsOneOf To ToUpper ToLower ToTitle SimpleFold")},
}

func TestResultsDoNotDependOnTheToolchain(t *testing.T) {
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
		if name == "" || s.pkg == in.own {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, is := n.(*ast.SelectorExpr)
			if is && isSelector(sel, name, "") && slices.Contains(in.names, sel.Sel.Name) {
				faults = append(faults, fmt.Sprintf("%s: %s.%s differs between toolchains: call %s", s.at(n), path.Base(in.replaced), sel.Sel.Name, path.Base(in.own)))
			}
			return true
		})
	}
	return faults
}
