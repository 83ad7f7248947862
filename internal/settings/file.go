package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// A node is a value of a file with its position.
type node struct {
	value     any // nil, bool, string, bare, int64, uint64, float64, []node, or []member
	line, col int
}

// A member is a key with its value.
type member struct {
	name      string
	value     node
	line, col int // of the key
}

// loadFile sets the settings in a YAML file.
func (f *Form) loadFile(from Sources) []error {
	top, err := parseYAML(from.Data)
	if err != nil {
		return []error{fmt.Errorf("%s:%w", from.File, err)}
	}
	if top == nil {
		return nil
	}
	r := reader{form: f, file: from.File}
	if r.formerly(*top, "", from.Former); r.faults == nil {
		r.group(*top, "")
	}
	return r.faults
}

// formerly records a fault for each key of n that there was, and is another now.
func (r *reader) formerly(n node, path string, former map[string]string) {
	members, _ := n.value.([]member)
	for _, m := range members {
		below := dotted(path) + m.name
		key, start, chooses := strings.Cut(former[below], "=")
		switch {
		case InWords(former[below]):
			r.fault(m.line, m.col, steps(below), errors.New(former[below]))
			continue
		case key == path && !chooses: // none, or scenario.name, a field of scenario
		case chooses:
			r.fault(m.line, m.col, steps(below), fmt.Errorf("use %s: %s…", key, start))
			continue
		case key != "":
			r.fault(m.line, m.col, steps(below), fmt.Errorf("use %s", key))
			continue
		}
		r.formerly(m.value, below, former)
	}
}

// A reader sets the settings of form to the values of a file.
type reader struct {
	form   *Form
	file   string // name, for errors; empty: leave the position out
	faults []error
}

// fault records an error at a place of the values, which has the given line and column in
// the file.
func (r *reader) fault(line, col int, place []any, err error) {
	err = &Fault{place, err}
	if r.file != "" {
		err = fmt.Errorf("%s:%d:%d: %w", r.file, line, col, err)
	}
	r.faults = append(r.faults, err)
}

// steps converts a path to a place.
func steps(path string) (place []any) {
	if path == "" {
		return nil
	}
	for name := range strings.SplitSeq(path, ".") {
		place = append(place, name)
	}
	return place
}

// group sets the settings of a section.
func (r *reader) group(n node, path string) {
	members, ok := n.value.([]member)
	if !ok {
		r.fault(n.line, n.col, steps(path), wanted(n.plain(), "a group of settings"))
		return
	}
	for _, m := range members {
		below := dotted(path) + m.name
		s := r.form.find(below)
		if s == nil && !r.form.has(below) {
			r.fault(m.line, m.col, steps(below), fmt.Errorf("there is no such setting%s", suggest(below, r.form.paths(), "."+m.name)))
			continue
		}
		if m.value.value == nil && (s == nil || !s.null) {
			continue // a key without a value leaves the default
		}
		if s == nil {
			r.group(m.value, below)
			continue
		}
		r.setting(s, m.value)
	}
}

// setting sets s to the value of n.
func (r *reader) setting(s *Setting, n node) {
	err := s.take(n)
	if err == nil {
		return
	}
	place := steps(s.path)
	var within *Fault
	if errors.As(err, &within) {
		place, err = append(place, within.Place...), within.Err
		n = n.at(within.Place)
	}
	r.fault(n.line, n.col, place, err)
}

// take sets s to the value of n, and checks it.
func (s *Setting) take(n node) error {
	s.named = true
	if _, free := s.value.(*object); free {
		if fault := n.ambiguous(); fault != nil {
			return fault
		}
	}
	if err := s.value.Take(n.plain()); err != nil {
		return err
	}
	return s.check()
}

// truths are the texts that mean true or false to other readers of YAML, if no quotes are around them.
var truths = []string{"yes", "no", "on", "off", "y", "n"}

// bare is one of them, without quotes.
type bare string

// octal matches a number in base 8 by the rules of YAML 1.1.
var octal = compiled.Regexp(`^[+-]?0[0-9_]+$`)

// ambiguous returns the fault of a value within n, which no setting checks, that may be a text or a truth value.
func (n node) ambiguous() *Fault {
	var fault *Fault
	var step any
	switch v := n.value.(type) {
	case bare:
		return &Fault{nil, fmt.Errorf("is %s, which may be true, false or a text: write true or false, or the text in quotes", v)}
	case []node:
		for i := 0; fault == nil && i < len(v); i++ {
			fault, step = v[i].ambiguous(), i
		}
	case []member:
		for i := 0; fault == nil && i < len(v); i++ {
			fault, step = v[i].value.ambiguous(), v[i].name
		}
	}
	if fault != nil {
		fault.Place = append([]any{step}, fault.Place...)
	}
	return fault
}

// plain returns the value in the form of [Value.Take].
func (n node) plain() any {
	switch v := n.value.(type) {
	case []node:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = one.plain()
		}
		return list
	case []member:
		fields := make(map[string]any, len(v))
		for _, m := range v {
			fields[m.name] = m.value.plain()
		}
		return fields
	case bare:
		return string(v)
	}
	return n.value
}

// at returns the node at a place within n, or the innermost node around that place.
func (n node) at(place []any) node {
	for _, step := range place {
		switch v := n.value.(type) {
		case []node:
			if i, ok := step.(int); ok && i < len(v) {
				n = v[i]
			}
		case []member:
			i := slices.IndexFunc(v, func(m member) bool { return m.name == step })
			if i < 0 {
				return n
			}
			n = node{v[i].value.value, v[i].line, v[i].col}
		}
	}
	return n
}

// located matches the line, column and message of an error of the YAML parser.
var located = compiled.Regexp(`^\[(\d+):(\d+)\] ([^\n]*)`)

// unparsed says what was wanted where the YAML parser stopped, by its message.
func unparsed(said string) string {
	for _, of := range []struct{ about, want string }{
		{"']'", "is no YAML: want [ and ] around a list, and commas between its values"},
		{"'}'", "is no YAML: want { and } around a map, and commas between its keys"},
		{"tab character", "is a tab: want spaces before a key"},
		{"'\t'", "is a tab: want spaces before a key"},
		{"-quoted text", "is a text without an end: want quotes at both ends"},
		{"already defined", "is a key that stands above already: want each once"},
		{"reserved character", "begins no text: want quotes around it"},
		{"mapping value is not", "is a second colon in a line: want quotes around a text with a colon and a space"},
	} {
		if strings.Contains(said, of.about) {
			return of.want
		}
	}
	return "is no YAML: want KEY: VALUE, keys of one group indented alike, and quotes around a text with other signs"
}

// parseYAML reads a file of one document; nil: it has none. Errors begin with the line and
// column.
func parseYAML(data []byte) (*node, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		if at := located().FindStringSubmatch(err.Error()); at != nil {
			return nil, fmt.Errorf("%s:%s: %s", at[1], at[2], unparsed(at[3]))
		}
		return nil, errors.New("1:1: " + unparsed(err.Error()))
	}
	var top *node
	c := converter{anchors: map[string]node{}}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		n, err := c.convert(doc.Body, 0)
		if err != nil {
			return nil, err
		}
		if top != nil {
			return nil, fmt.Errorf("%d:%d: a second document begins here, want one", n.line, n.col)
		}
		top = &n
	}
	return top, nil
}

// Limits of a file.
const (
	maxDepth = 64
	maxNodes = 100_000 // an alias counts as often as its nodes
)

// A converter turns nodes of the YAML library into ours.
type converter struct {
	anchors map[string]node
	made    int
}

// convert returns n as our node.
func (c *converter) convert(n ast.Node, depth int) (out node, err error) {
	out.line, out.col = place(n)
	c.made++
	if depth > maxDepth || c.made > maxNodes {
		return out, out.errorf("the file is too large or too deep")
	}
	switch n := n.(type) {
	case *ast.NullNode:
		out.value = nil
	case *ast.BoolNode:
		out.value = n.Value
	case *ast.StringNode:
		out.value = n.Value
		if n.Token.Type == token.StringType && slices.Contains(truths, strings.ToLower(n.Value)) {
			out.value = bare(n.Value)
		}
	case *ast.LiteralNode:
		out.value = n.Value.Value
	case *ast.FloatNode:
		out.value = n.Value
	case *ast.IntegerNode:
		if text := n.Token.Value; octal().MatchString(text) {
			return out, out.errorf("%s is a number in base 8 to some readers of YAML, and in base 10 to others: write it without the first 0, or in quotes", text)
		}
		out.value = integer(n.Value)
	case *ast.MappingNode:
		return c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		list := make([]node, len(n.Values))
		for i, one := range n.Values {
			if list[i], err = c.convert(one, depth+1); err != nil {
				return out, err
			}
		}
		out.value = list
	case *ast.AnchorNode:
		if out, err = c.convert(n.Value, depth+1); err != nil {
			return out, err
		}
		c.anchors[n.Name.GetToken().Value] = out
		return out, nil
	case *ast.AliasNode:
		return c.alias(out, n.Value.GetToken().Value)
	default:
		return out, out.errorf("%s is not allowed here", strings.ToLower(n.Type().String()))
	}
	return out, nil
}

// mapping completes out, the node of a mapping.
func (c *converter) mapping(out node, values []*ast.MappingValueNode, depth int) (node, error) {
	members := make([]member, len(values))
	for i, v := range values {
		key := v.Key.GetToken()
		m := member{name: key.Value, line: key.Position.Line, col: key.Position.Column}
		if _, ok := v.Key.(*ast.StringNode); !ok {
			return out, node{nil, m.line, m.col}.errorf("the key %s is not a name", m.name)
		}
		var err error
		if m.value, err = c.convert(v.Value, depth+1); err != nil {
			return out, err
		}
		members[i] = m
	}
	if len(members) > 0 {
		out.line, out.col = members[0].line, members[0].col
	}
	out.value = members
	return out, nil
}

// alias returns the value of an anchor, at the position of out.
func (c *converter) alias(out node, name string) (node, error) {
	found, known := c.anchors[name]
	if !known {
		return out, out.errorf("there is no anchor %s before this", name)
	}
	c.made += found.count()
	if c.made > maxNodes {
		return out, out.errorf("the file is too large")
	}
	return node{found.value, out.line, out.col}, nil
}

// count returns the number of nodes in n.
func (n node) count() int {
	sum := 1
	switch v := n.value.(type) {
	case []node:
		for _, one := range v {
			sum += one.count()
		}
	case []member:
		for _, m := range v {
			sum += m.value.count()
		}
	}
	return sum
}

// integer returns a whole number of the library as an int64 if it fits, else a uint64, else
// a string.
func integer(v any) any {
	switch v := v.(type) {
	case uint64:
		if v < 1<<63 {
			return int64(v)
		}
		return v
	case int64:
		return v
	}
	return fmt.Sprint(v)
}

// place returns the line and column of n.
func place(n ast.Node) (line, col int) {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, max(1, t.Position.Column)
	}
	return 1, 1
}

// errorf returns an error that begins with the line and column of n.
func (n node) errorf(format string, args ...any) error {
	return fmt.Errorf("%d:%d: %s", n.line, n.col, fmt.Sprintf(format, args...))
}
