package tokenizer

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A component is an object of the file, with its path for errors.
type component struct {
	path string
	raw  json.RawMessage
}

// none reports whether the component is absent or null.
func (c component) none() bool { return len(c.raw) == 0 || string(c.raw) == "null" }

// kind returns the type of the component.
func (c component) kind() (string, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := strictjson.Unmarshal(c.raw, &head); err != nil {
		return "", c.errorf("%w", err)
	}
	return head.Type, nil
}

// read decodes the component. It rejects fields that to does not have.
func (c component) read(to any) error {
	if err := strictjson.UnmarshalKnown(c.raw, to); err != nil {
		return c.errorf("%w", err)
	}
	return nil
}

// errorf returns an error in the component.
func (c component) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", c.path, fmt.Errorf(format, args...))
}

// maxDepth is how deep sequences may nest.
const maxDepth = 16

// unknown returns the error for an unknown type.
func (c component) unknown(kind string) error {
	return c.errorf("the type %q is not supported", kind)
}

// list reads the components of a sequence from the named field.
func (c component) list(field string, depth int) ([]component, error) {
	if depth > maxDepth {
		return nil, c.errorf("nests more than %d deep", maxDepth)
	}
	var fields map[string]json.RawMessage
	if err := strictjson.Unmarshal(c.raw, &fields); err != nil {
		return nil, c.errorf("%w", err)
	}
	for name := range fields {
		if name != "type" && name != field {
			return nil, c.errorf("unknown field %q", name)
		}
	}
	var raws []json.RawMessage
	if err := strictjson.Unmarshal(fields[field], &raws); err != nil {
		return nil, c.errorf("%s: want a list", field)
	}
	all := make([]component, len(raws))
	for i, raw := range raws {
		all[i] = component{fmt.Sprintf("%s.%s[%d]", c.path, field, i), raw}
	}
	return all, nil
}

// typed is the field that all components have.
type typed struct {
	Type string `json:"type"`
}

// A patternForm is a pattern in the file: either of two.
type patternForm struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

// finder returns the finder of the pattern.
func (f patternForm) finder() (finder, error) {
	switch {
	case f.Regex != nil && f.String == nil:
		return parsePattern(*f.Regex)
	case f.String == nil || f.Regex != nil || *f.String == "":
		return nil, fmt.Errorf("pattern: want a nonempty String, or a Regex")
	}
	return literal(*f.String), nil
}
