package pyvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

const maxJSONDepth = 400

// ParseJSON parses one JSON value. It keeps the order of the members of objects; the last
// one of a name counts. Half a surrogate pair becomes U+FFFD. Integers may have 4300 digits,
// and values may nest 400 deep.
func ParseJSON(text []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readJSON(d, 0)
	if err != nil {
		return nil, strictjson.Explain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the end of the JSON value")
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (Value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("JSON values nest more than %d deep", maxJSONDepth)
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

// readNumber parses a JSON number like Python: an integer, or a float.
func readNumber(text string) (Value, error) {
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // too large: infinite
		return f, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return readLong(text)
	}
	return n, nil
}

// readLong parses an integer beyond 64 bits.
func readLong(text string) (Value, error) {
	if len(text) > maxDigits {
		return nil, fmt.Errorf("a number has %d digits, want at most %d", len(text), maxDigits)
	}
	n, _ := new(big.Int).SetString(text, 10) // JSON has checked it
	return n, nil
}
