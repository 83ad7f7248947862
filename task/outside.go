package task

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/quintain-rl/quintain"
)

// Outside returns settings of a task made by a [Spec], each just out of one of the bounds that tags say ([Check]).
func Outside(of quintain.Task) (settings []json.RawMessage) {
	t, ok := of.(*task)
	if !ok {
		return nil
	}
	defaults := reflect.ValueOf(t.typed.defaults()).Elem()
	for _, b := range boundsOf(defaults.Type(), nil) {
		v := defaults.FieldByIndex(b.at)
		for _, wrong := range b.outside(v, defaults) {
			settings = append(settings, mustJSON(map[string]any{b.name: wrong}))
		}
	}
	return settings
}

// outside returns values just out of the bounds of v, a field of a struct.
func (b *bound) outside(v, of reflect.Value) (values []any) {
	list := v.Kind() == reflect.Slice
	switch {
	case v.CanInt() || v.CanFloat():
		return b.want.outside(of)
	case list && len(b.each.all) > 0 && v.Type().Elem().Kind() == reflect.Int:
		for _, wrong := range b.each.outside(of) {
			values = append(values, []any{wrong})
		}
	case list && len(b.oneOf) > 0:
		values = append(values, []string{"none of " + b.texts()})
	case len(b.oneOf) > 0:
		values = append(values, "none of "+b.texts())
	}
	if list && b.once {
		values = append(values, slices.Repeat(b.oneOf[:1], 2))
	}
	return values
}

// outside returns the numbers next to the limits; of has the fields that they name.
func (l limits) outside(of reflect.Value) (values []any) {
	for _, at := range l.all {
		n := at.to
		if at.at != nil {
			n, _ = figureOf(of.FieldByIndex(at.at))
		}
		step := int64(Bit(!at.strict))
		if !at.upper {
			step = -step
		}
		if n.exact {
			values = append(values, n.whole+step)
		} else {
			values = append(values, n.float+float64(step))
		}
	}
	return values
}
