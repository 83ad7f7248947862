package jsonform

import (
	"reflect"
	"slices"
	"strings"
)

// A place is where a struct keeps a member.
type place struct {
	name   string
	above  []string // embedded fields that contain it
	typ    reflect.Type
	tagged bool // a tag names it
	quoted bool // it is a scalar that is written in a string
}

// placesOf returns the members of a struct, in their order. Of those with the same name, the least
// embedded counts, then the one that a tag names; if that leaves several, none.
func placesOf(t reflect.Type) []place {
	all := placesBelow(t, nil, nil)
	return slices.DeleteFunc(slices.Clone(all), func(p place) bool {
		return slices.ContainsFunc(all, func(q place) bool { return q.name == p.name && !p.same(q) && !p.before(q) })
	})
}

// same reports whether p and q are one field.
func (p place) same(q place) bool {
	return p.typ == q.typ && slices.Equal(p.above, q.above) && p.tagged == q.tagged
}

// before reports whether p hides q.
func (p place) before(q place) bool {
	if len(p.above) != len(q.above) {
		return len(p.above) < len(q.above)
	}
	return p.tagged && !q.tagged
}

// placesBelow returns the members of t, a struct embedded in types through fields above.
func placesBelow(t reflect.Type, types []reflect.Type, above []string) (all []place) {
	if slices.Contains(types, t) {
		return nil
	}
	types = append(slices.Clip(types), t)
	for sf := range t.Fields() {
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		bare := sf.Type
		if bare.Kind() == reflect.Pointer && bare.Name() == "" {
			bare = bare.Elem()
		}
		embedded := sf.Anonymous && bare.Kind() == reflect.Struct
		if tag == "-" || !sf.IsExported() && !embedded {
			continue
		}
		tagged := validName(name)
		if embedded && !tagged {
			all = append(all, placesBelow(bare, types, append(slices.Clip(above), sf.Name))...)
			continue
		}
		if !tagged {
			name = sf.Name
		}
		quoted := slices.Contains(strings.Split(options, ","), "string") && isScalar(bare.Kind())
		all = append(all, place{name, above, sf.Type, tagged, quoted})
	}
	return all
}

// isScalar reports whether the option string counts for a kind.
func isScalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}
