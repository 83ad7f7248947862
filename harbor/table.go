package harbor

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/quintain-rl/quintain/internal/nearest"
)

// A document is a task.toml, or a compose file, that is read field by field.
type document struct {
	file    string
	equals  string // what stands between a name and its value
	lines   []string
	err     error // the first
	unknown []Note
}

// A table is one of a document. Its methods read a field into a pointer, which they leave alone if the field is
// missing; they keep the document's first error. Values are taken as Harbor's models take them: a text of digits is a
// number, too.
type table struct {
	of     *document
	path   string // with a dot at its end; empty: the whole
	values map[string]any
	known  []string
}

// parse reads the text of a document.
func parse(text []byte) (*table, error) {
	values := map[string]any{}
	if _, err := toml.Decode(string(text), &values); err != nil {
		if fault, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("%s: line %d: %s", ConfigFile, fault.Position.Line, fault.Message)
		}
		return nil, fmt.Errorf("%s: %w", ConfigFile, err)
	}
	return &table{of: &document{file: ConfigFile, equals: "=", lines: strings.Split(string(text), "\n")}, values: values}, nil
}

// take returns a field's value.
func (t *table) take(name string) (any, bool) {
	t.known = append(t.known, name)
	v, has := t.values[name]
	return v, has
}

// fail keeps an error of a field.
func (t *table) fail(name, format string, args ...any) {
	if t.of.err == nil {
		path := t.path + name
		t.of.err = fmt.Errorf("%s: line %d: %s: %s", t.of.file, t.of.line(path), path, fmt.Sprintf(format, args...))
	}
}

// refuse keeps a refusal of a field.
func (t *table) refuse(name, why string) {
	if t.of.err == nil {
		path := t.path + name
		t.of.err = &Refusal{fmt.Sprintf("%s: line %d", t.of.file, t.of.line(path)), path, why}
	}
}

// text reads a text.
func (t *table) text(name string, to *string) {
	v, has := t.take(name)
	if !has {
		return
	}
	text, ok := v.(string)
	if !ok {
		t.fail(name, "is %v, want a text", v)
	}
	*to = text
}

// texts reads a list of texts.
func (t *table) texts(name string, to *[]string) {
	v, has := t.take(name)
	if !has {
		return
	}
	list, ok := v.([]any)
	for _, one := range list {
		text, is := one.(string)
		ok = ok && is
		*to = append(*to, text)
	}
	if !ok {
		t.fail(name, "is %v, want a list of texts", v)
	}
}

// env reads a table of texts.
func (t *table) env(name string, to *map[string]string) {
	of := t.table(name)
	for key, v := range of.values {
		text, ok := v.(string)
		if !ok || key == "" || strings.ContainsAny(key+text, "\x00") || strings.Contains(key, "=") {
			of.fail(key, "is %v, want a text", v)
		}
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[key] = text
		of.known = append(of.known, key)
	}
}

// number reads a number of 0 or more.
func (t *table) number(name string, to *float64) {
	v, has := t.take(name)
	if !has {
		return
	}
	x, ok := asNumber(v)
	if !ok || !(x >= 0) || math.IsInf(x, 0) {
		t.fail(name, "is %v, want a number of 0 or more", v)
	}
	*to = x
}

// whole reads a whole number of 0 or more.
func (t *table) whole(name string, to *int64) {
	var x float64
	t.number(name, &x)
	if _, has := t.values[name]; !has {
		return
	}
	if x != math.Trunc(x) || x > 1<<53 {
		t.fail(name, "is %v, want a whole number", t.values[name])
	}
	*to = int64(x)
}

// asNumber returns the number that a value is to Harbor.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64: // of a compose file
		return float64(v), true
	case float64:
		return v, true
	case bool:
		return map[bool]float64{true: 1}[v], true
	case string:
		x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return x, err == nil && !strings.ContainsAny(v, "xXpP")
	}
	return 0, false
}

// flag reads a truth value; nil: it is missing.
func (t *table) flag(name string) *bool {
	v, has := t.take(name)
	if !has {
		return nil
	}
	b, ok := truth(v)
	if !ok {
		t.fail(name, "is %v, want true or false", v)
	}
	return &b
}

// truth returns the truth value that a value is to Harbor.
func truth(v any) (b, ok bool) {
	if b, ok := v.(bool); ok {
		return b, true
	}
	word := strings.ToLower(fmt.Sprint(v))
	b = slices.Contains(strings.Fields("1 true t yes y on"), word)
	return b, b || slices.Contains(strings.Fields("0 false f no n off"), word)
}

// oneOf reads one of several words, and returns it; empty: it is missing.
func (t *table) oneOf(name string, words ...string) (word string) {
	t.text(name, &word)
	if _, has := t.values[name]; has && !slices.Contains(words, word) {
		t.fail(name, "is %q, want one of %s", word, strings.Join(words, ", "))
	}
	return word
}

// has reports whether a field is there, whatever it is.
func (t *table) has(name string) bool {
	_, has := t.take(name)
	return has
}

// table returns a table of the table, empty if it is missing.
func (t *table) table(name string) *table {
	v, has := t.take(name)
	values, ok := v.(map[string]any)
	if has && !ok {
		t.fail(name, "is %v, want a table", v)
	}
	return &table{of: t.of, path: t.path + name + ".", values: values}
}

// end notes the fields that nobody took.
func (t *table) end() {
	for _, name := range slices.Sorted(maps.Keys(t.values)) {
		if slices.Contains(t.known, name) {
			continue
		}
		path := t.path + name
		t.of.unknown = append(t.of.unknown, Note{UnknownField, fmt.Sprintf("%s: line %d: %s is unknown, and ignored%s",
			ConfigFile, t.of.line(path), path, nearest.Suggest(name, t.known))})
	}
}

// line returns the line of a field, 1 for what cannot be found.
func (d *document) line(path string) int {
	want, within, best := strings.Split(path, "."), "", 1
	name := want[len(want)-1]
	for i, line := range d.lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			within = strings.Trim(strings.TrimSpace(strings.SplitN(line, "#", 2)[0]), "[] ") + "."
			if within == path+"." {
				return i + 1
			}
			continue
		}
		key, _, is := strings.Cut(line, d.equals)
		key = strings.Trim(strings.TrimSpace(key), `"'`)
		switch {
		case is && within+key == path, is && within == "" && key == path:
			return i + 1
		case best == 1 && is && strings.Contains(line, name):
			best = i + 1
		}
	}
	return best
}
