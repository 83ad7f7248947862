package answer

import (
	"encoding/json"
	"errors"
	"io"
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
