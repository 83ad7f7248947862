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

// Texts returns the elements of a JSON list, as [ReadJSON] gives it, that are texts or
// numbers: texts as they are, numbers as they are written. ok is false if v is not a
// list or has any other element.
func Texts(v any) (texts []string, ok bool) {
	list, is := v.([]any)
	if !is {
		return nil, false
	}
	texts = make([]string, len(list))
	for i, element := range list {
		switch element := element.(type) {
		case string:
			texts[i] = element
		case json.Number:
			texts[i] = element.String()
		default:
			return nil, false
		}
	}
	return texts, true
}
