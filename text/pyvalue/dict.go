package pyvalue

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"strconv"
)

// A Dict is a dict. It keeps its keys in insertion order.
type Dict struct {
	keys   []Value
	values []Value
	at     map[any]int // index by hashable key
}

// A hash stands for a non-string key; equal keys have equal hashes.
type hash string

// NewDict returns an empty dict with room for n keys; it grows as needed.
func NewDict(n int) *Dict {
	return &Dict{keys: make([]Value, 0, n), values: make([]Value, 0, n), at: make(map[any]int, n)}
}

// length returns the number of keys.
func (d *Dict) length() int { return len(d.keys) }

// All iterates over the keys and values.
func (d *Dict) All() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		for i, key := range d.keys {
			if !yield(key, d.values[i]) {
				return
			}
		}
	}
}

// Set sets a string key.
func (d *Dict) Set(key string, v Value) { d.put(key, key, v) }

// put sets a key, with its hashable form h.
func (d *Dict) put(h any, key, v Value) {
	if i, has := d.at[h]; has {
		d.values[i] = v
		return
	}
	d.at[h] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, v)
}

// Get returns the value of a string key.
func (d *Dict) Get(key string) (v Value, has bool) {
	i, has := d.at[key]
	if !has {
		return nil, false
	}
	return d.values[i], true
}

// SetItem sets a key of d, which must be hashable. Only the creator of d may call it.
func (r *Runtime) SetItem(d *Dict, key, v Value) error {
	h, err := r.hash(key, 0)
	if err != nil {
		return err
	}
	d.put(h, key, v)
	return nil
}

// lookup returns the value of a key. An unhashable key is an error.
func (d *Dict) lookup(r *Runtime, key Value) (v Value, has bool, err error) {
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

// hash returns the hashable form of a key. Equal numbers share one form.
func (r *Runtime) hash(key Value, depth int) (any, error) {
	switch k := key.(type) {
	case string:
		return k, nil
	case Markup:
		return string(k), nil
	case nil:
		return hash("None"), nil
	case bool, int64, *big.Int:
		n, _ := toBig(k)
		return hash(n.String()), nil
	case float64:
		if k == math.Trunc(k) && !math.IsInf(k, 0) {
			n, _ := big.NewFloat(k).Int(nil)
			return hash(n.String()), nil
		}
		return hash(strconv.FormatFloat(k, 'g', -1, 64)), nil
	case *List:
		if k.Tuple {
			return r.hashTuple(k, depth)
		}
	case *Undefined:
		return hash("Undefined"), nil
	default:
		if _, ok := key.(*Dict); !ok {
			return key, nil // by identity
		}
	}
	return nil, fmt.Errorf("unhashable type: '%s'", TypeName(key))
}

func (r *Runtime) hashTuple(k *List, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	if err := r.Spend(len(k.Items)); err != nil {
		return nil, err
	}
	h := []byte("(")
	for _, item := range k.Items {
		part, err := r.hash(item, depth+1)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%T%v", part, part)
		if err := r.Room(len(h) + len(text)); err != nil {
			return nil, err
		}
		h = append(strconv.AppendInt(h, int64(len(text)), 10), ":"+text...)
	}
	return hash(h), nil
}

// A view is the result of dict.keys, values or items.
type view struct {
	dict *Dict
	kind string // keys, values or items
}

// items returns the items of v. The caller must not change them.
func (v *view) items() []Value {
	switch v.kind {
	case "keys":
		return v.dict.keys
	case "values":
		return v.dict.values
	}
	return v.dict.pairs()
}

// pairs returns the keys and values, as tuples.
func (d *Dict) pairs() []Value {
	pairs := make([]Value, len(d.keys))
	for i, key := range d.keys {
		pairs[i] = NewTuple(key, d.values[i])
	}
	return pairs
}
