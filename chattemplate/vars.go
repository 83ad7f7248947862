package chattemplate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// Vars are the variables of a render. The zero value has none. Renders only read it, so
// any number of goroutines may use one at once; Set must not run meanwhile.
type Vars struct{ d *dict }

// ParseVars reads variables from a JSON object. The order of all members is kept; the last
// one of a name counts. Half a surrogate pair becomes U+FFFD. Integers have at most 4300
// digits, and values stand within each other at most 400 deep.
func ParseVars(object []byte) (Vars, error) {
	v, err := parseJSON(object)
	if err != nil {
		return Vars{}, err
	}
	d, is := v.(*dict)
	if !is {
		return Vars{}, fmt.Errorf("variables: is a %s, want an object", typeName(v))
	}
	return Vars{d}, nil
}

// Set sets a variable to anything that encoding/json can write. It never changes the
// values of other Vars.
func (v *Vars) Set(name string, to any) error {
	text, err := json.Marshal(to)
	if err != nil {
		return fmt.Errorf("variable %s: %w", name, err)
	}
	parsed, err := parseJSON(text)
	if err != nil {
		return fmt.Errorf("variable %s: %w", name, err)
	}
	v.put(name, parsed)
	return nil
}

// Has reports whether a variable is set.
func (v Vars) Has(name string) bool {
	_, has := v.dict().text(name)
	return has
}

// Merge sets the variables of other that v does not have.
func (v *Vars) Merge(other Vars) {
	d := other.dict()
	for i, key := range d.keys {
		if name := key.(string); !v.Has(name) {
			v.put(name, d.values[i])
		}
	}
}

func (v *Vars) put(name string, to value) {
	if v.d == nil {
		v.d = newDict(4)
	}
	v.d.setText(name, to)
}

// dict returns the variables, which the caller must not change.
func (v Vars) dict() *dict {
	if v.d == nil {
		return newDict(0)
	}
	return v.d
}

const maxJSONDepth = 400

// parseJSON reads one JSON value.
func parseJSON(text []byte) (value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the end of the JSON value")
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("JSON values stand within each other more than %d deep", maxJSONDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return readArray(d, depth)
		}
		return readObject(d, depth)
	case json.Number:
		return readNumber(string(t))
	}
	return t, nil // nil, a bool or a string
}

func readArray(d *json.Decoder, depth int) (value, error) {
	l := &list{}
	for d.More() {
		item, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, item)
	}
	_, err := d.Token()
	return l, err
}

func readObject(d *json.Decoder, depth int) (value, error) {
	object := newDict(4)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		item, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		object.setText(name.(string), item)
	}
	_, err := d.Token()
	return object, err
}

// readNumber reads a JSON number as Python does: an integer, or a float.
func readNumber(text string) (value, error) {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // too large is infinite
		return f, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	if len(text) > maxDigits {
		return nil, fmt.Errorf("a number has %d digits, want at most %d", len(text), maxDigits)
	}
	n, _ := new(big.Int).SetString(text, 10) // which JSON has already checked
	return n, nil
}
