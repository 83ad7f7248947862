package answer

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
)

// ReadJSON reads text, which is one JSON value with space around it at most: an
// object as map[string]any, a list as []any, a number as json.Number with its
// digits as they are written. Of a name that stands twice in an object the last
// value counts. NaN and infinities, which Python's reader takes, are not read.
func ReadJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return v, nil
}

// Whole returns the value of a JSON number without a fraction, in any spelling, as
// [ReadJSON] gives it; ok is false for anything else, and above 2^53.
func Whole(v any) (n int64, ok bool) {
	number, is := v.(json.Number)
	if !is {
		return 0, false
	}
	const exact = 1 << 53
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}
