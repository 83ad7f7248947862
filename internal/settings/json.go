package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// JSON returns the settings of g as a JSON object, in the order of their declarations.
// Equal settings give equal bytes.
func JSON(g Declarer) (json.RawMessage, error) {
	f := New(g)
	b := []byte{'{'}
	for _, s := range f.list {
		if strings.Contains(s.path, ".") {
			return nil, fmt.Errorf("settings: %s is below another key", s.path)
		}
		if text := s.String(); s.sparse && (text == "0" || text == "false") {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		text, err := strictjson.Canonical(s.value.Give())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		b = append(append(fmt.Appendf(b, "%q", s.path), ':'), text...)
	}
	return append(b, '}'), nil
}

// Tree returns all settings of g as JSON: an object for each section, in the order of
// the declarations.
func Tree(g Declarer) (json.RawMessage, error) {
	return New(g).tree("")
}

// tree writes the settings of a section and of those below it.
func (f *Form) tree(path string) ([]byte, error) {
	b := []byte{'{'}
	done := map[string]bool{}
	for _, s := range f.list {
		rest, below := strings.CutPrefix(s.path, dotted(path))
		name, _, deeper := strings.Cut(rest, ".")
		if !below || done[name] {
			continue
		}
		done[name] = true
		var text []byte
		var err error
		if deeper {
			text, err = f.tree(dotted(path) + name)
		} else {
			text, err = json.Marshal(s.value.Give())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(fmt.Appendf(b, "%q", name), ':'), text...)
	}
	return append(b, '}'), nil
}

// Values returns the values of the form's settings as JSON, by path.
func (f *Form) Values() (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, s := range f.Settings() {
		text, err := json.Marshal(s.value.Give())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		values[s.path] = text
	}
	return values, nil
}

// ReadJSON sets the settings of g that a JSON object names, and checks all of g. The error
// reports all faults, one per line.
func ReadJSON(g Declarer, object json.RawMessage) error {
	top, err := parseJSON(object)
	if err != nil {
		return err
	}
	return read(g, top)
}

// Take sets the settings of g to the fields of an object, in the form of [Value.Take], and
// checks all of g. It is for values that are objects: the error has a [*Fault] for each
// invalid field.
func Take(g Declarer, fields map[string]any) error { return read(g, nodeOf(fields)) }

// read sets the settings of g that n names, and checks all of g.
func read(g Declarer, n node) error {
	f := New(g)
	r := reader{form: f}
	r.group(n, "")
	if err := errors.Join(r.faults...); err != nil {
		return err
	}
	return f.check()
}

// FromJSON converts a JSON value to the form of [Value.Take].
func FromJSON(text json.RawMessage) (any, error) {
	n, err := parseJSON(text)
	return n.plain(), err
}

// parseJSON reads one JSON value.
func parseJSON(text json.RawMessage) (n node, err error) {
	var v any
	if err := strictjson.UnmarshalNumbers(text, &v); err != nil {
		return n, err
	}
	return nodeOf(v), nil
}

// nodeOf returns a JSON value as a node.
func nodeOf(v any) (n node) {
	switch v := v.(type) {
	case map[string]any:
		var members []member
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, member{name: name, value: nodeOf(v[name])})
		}
		n.value = members
	case []any:
		list := make([]node, len(v))
		for i, one := range v {
			list[i] = nodeOf(one)
		}
		n.value = list
	case json.Number:
		n.value = numberOf(v)
	default:
		n.value = v
	}
	return n
}

// numberOf returns a number as an int64 or a uint64 if one holds it, else as a float64.
func numberOf(v json.Number) any {
	if n, err := v.Int64(); err == nil {
		return n
	}
	var u uint64
	if _, err := fmt.Sscanf(v.String()+"\n", "%d\n", &u); err == nil && fmt.Sprint(u) == v.String() {
		return u
	}
	f, err := v.Float64()
	if err != nil {
		return v.String()
	}
	return f
}
