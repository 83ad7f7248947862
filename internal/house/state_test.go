package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"strings"
	"testing"
)

// bareGo lists the functions that may use a go statement, each with how it waits for
// its goroutine.
var bareGo = exceptions{
	"run/player.Person.Play":         "nothing ends a read of a terminal: it ends with the input, or with the program",
	"tiny/transformer.workerPool.do": "workers wait for the next call for a moment, then end by themselves",
}

// sleepers lists the functions that may call time.Sleep outside a synctest bubble.
var sleepers = exceptions{}

// variables lists the package variables that may change.
var variables = exceptions{}

func TestNoInit(t *testing.T) {
	for _, s := range checkout(t).sources {
		report(t, initFaults(s))
	}
}

// initFaults finds init functions.
func initFaults(s *source) (faults []string) {
	for _, decl := range s.ast.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			faults = append(faults, fmt.Sprintf("%s: init runs implicitly: use a table, sync.OnceValue, or a call from main", s.at(fn)))
		}
	}
	return faults
}

func TestTemplatesCallNoMethods(t *testing.T) {
	for _, s := range checkout(t).sources {
		report(t, templateFaults(s))
	}
}

// templateFaults finds templates that call methods by name: for them the linker keeps all methods of the program.
func templateFaults(s *source) (faults []string) {
	for _, name := range []string{"html/template", "text/template"} {
		if !s.forTests() && importName(s, name) != "" {
			faults = append(faults, s.path+" imports "+name+": take that of github.com/DataDog/datadog-agent/pkg/template, which saves 5 MB")
		}
	}
	return faults
}

func TestGoWaits(t *testing.T) {
	faults := map[string]string{}
	for _, s := range checkout(t).sources {
		if s.forTests() {
			continue
		}
		eachFunc(s, func(name string, body ast.Node) {
			ast.Inspect(body, func(n ast.Node) bool {
				if stmt, ok := n.(*ast.GoStmt); ok {
					faults[name] = fmt.Sprintf("%s: %s uses a go statement: use sync.WaitGroup.Go and wait before returning", s.at(stmt), name)
				}
				return true
			})
		})
	}
	report(t, bareGo.except(faults))
}

// TestNoSleep checks that code and tests wait for events instead of sleeping. A file
// that imports testing/synctest may sleep: in a bubble, sleeping takes no time and is
// the way to let time pass.
func TestNoSleep(t *testing.T) {
	faults := map[string]string{}
	for _, s := range checkout(t).sources {
		maps.Copy(faults, sleepFaults(s))
	}
	report(t, sleepers.except(faults))
}

// sleepFaults finds calls of time.Sleep, by the function that makes them.
func sleepFaults(s *source) map[string]string {
	faults := map[string]string{}
	if importName(s, "testing/synctest") != "" {
		return faults
	}
	clock := importName(s, "time")
	eachFunc(s, func(name string, body ast.Node) {
		ast.Inspect(body, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && clock != "" && isSelector(e, clock, "Sleep") {
				faults[name] = fmt.Sprintf("%s: %s sleeps: wait for the event itself (a channel, a context); "+
					"in tests, let time pass in testing/synctest", s.at(n), name)
			}
			return true
		})
	})
	return faults
}

// eachFunc calls f for every function of s, and for every other declaration under the
// name of its package.
func eachFunc(s *source, f func(name string, body ast.Node)) {
	for _, decl := range s.ast.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			f(funcName(s, fn), fn)
		} else {
			f(show(s.pkg), decl)
		}
	}
}

// importName is the name that s uses for the package with an import path; empty if s
// does not import it.
func importName(s *source, importPath string) string {
	for _, spec := range s.ast.Imports {
		if strings.Trim(spec.Path.Value, `"`) != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// isSelector reports whether e is pkg.name.
func isSelector(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg && (name == "" || sel.Sel.Name == name)
}

func TestNoGlobals(t *testing.T) {
	packages := map[string][]*source{}
	for _, s := range checkout(t).sources {
		if !s.forTests() {
			packages[s.pkg] = append(packages[s.pkg], s)
		}
	}
	faults := map[string]string{}
	for _, sources := range packages {
		for _, s := range sources {
			maps.Copy(faults, kindFaults(s))
		}
		maps.Copy(faults, changeFaults(sources))
	}
	report(t, variables.except(faults))
}

const insteadOfGlobals = "keep it in the value that uses it; a package variable is a table, or sync.OnceValue"

// kindFaults finds package variables whose only purpose can be to change, by name.
func kindFaults(s *source) map[string]string {
	faults := map[string]string{}
	for _, decl := range s.ast.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok || v.Names[0].Name == "_" || embeds(gen.Doc) || embeds(v.Doc) {
				continue
			}
			if why := changing(v); why != "" {
				name := show(s.pkg) + "." + v.Names[0].Name
				faults[name] = fmt.Sprintf("%s: %s %s: %s", s.at(v), name, why, insteadOfGlobals)
			}
		}
	}
	return faults
}

// embeds reports whether a comment holds a go:embed line.
func embeds(c *ast.CommentGroup) bool {
	if c != nil {
		for _, line := range c.List {
			if strings.HasPrefix(line.Text, "//go:embed") {
				return true
			}
		}
	}
	return false
}

// changing returns why a variable looks as if it is meant to change; empty if it does
// not.
func changing(v *ast.ValueSpec) string {
	if isLock(v.Type) {
		return "is a lock or an atomic"
	}
	if len(v.Values) == 0 {
		return "has no initial value"
	}
	for _, value := range v.Values {
		if amp, ok := value.(*ast.UnaryExpr); ok && amp.Op == token.AND {
			value = amp.X
		}
		switch x := value.(type) {
		case *ast.CompositeLit:
			if isLock(x.Type) {
				return "is a lock or an atomic"
			}
			if _, ok := x.Type.(*ast.MapType); ok && len(x.Elts) == 0 {
				return "is a map to be filled"
			}
		case *ast.CallExpr:
			fn, ok := x.Fun.(*ast.Ident)
			switch {
			case ok && fn.Name == "make":
				return "is a map, slice or channel to be filled"
			case ok && fn.Name == "new" && len(x.Args) == 1 && isLock(x.Args[0]):
				return "is a lock or an atomic"
			}
		}
	}
	return ""
}

// isLock reports whether t is a type of sync or sync/atomic.
func isLock(t ast.Expr) bool {
	switch x := t.(type) {
	case *ast.StarExpr:
		return isLock(x.X)
	case *ast.IndexExpr:
		return isLock(x.X)
	}
	return t != nil && (isSelector(t, "sync", "") || isSelector(t, "atomic", ""))
}

// changeFaults finds package variables of one package that its code changes, by name.
// The type checker resolves the names; it does not know the imported packages, and its
// errors are ignored.
func changeFaults(sources []*source) map[string]string {
	var files []*ast.File
	for _, s := range sources {
		files = append(files, s.ast)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: unknown{}, Error: func(error) {}}
	pkg, _ := conf.Check(sources[0].pkg, sources[0].fset, files, &info)
	faults := map[string]string{}
	for _, s := range sources {
		changed := func(n ast.Node, target ast.Expr, how string) {
			id := rootOf(target)
			if id == nil || info.Uses[id] == nil || info.Uses[id].Parent() != pkg.Scope() {
				return
			}
			if _, ok := info.Uses[id].(*types.Var); ok {
				name := show(s.pkg) + "." + id.Name
				faults[name] = fmt.Sprintf("%s: %s is %s: %s", s.at(n), name, how, insteadOfGlobals)
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			eachChange(n, changed)
			return true
		})
	}
	return faults
}

// eachChange calls changed for each variable that n itself changes, not counting its
// parts.
func eachChange(n ast.Node, changed func(n ast.Node, target ast.Expr, how string)) {
	switch x := n.(type) {
	case *ast.AssignStmt:
		for _, target := range x.Lhs {
			changed(x, target, "assigned to")
		}
	case *ast.IncDecStmt:
		changed(x, x.X, "assigned to")
	case *ast.RangeStmt:
		if x.Tok == token.ASSIGN {
			changed(x, x.Key, "assigned to")
			changed(x, x.Value, "assigned to")
		}
	case *ast.UnaryExpr:
		if _, plain := x.X.(*ast.Ident); plain && x.Op == token.AND {
			changed(x, x.X, "handed out by its address")
		}
	case *ast.CallExpr:
		if fn, ok := x.Fun.(*ast.Ident); ok && (fn.Name == "delete" || fn.Name == "clear") && len(x.Args) > 0 {
			changed(x, x.Args[0], "emptied")
		}
	}
}

// rootOf is the variable that e is or is part of; nil for anything else.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// unknown imports every package as an empty package.
type unknown struct{}

// Import implements [types.Importer].
func (unknown) Import(importPath string) (*types.Package, error) {
	pkg := types.NewPackage(importPath, path.Base(importPath))
	pkg.MarkComplete()
	return pkg, nil
}
