package watch

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"text/template/parse"
)

// No page names a method, for that of any type could then be called, and the linker would keep all.
func TestPagesNameNoMethods(t *testing.T) {
	read, err := readPages()
	if err != nil {
		t.Fatal(err)
	}
	pages := maps.Clone(read.pages)
	pages["alone"] = read.alone
	fields, methods := map[string]bool{}, map[string]string{}
	for _, body := range []any{
		view{}, status{}, runPage{}, groupPage{}, groupsPage{}, faultsPage{}, sessionsPage{}, sessionPage{}, stepPage{}, tasksPage{}, taskPage{}, evaluationsPage{}, exportPage{}, workersPage{},
	} {
		collect(reflect.TypeOf(body), fields, methods, map[reflect.Type]bool{})
	}
	for name, page := range pages {
		for _, part := range page.Templates() {
			for _, field := range named(part.Tree.Root) {
				if of, ok := methods[field]; ok && !fields[field] {
					t.Errorf("page %s, template %s: .%s is a method of %s: give it as a function", name, part.Name(), field, of)
				}
			}
		}
	}
}

// collect notes the exported fields and methods of a type and of all that it leads to.
func collect(t reflect.Type, fields map[string]bool, methods map[string]string, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	for _, with := range []reflect.Type{t, reflect.PointerTo(t)} {
		for m := range with.Methods() {
			methods[m.Name] = with.String()
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		collect(t.Elem(), fields, methods, seen)
	case reflect.Struct:
		for f := range t.Fields() {
			fields[f.Name] = true
			collect(f.Type, fields, methods, seen)
		}
	}
}

// named are the fields and methods that a template names.
func named(n parse.Node) (names []string) {
	walk := func(all ...parse.Node) {
		for _, one := range all {
			if !reflect.ValueOf(one).IsNil() {
				names = append(names, named(one)...)
			}
		}
	}
	branch := func(b *parse.BranchNode) { walk(b.Pipe, b.List, b.ElseList) }
	switch n := n.(type) {
	case *parse.ListNode:
		walk(n.Nodes...)
	case *parse.ActionNode:
		walk(n.Pipe)
	case *parse.TemplateNode:
		walk(n.Pipe)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			walk(c.Args...)
		}
	case *parse.FieldNode:
		names = n.Ident
	case *parse.VariableNode:
		names = n.Ident[1:]
	case *parse.ChainNode:
		names = slices.Concat(named(n.Node), n.Field)
	}
	return names
}
