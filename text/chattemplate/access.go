package chattemplate

import "github.com/quintain-rl/quintain/text/pyvalue"

// own returns the named attribute or method of v, never an item.
func (r *rendering) own(v value, name string) (value, error) {
	own, has, err := r.Attribute(v, name)
	if has || err != nil {
		return own, err
	}
	return absent(v, name), nil
}

// member returns v.name: the attribute or method, or else the item.
func (r *rendering) member(v value, name string) (value, error) {
	own, has, err := r.Attribute(v, name)
	if has || err != nil {
		return own, err
	}
	if d, ok := v.(*pyvalue.Dict); ok {
		if item, has := d.Get(name); has {
			return item, nil
		}
	}
	return absent(v, name), nil
}

// subscript returns v[key]: the item, or else the attribute or method.
func (r *rendering) subscript(v, key value) (value, error) {
	item, has, err := r.Item(v, key)
	if has || err != nil {
		return item, err
	}
	name, ok := pyvalue.Text(key)
	if ok {
		return r.own(v, name)
	}
	if name, err = r.Str(key); err != nil {
		name = pyvalue.TypeName(key)
	}
	return absent(v, name), nil
}

// absent returns the value of a missing attribute or item of v.
func absent(v value, name string) *pyvalue.Undefined {
	return &pyvalue.Undefined{Name: name, Of: "'" + pyvalue.TypeName(v) + " object'"}
}
