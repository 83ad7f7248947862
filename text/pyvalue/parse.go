package pyvalue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

const maxJSONDepth = 400

// ParseJSON reads one JSON value. The order of the members of objects is kept; the last one
// of a name counts. Half a surrogate pair becomes U+FFFD. Integers have at most 4300 digits,
// and values stand within each other at most 400 deep.
func ParseJSON(text []byte) (Value, error) {
	d := jsonform.NewDecoder(text)
	d.UseNumber()
	v, err := readJSON(d.Decoder, 0)
	if errors.As(err, new(*json.SyntaxError)) { // said by jsonform, which the toolchain does not change
		err = jsonform.NewDecoder(text).Decode(new(json.RawMessage))
	}
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

func readJSON(d *json.Decoder, depth int) (Value, error) {
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

func readArray(d *json.Decoder, depth int) (Value, error) {
	l := &List{}
	for d.More() {
		item, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		l.Items = append(l.Items, item)
	}
	_, err := d.Token()
	return l, err
}

func readObject(d *json.Decoder, depth int) (Value, error) {
	object := NewDict(4)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		item, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		object.Set(name.(string), item)
	}
	_, err := d.Token()
	return object, err
}

// readNumber reads a JSON number as Python does: an integer, or a float.
func readNumber(text string) (Value, error) {
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
