package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// maxMethods bounds the methods of a type: one with more is really two. Packages have no bound, only
// the project has (see TestBudgets): bounds of packages made crumbs.
const maxMethods = 40

// wide lists the types that may have more methods, each with the reason.
var wide = exceptions{}

// twins lists the structs that may have fields whose names differ only in case.
var twins = exceptions{}

func TestTypesStaySmall(t *testing.T) {
	methods := map[string]int{}
	for _, s := range checkout(t).sources {
		if s.forTests() || ast.IsGenerated(s.ast) {
			continue
		}
		for _, decl := range s.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && receiver(fn) != "" {
				methods[show(s.pkg)+"."+receiver(fn)]++
			}
		}
	}
	report(t, wide.except(methodFaults(methods)))
}

// methodFaults finds types with too many methods, by name.
func methodFaults(methods map[string]int) map[string]string {
	faults := map[string]string{}
	for name, n := range methods {
		if n > maxMethods {
			faults[name] = fmt.Sprintf("%s has %d methods, at most %d are allowed: it is really two types", name, n, maxMethods)
		}
	}
	return faults
}

func TestMethodFaults(t *testing.T) {
	faults := methodFaults(map[string]int{"a.T": 40, "a.U": 41})
	if got, want := slices.Sorted(maps.Keys(faults)), []string{"a.U"}; !slices.Equal(got, want) {
		t.Errorf("faults of %v, want %v", got, want)
	}
}

// A structure describes the fields of a struct type.
type structure struct {
	at       string
	fields   []string
	embedded []string // names of embedded types
}

// TestNoTwinFields finds structs with fields whose names differ only in case, such as
// r.Policy and r.policy. Fields of embedded structs of the same package count too.
func TestNoTwinFields(t *testing.T) {
	all := map[string]map[string]structure{} // by package and type
	for _, s := range checkout(t).sources {
		if !s.forTests() {
			if all[s.pkg] == nil {
				all[s.pkg] = map[string]structure{}
			}
			maps.Copy(all[s.pkg], structures(s))
		}
	}
	faults := map[string]string{}
	for pkg, types := range all {
		for name := range types {
			if a, b := twinFields(types, name); a != "" {
				key := show(pkg) + "." + name
				faults[key] = fmt.Sprintf("%s: %s has the fields %s and %s, which differ only in case", types[name].at, key, a, b)
			}
		}
	}
	report(t, twins.except(faults))
}

// structures lists the struct types of s.
func structures(s *source) map[string]structure {
	found := map[string]structure{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		st := structure{at: s.at(spec)}
		for _, field := range body.Fields.List {
			for _, name := range field.Names {
				st.fields = append(st.fields, name.Name)
			}
			if field.Names == nil {
				st.embedded = append(st.embedded, typeName(field.Type))
			}
		}
		found[spec.Name.Name] = st
		return true
	})
	return found
}

// typeName is the name of an embedded type, without that of its package.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// twinFields returns two fields of a type whose names differ only in case.
func twinFields(types map[string]structure, name string) (a, b string) {
	seen := map[string]string{}
	var visit func(name string, depth int) (string, string)
	visit = func(name string, depth int) (string, string) {
		st, known := types[name]
		if !known || depth > 4 {
			return "", ""
		}
		for _, field := range append(slices.Clone(st.fields), st.embedded...) {
			lower := strings.ToLower(field)
			if other, met := seen[lower]; met && other != field {
				return other, field
			}
			seen[lower] = field
		}
		for _, inner := range st.embedded {
			if a, b := visit(inner, depth+1); a != "" {
				return a, b
			}
		}
		return "", ""
	}
	return visit(name, 0)
}

func TestTwinFields(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"type T struct { A, b int }", ""},
		{"type T struct { Policy, policy int }", "Policy policy"},
		{"type T struct { S; policy int }\ntype S struct { Policy int }", "policy Policy"},
		{"type T struct { *S; queue int }\ntype S struct { x.Queue }", "queue Queue"},
		{"type T struct { *T }", ""},
	} {
		types := structures(snippet(t, "hub", "package hub\n"+test.code))
		a, b := twinFields(types, "T")
		if got := strings.TrimSpace(a + " " + b); got != test.want {
			t.Errorf("%s: %q, want %q", test.code, got, test.want)
		}
	}
}

// TestNothingEmbedsSettings checks that settings are never embedded: they are values,
// passed under a name to what needs them.
func TestNothingEmbedsSettings(t *testing.T) {
	for _, s := range checkout(t).sources {
		if s.forTests() {
			continue
		}
		for name, st := range structures(s) {
			for _, inner := range st.embedded {
				if lower := strings.ToLower(inner); strings.HasSuffix(lower, "settings") || lower == "config" {
					t.Errorf("%s: %s embeds %s: name the field, and pass on only what is needed of it", st.at, name, inner)
				}
			}
		}
	}
}

// TestEveryScenarioIsListed finds scenarios that are missing from the list of their
// package.
func TestEveryScenarioIsListed(t *testing.T) {
	specs, listed := map[string]string{}, map[string]bool{}
	for _, s := range checkout(t).sources {
		if s.pkg != "scenarios" || s.test {
			continue
		}
		for _, v := range packageVars(s) {
			for i, value := range v.Values {
				lit, ok := value.(*ast.CompositeLit)
				if !ok {
					continue
				}
				if isSelector(lit.Type, "scenario", "Spec") {
					specs[v.Names[i].Name] = s.at(v)
				}
				if v.Names[i].Name == "All" {
					for _, e := range lit.Elts {
						listed[typeName(e)] = true
					}
				}
			}
		}
	}
	if len(specs) == 0 {
		t.Error("scenarios has no scenarios")
	}
	for name, at := range specs {
		if !listed[name] {
			t.Errorf("%s: scenario %s is not in scenarios.All", at, name)
		}
		if file := path.Base(strings.SplitN(at, ":", 2)[0]); strings.ReplaceAll(strings.TrimSuffix(file, ".go"), "_", "") != strings.ToLower(name) {
			t.Errorf("%s: scenario %s is in a file with another name", at, name)
		}
	}
}
