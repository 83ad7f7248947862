package chattemplate

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// Vars holds the variables of a render. The zero value has none. Renders only read it, so
// goroutines may share one; do not call Set meanwhile.
type Vars struct{ d *pyvalue.Dict }

// ParseVars parses variables from a JSON object. It keeps the order of all members; the last one of
// a name counts. Half a surrogate pair becomes U+FFFD. Integers may have 4300 digits, and values
// may nest 400 deep.
func ParseVars(object []byte) (Vars, error) {
	v, err := pyvalue.ParseJSON(object)
	if err != nil {
		return Vars{}, err
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return Vars{}, fmt.Errorf("variables: is a %s, want an object", pyvalue.TypeName(v))
	}
	return Vars{d}, nil
}

// Set sets a variable to any value that encoding/json can encode. Other Vars keep their values.
func (v *Vars) Set(name string, to any) error {
	if text, ok := to.(string); ok {
		if !utf8.ValidString(text) {
			text = string([]rune(text)) // as in JSON
		}
		v.put(name, text)
		return nil
	}
	text, err := json.Marshal(to)
	if err != nil {
		return fmt.Errorf("variable %s: %w", name, err)
	}
	parsed, err := pyvalue.ParseJSON(text)
	if err != nil {
		return fmt.Errorf("variable %s: %w", name, err)
	}
	v.put(name, parsed)
	return nil
}

// SetList sets a variable to a list of objects. It shares them: they must not change while in use.
func (v *Vars) SetList(name string, objects []Vars) {
	items := make([]value, len(objects))
	for i, o := range objects {
		items[i] = o.dict()
	}
	v.put(name, &pyvalue.List{Items: items})
}

// Text returns all variables as Python prints them.
func (v Vars) Text() (string, error) {
	return (&pyvalue.Runtime{Steps: 1 << 20, Bytes: 1 << 20}).Str(v.dict())
}

// Has reports whether a variable is set.
func (v Vars) Has(name string) bool {
	_, has := v.dict().Get(name)
	return has
}

// Merge sets the variables of other that v lacks.
func (v *Vars) Merge(other Vars) {
	for key, to := range other.dict().All() {
		if name := key.(string); !v.Has(name) {
			v.put(name, to)
		}
	}
}

// AnyText is [pyvalue.AnyText] for all variables.
func (v Vars) AnyText(is func(text string) bool) bool { return pyvalue.AnyText(v.dict(), is) }

// Texts is [pyvalue.Texts] for all variables.
func (v Vars) Texts(change func(text string) string) Vars {
	return Vars{pyvalue.Texts(v.dict(), change).(*pyvalue.Dict)}
}

func (v *Vars) put(name string, to value) {
	if v.d == nil {
		v.d = pyvalue.NewDict(4)
	}
	v.d.Set(name, to)
}

// dict returns the variables, which the caller must not change.
func (v Vars) dict() *pyvalue.Dict {
	if v.d == nil {
		return pyvalue.NewDict(0)
	}
	return v.d
}
