package pyvalue

import "slices"

// AnyText reports whether is holds for a text in v, a value from JSON, at any depth, or for a
// name.
func AnyText(v Value, is func(text string) bool) bool {
	switch v := v.(type) {
	case string:
		return is(v)
	case *List:
		return slices.ContainsFunc(v.Items, func(item Value) bool { return AnyText(item, is) })
	case *Dict:
		for name, item := range v.All() {
			if AnyText(name, is) || AnyText(item, is) {
				return true
			}
		}
	}
	return false
}

// Texts returns a copy of v, a value from JSON, in which change has changed every text and
// every name.
func Texts(v Value, change func(text string) string) Value {
	switch v := v.(type) {
	case string:
		return change(v)
	case *List:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = Texts(item, change)
		}
		return &List{Items: items}
	case *Dict:
		d := NewDict(4)
		for name, item := range v.All() {
			d.Set(Texts(name, change).(string), Texts(item, change))
		}
		return d
	}
	return v
}
