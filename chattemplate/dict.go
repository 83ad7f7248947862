package chattemplate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// A dict keeps its keys in the order in which they were first set.
type dict struct {
	keys   []value
	values []value
	at     map[any]int // index by hashable key
}

// A hash stands for a key that is no string, so that keys that are equal have one.
type hash string

// newDict returns an empty dict with room for n keys.
func newDict(n int) *dict {
	return &dict{keys: make([]value, 0, n), values: make([]value, 0, n), at: make(map[any]int, n)}
}

// length returns the number of keys.
func (d *dict) length() int { return len(d.keys) }

// setText sets a key that is a string.
func (d *dict) setText(key string, v value) { d.put(key, key, v) }

// put sets a key, whose hashable form is given.
func (d *dict) put(h any, key, v value) {
	if i, has := d.at[h]; has {
		d.values[i] = v
		return
	}
	d.at[h] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, v)
}

// text returns the value of a key that is a string.
func (d *dict) text(key string) (v value, has bool) {
	i, has := d.at[key]
	if !has {
		return nil, false
	}
	return d.values[i], true
}

// set sets a key.
func (d *dict) set(r *run, key, v value) error {
	h, err := r.hash(key, 0)
	if err == nil {
		d.put(h, key, v)
	}
	return err
}

// get returns the value of a key. The error says that the key is not hashable.
func (d *dict) get(r *run, key value) (v value, has bool, err error) {
	h, err := r.hash(key, 0)
	if err != nil {
		return nil, false, err
	}
	i, has := d.at[h]
	if !has {
		return nil, false, nil
	}
	return d.values[i], true, nil
}

// hash returns the hashable form of a key. Numbers of one value have one form.
func (r *run) hash(key value, depth int) (any, error) {
	switch k := key.(type) {
	case string:
		return k, nil
	case markup:
		return string(k), nil
	case nil:
		return hash("None"), nil
	case bool, int64, *big.Int:
		n, _ := toInt(k)
		return hash(n.String()), nil
	case float64:
		if k == math.Trunc(k) && !math.IsInf(k, 0) {
			n, _ := big.NewFloat(k).Int(nil)
			return hash(n.String()), nil
		}
		return hash(strconv.FormatFloat(k, 'g', -1, 64)), nil
	case *list:
		if k.tuple {
			return r.hashTuple(k, depth)
		}
	case *undefined:
		return hash("Undefined"), nil
	case *dict:
	default:
		return k, nil // by identity
	}
	return nil, fmt.Errorf("unhashable type: '%s'", typeName(key))
}

func (r *run) hashTuple(k *list, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	if err := r.spend(len(k.items)); err != nil {
		return nil, err
	}
	h := []byte("(")
	for _, item := range k.items {
		part, err := r.hash(item, depth+1)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%T%v", part, part)
		if err := r.room(len(h) + len(text)); err != nil {
			return nil, err
		}
		h = append(strconv.AppendInt(h, int64(len(text)), 10), ":"+text...)
	}
	return hash(h), nil
}

// A view is what dict.keys, values and items return.
type view struct {
	dict *dict
	kind string // keys, values or items
}

// items returns the items of v. The caller must not change them.
func (v *view) items() []value {
	switch v.kind {
	case "keys":
		return v.dict.keys
	case "values":
		return v.dict.values
	}
	return v.dict.pairs()
}

// pairs returns the keys with their values, as tuples.
func (d *dict) pairs() []value {
	pairs := make([]value, len(d.keys))
	for i, key := range d.keys {
		pairs[i] = newTuple(key, d.values[i])
	}
	return pairs
}
