package answer

import (
	"encoding/json"
	"math"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// ReadJSON reads text as one JSON value, with optional space around it. An object becomes a
// map[string]any, a list an []any, and a number a json.Number with its digits as written.
// Of two equal names in an object, the last counts. NaN and infinities are refused, though
// Python's reader takes them.
func ReadJSON(text string) (any, error) {
	var v any
	if err := strictjson.UnmarshalNumbers([]byte(text), &v); err != nil {
		return nil, err
	}
	return v, nil
}

// Whole returns v, a value from [ReadJSON], as a whole number, whatever its spelling. ok is
// false for anything else, and for magnitudes above 2^53.
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

// Texts returns the elements of v, a value from [ReadJSON], if it is a list of strings and
// numbers. Numbers stay as written. ok is false for any other value.
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
