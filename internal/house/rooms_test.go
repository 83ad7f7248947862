package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"testing"
)

// How large things may be, except in tests and in packages for tests. A function fits
// on a screen, and a file can be read in one sitting.
const (
	maxFuncLines = 60
	maxFileLines = 500 // without the lines of package-level tables
	maxNesting   = 3   // levels of control flow; an else-if is not a new level, and the body of a function literal counts for itself
	maxParams    = 4   // without the receiver and a context
)

// large lists what may be larger, by the name in the message.
var large = exceptions{}

func TestFunctionsAndFilesStaySmall(t *testing.T) {
	faults := map[string]string{}
	documented := map[string]bool{}
	var sources []*source
	for _, s := range checkout(t).sources {
		if s.test {
			continue
		}
		sources = append(sources, s)
		documented[s.pkg] = documented[s.pkg] || s.ast.Doc.Text() != ""
		if !s.forTests() {
			maps.Copy(faults, sizeFaults(s))
		}
	}
	for pkg, has := range documented {
		if !has {
			faults[show(pkg)] = fmt.Sprintf("%s has no package comment: say what it is for, in the file named after it", show(pkg))
		}
	}
	for _, s := range sources {
		maps.Copy(faults, commentFaults(s))
	}
	report(t, large.except(faults))
}

// sizeFaults finds what is too large in s, by name.
func sizeFaults(s *source) map[string]string {
	faults := map[string]string{}
	if ast.IsGenerated(s.ast) {
		return faults
	}
	if n := s.fset.File(s.ast.Pos()).LineCount() - tableLines(s); n > maxFileLines {
		faults[s.path] = fmt.Sprintf("%s has %d lines, at most %d are allowed: split it by noun", s.path, n, maxFileLines)
	}
	for _, decl := range s.ast.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := funcName(s, fn)
		add := func(format string, args ...any) {
			faults[name] = fmt.Sprintf("%s: %s %s", s.at(fn), name, fmt.Sprintf(format, args...))
		}
		if n := params(fn); n > maxParams {
			add("takes %d parameters, at most %d are allowed: make them a struct", n, maxParams)
		}
		if fn.Body == nil {
			continue
		}
		if n := nesting(fn.Body); n > maxNesting {
			add("nests control flow %d deep, at most %d is allowed: return early, or name the inner part", n, maxNesting)
		}
		if n := s.lines(fn); n > maxFuncLines {
			add("has %d lines, at most %d are allowed: name its parts", n, maxFuncLines)
		}
	}
	return faults
}

// funcName names a function within the module: "rng.New", "hub.Server.Run".
func funcName(s *source, fn *ast.FuncDecl) string {
	name := fn.Name.Name
	if t := receiver(fn); t != "" {
		name = t + "." + name
	}
	if s.pkg == "" {
		return "quintain." + name
	}
	return s.pkg + "." + name
}

// receiver is the name of the type of which fn is a method; empty if fn is a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// params counts the parameters of fn.
func params(fn *ast.FuncDecl) int {
	n := 0
	for _, field := range fn.Type.Params.List {
		if isSelector(field.Type, "context", "Context") {
			continue
		}
		n += max(1, len(field.Names))
	}
	return n
}

// tableLines counts the lines of the composite literals that are values of
// package variables.
func tableLines(s *source) int {
	n := 0
	for _, spec := range packageVars(s) {
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.CompositeLit); ok {
				n += s.lines(lit) - 1
			}
		}
	}
	return n
}

// packageVars lists the variables that s declares outside functions.
func packageVars(s *source) (specs []*ast.ValueSpec) {
	for _, decl := range s.ast.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				specs = append(specs, v)
			}
		}
	}
	return specs
}

// nesting is the depth of control flow within n. The body of a function literal counts
// for itself.
func nesting(n ast.Node) int {
	deepest := 0
	var visit func(n ast.Node, depth int)
	visit = func(n ast.Node, depth int) {
		deepest = max(deepest, depth)
		ast.Inspect(n, func(child ast.Node) bool {
			if child == n || child == nil {
				return true
			}
			switch x := child.(type) {
			case *ast.IfStmt:
				if outer, ok := n.(*ast.IfStmt); ok && outer.Else == x {
					visit(x, depth) // else if
				} else {
					visit(x, depth+1)
				}
				return false
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				visit(x, depth+1)
				return false
			case *ast.FuncLit:
				visit(x, 0)
				return false
			}
			return true
		})
	}
	visit(n, 0)
	return deepest
}

// commentFaults finds the exported names of s without a comment, by name. The names in
// a group may share the group's comment.
func commentFaults(s *source) map[string]string {
	faults := map[string]string{}
	need := func(n ast.Node, name string, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c.Text() != "" {
				return
			}
		}
		faults[name+" comment"] = fmt.Sprintf("%s: %s has no comment: say, from the caller's side, what name and type do not", s.at(n), name)
	}
	for _, decl := range s.ast.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if t := receiver(decl); decl.Name.IsExported() && (t == "" || ast.IsExported(t)) {
				need(decl, funcName(s, decl), decl.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						need(spec, show(s.pkg)+"."+spec.Name.Name, spec.Doc, spec.Comment, decl.Doc)
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.IsExported() {
							need(spec, show(s.pkg)+"."+name.Name, spec.Doc, spec.Comment, decl.Doc)
						}
					}
				}
			}
		}
	}
	return faults
}
