package jsonform

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// exactly returns text as encoding/json may read it into v without mistaking a name for that of a
// field whose tag has other letters: such names are overwritten in a copy. It returns the first of
// them; empty: there is none, and the text is the same.
func exactly(text []byte, v any) (exact []byte, odd string) {
	t := reflect.TypeOf(v)
	if t == nil || !hasOddNames(text) {
		return text, ""
	}
	e := exacter{scanner: scanner{text: bytes.Clone(text)}, known: map[reflect.Type][]place{}}
	if e.read(t, 0); e.odd == "" {
		return text, ""
	}
	return e.text, e.odd
}

// hasOddNames reports whether a name in an object has other signs than those of nearly all tags:
// capital letters, letters beyond ASCII, or escapes.
func hasOddNames(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		end := 0
		for escaped := true; escaped; {
			i := bytes.IndexByte(text[end:], '"')
			if i < 0 {
				return false
			}
			end += i + 1
			inner := text[:end-1]
			escaped = (len(inner)-len(bytes.TrimRight(inner, `\`)))%2 == 1
		}
		name := text[:end-1]
		text = text[end:]
		if rest := bytes.TrimLeft(text, " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
			continue
		}
		for _, c := range name {
			if c >= 'A' && c <= 'Z' || c >= 0x80 || c == '\\' {
				return true
			}
		}
	}
}

// An exacter goes through a text that is its own, beside a type.
type exacter struct {
	scanner
	known map[reflect.Type][]place
	odd   string
}

// read reads a value of type t, nil: of any, and reports whether it is valid.
func (e *exacter) read(t reflect.Type, depth int) bool {
	for t != nil && t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	c := e.next()
	switch {
	case t == nil || t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) || depth >= maxDepth:
	case c == '{' && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map):
		return e.each('}', func() bool { return e.member(t, depth+1) })
	case c == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return e.each(']', func() bool { return e.read(t.Elem(), depth+1) })
	}
	return e.scanner.value(depth)
}

// each reads the parts of an object or an array, up to its closing bracket.
func (e *exacter) each(closing byte, part func() bool) bool {
	e.at++
	if e.next() == closing {
		e.at++
		return true
	}
	for part() {
		switch e.next() {
		case ',':
			e.at++
		case closing:
			e.at++
			return true
		default:
			return false
		}
	}
	return false
}

// member reads a member of a map or a struct, and overwrites a name that differs from that of a
// field in its letters alone.
func (e *exacter) member(t reflect.Type, depth int) bool {
	if e.next() != '"' {
		return false
	}
	name, valid := e.quoted()
	if !valid || e.next() != ':' {
		return false
	}
	e.at++
	if t.Kind() == reflect.Map {
		return e.read(t.Elem(), depth)
	}
	all, is := e.known[t]
	if !is {
		all = placesOf(t)
		e.known[t] = all
	}
	said, _ := Text(slices.Concat([]byte{'"'}, name, []byte{'"'}))
	if at := slices.IndexFunc(all, func(p place) bool { return p.name == said }); at >= 0 {
		return e.read(all[at].typ, depth)
	}
	at := slices.IndexFunc(all, func(p place) bool { return strings.EqualFold(p.name, said) })
	if at < 0 {
		return e.read(nil, depth)
	}
	if !all[at].tagged {
		return e.read(all[at].typ, depth)
	}
	if e.odd == "" {
		e.odd = said
	}
	for i := range name {
		name[i] = '-'
	}
	return e.read(nil, depth)
}
