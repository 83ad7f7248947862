package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// exactly returns text as encoding/json may read it into type t without mistaking a name for that of a
// field whose tag has other letters: such names are overwritten in a copy. It returns the first of
// them; empty: there is none, and the text is the same.
func exactly(text []byte, t reflect.Type) (exact []byte, odd string) {
	if t == nil || !hasOddNames(text) {
		return text, ""
	}
	w := walker{scanner: scanner{text: bytes.Clone(text)}, fields: map[reflect.Type][]field{}}
	if w.value(t, 0); w.odd == "" {
		return text, ""
	}
	return w.text, w.odd
}

// hasOddNames reports whether a name in an object has other signs than those of nearly all tags:
// capital letters, letters beyond ASCII, or escapes.
func hasOddNames(text []byte) bool {
	for {
		from := bytes.IndexByte(text, '"')
		if from < 0 {
			return false
		}
		s := scanner{text: text, at: from}
		name, valid := s.quoted()
		if !valid {
			return false
		}
		if s.next() == ':' && bytes.ContainsFunc(name, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 0x80 || r == '\\' }) {
			return true
		}
		text = text[s.at:]
	}
}

// A walker goes through a text that is its own, beside a type.
type walker struct {
	scanner
	fields map[reflect.Type][]field
	odd    string   // the first name that is that of a tag but for its case
	path   []string // the members around the value
	bare   string   // what is wrong with the first number that should stand in quotes
}

// A field is where a struct keeps a member.
type field struct {
	name   string
	typ    reflect.Type
	tagged bool // a tag names it
	quoted bool // it is a number in quotes
}

// value goes through a value of type t, nil: of any, and reports whether it is valid.
func (w *walker) value(t reflect.Type, depth int) bool {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	first := w.next()
	switch {
	case t == nil || depth >= deepest || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
	case first == '{' && t.Kind() == reflect.Map:
		return w.object(func([]byte) bool { return w.value(t.Elem(), depth+1) })
	case first == '{' && t.Kind() == reflect.Struct:
		return w.object(func(name []byte) bool { return w.member(w.field(t, name), depth+1) })
	case first == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return w.array(func(int) bool { return w.value(t.Elem(), depth+1) })
	}
	return w.scanner.value(depth)
}

// member goes through the value of a field.
func (w *walker) member(f field, depth int) bool {
	w.path = append(w.path, f.name)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	if !f.quoted {
		return w.value(f.typ, depth)
	}
	raw := w.raw()
	if _, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64); w.bare == "" && string(raw) != "null" && (raw == nil || raw[0] != '"' || errors.Is(err, strconv.ErrSyntax)) {
		w.bare = fmt.Sprintf("%s: is %.40s, want %s in quotes", strings.Join(w.path, "."), raw, KindOf(f.typ))
	}
	return raw != nil
}

// field returns a struct's field for a name; without a type: there is none. It overwrites a name
// that differs from that of a tag in its case alone.
func (w *walker) field(t reflect.Type, name []byte) field {
	all, known := w.fields[t]
	if !known {
		all = fieldsOf(t, nil)
		w.fields[t] = all
	}
	said, _ := unquoted(name)
	at := slices.IndexFunc(all, func(f field) bool { return f.name == said })
	if at < 0 {
		at = slices.IndexFunc(all, func(f field) bool { return strings.EqualFold(f.name, said) })
	}
	switch {
	case at < 0:
		return field{}
	case all[at].name == said || !all[at].tagged:
		return all[at]
	}
	if w.odd == "" {
		w.odd = said
	}
	for i := range name {
		name[i] = '-'
	}
	return field{}
}

// fieldsOf returns the fields of a struct that JSON has, those of embedded structs last. Within are the structs
// that embed it.
func fieldsOf(t reflect.Type, within []reflect.Type) (all []field) {
	if slices.Contains(within, t) {
		return nil
	}
	within = append(within, t)
	var embedded []field
	for sf := range t.Fields() {
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		inner := sf.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "-":
		case sf.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			embedded = append(embedded, fieldsOf(inner, within)...)
		case sf.IsExported():
			zero := reflect.Zero(inner)
			quoted := slices.Contains(strings.Split(options, ","), "string") && (zero.CanInt() || zero.CanUint())
			all = append(all, field{cmp.Or(name, sf.Name), inner, name != "", quoted})
		}
	}
	return append(all, embedded...)
}

// inQuotes returns err, the refusal of a text for type t by encoding/json, or if a number lacks its quotes, an error
// that names the member.
func inQuotes(err error, text []byte, t reflect.Type) error {
	if err == nil || t == nil || !json.Valid(text) {
		return err
	}
	w := walker{scanner: scanner{text: bytes.Clone(text)}, fields: map[reflect.Type][]field{}}
	if w.value(t, 0); w.bare != "" {
		return errors.New("json: " + w.bare)
	}
	return err
}
