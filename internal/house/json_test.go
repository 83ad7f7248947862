package house

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// ownJSON stands in for encoding/json, so every floor may import it.
const ownJSON = "internal/jsonform"

func TestJSONDoesNotDependOnTheToolchain(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() {
			report(t, jsonFaults(s))
		}
	}
}

// jsonFaults finds the functions of encoding/json with bytes or errors that differ between Go 1.26 and 1.27.
func jsonFaults(s *source) (faults []string) {
	name := importName(s, "encoding/json")
	if name == "" || s.pkg == ownJSON {
		return nil
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, is := n.(*ast.SelectorExpr)
		if is && isSelector(sel, name, "") && slices.Contains([]string{"Marshal", "Unmarshal", "NewDecoder"}, sel.Sel.Name) {
			faults = append(faults, fmt.Sprintf("%s: json.%s differs between toolchains: call jsonform.%[2]s", s.at(n), sel.Sel.Name))
		}
		return true
	})
	return faults
}
