package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// The shapes of a node.
const (
	objectShape = iota
	leafShape
	wrapShape // stands for its only child, as the groups around the elements of a list do
	mapShape
)

// A node is a column of a Parquet file, or a group of them.
type node struct {
	name, path             string
	shape                  int
	repeated               bool
	definition, repetition int // levels
	leaves                 int // columns with values of its own
	children               []*node

	kind parquet.Kind // of a leaf
	read func(parquet.Value) any
}

// schemaOf returns the schema of a file, and its leaves in order.
func schemaOf(f *parquet.File) (root *node, leaves []*node) {
	elements := f.Metadata().Schema
	arrow, _ := f.Lookup("ARROW:schema")
	types := arrowTypes(arrow)
	var walk func(within *node) *node
	walk = func(within *node) *node {
		e := &elements[0]
		elements = elements[1:]
		n := &node{name: e.Name, path: strings.TrimPrefix(within.path+"."+e.Name, "."), definition: within.definition, repetition: within.repetition}
		n.repeated = e.RepetitionType.V == format.Repeated
		if e.RepetitionType.V != format.Required {
			n.definition++
		}
		if n.repeated {
			n.repetition++
		}
		if e.Type.Valid {
			n.shape, n.leaves, n.kind = leafShape, 1, parquet.Kind(e.Type.V)
			leaves = append(leaves, n)
			n.read = n.reader(e)
			return n
		}
		for range e.NumChildren.V {
			child := walk(n)
			n.children = append(n.children, child)
			n.leaves += child.leaves
		}
		n.shape = n.groupShape(e)
		return n
	}
	top := elements[0].NumChildren.V
	elements = elements[1:]
	root = &node{}
	for range top {
		child := walk(root)
		root.children = append(root.children, child)
	}
	if len(types) == len(leaves) {
		for i, n := range leaves {
			if says := onlyArrow[types[i]]; says != "" && n.shape == leafShape {
				n.read = n.unread(says)
			}
		}
	}
	return root, leaves
}

// groupShape returns the shape of a group, by the rules of the format for lists and maps.
func (n *node) groupShape(e *format.SchemaElement) int {
	if len(n.children) != 1 || !n.children[0].repeated {
		return objectShape
	}
	inner := n.children[0]
	_, isMap := e.LogicalType.Value.(*format.MapType)
	_, isList := e.LogicalType.Value.(*format.ListType)
	converted := func(t deprecated.ConvertedType) bool { return e.ConvertedType.Valid && e.ConvertedType.V == t }
	switch {
	case (isMap || converted(deprecated.Map) || converted(deprecated.MapKeyValue)) && len(inner.children) == 2:
		return mapShape
	case !isList && !converted(deprecated.List):
		return objectShape
	}
	if inner.shape == objectShape && len(inner.children) == 1 && inner.name != "array" && inner.name != n.name+"_tuple" {
		inner.shape = wrapShape
	}
	return wrapShape
}

// keyText returns a key of a map as text.
func keyText(key any) (string, error) {
	switch key := key.(type) {
	case string:
		return key, nil
	case json.Number, bool:
		return fmt.Sprint(key), nil
	}
	return "", errors.New("no text")
}
