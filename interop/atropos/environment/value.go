package environment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
)

// none is null on Atropos' command line. A name may also be written as in YAML.
const none = "None"

// A truth is a setting that is true or false, in all spellings of YAML 1.1 and Atropos'
// command line.
type truth struct{ p *bool }

// The spellings of a truth, in lower case.
var (
	yes = []string{"true", "t", "yes", "y", "on", "1"}
	no  = []string{"false", "f", "no", "n", "off", "0"}
)

// Set implements [settings.Value].
func (t truth) Set(word string) error {
	word = strings.ToLower(word)
	*t.p = slices.Contains(yes, word)
	if !*t.p && !slices.Contains(no, word) {
		return fmt.Errorf("is %q, want true or false", word)
	}
	return nil
}

// Take implements [settings.Value].
func (t truth) Take(v any) error {
	switch v := v.(type) {
	case bool, int64, string:
		return t.Set(fmt.Sprint(v))
	}
	return fmt.Errorf("is %v, want true or false", v)
}

func (t truth) Give() any      { return *t.p }
func (t truth) String() string { return strconv.FormatBool(*t.p) }
func (t truth) Type() string   { return "bool" }

// A text is a setting that may be null, stored as the empty text.
type text struct{ p *string }

// Set implements [settings.Value].
func (t text) Set(s string) error {
	if *t.p = s; s == none || s == "null" {
		*t.p = ""
	}
	return nil
}

// Take implements [settings.Value].
func (t text) Take(v any) error {
	if v == nil {
		*t.p = ""
		return nil
	}
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("is %v, want a text (in quotes if necessary)", v)
	}
	return t.Set(s)
}

func (t text) Give() any      { return *t.p }
func (t text) String() string { return *t.p }
func (t text) Type() string   { return "text" }

// A share is a number from 0 to 1 that may be null, stored as nil.
type share struct{ p **float64 }

// Set implements [settings.Value].
func (s share) Set(word string) error {
	if word == "" || word == none {
		*s.p = nil
		return nil
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("is %q, want a number from 0 to 1", word)
	}
	return s.Take(v)
}

// Take implements [settings.Value].
func (s share) Take(v any) error {
	var number float64
	switch v := v.(type) {
	case nil:
		*s.p = nil
		return nil
	case string:
		return s.Set(v)
	case int64:
		number = float64(v)
	case float64:
		number = v
	default:
		number = math.NaN()
	}
	if !(number >= 0 && number <= 1) {
		return fmt.Errorf("is %v, want a number from 0 to 1", v)
	}
	*s.p = &number
	return nil
}

// Give implements [settings.Value].
func (s share) Give() any {
	if *s.p == nil {
		return nil
	}
	return **s.p
}

// String implements [settings.Value].
func (s share) String() string {
	if *s.p == nil {
		return ""
	}
	return strconv.FormatFloat(**s.p, 'g', -1, 64)
}

func (s share) Type() string { return "float" }

// unneeded is the set of given settings without effect here, by name.
type unneeded map[string]bool

// declare declares settings without effect here.
func (u *unneeded) declare(d *settings.Section, names ...string) {
	for _, name := range names {
		s := d.Value(unneededValue{u, name}, name, "accepted for Atropos' sake, without effect").Null()
		s.Flag(s.Path())
	}
}

// An unneededValue is a setting that accepts any value, without effect.
type unneededValue struct {
	all  *unneeded
	name string
}

// Set implements [settings.Value].
func (v unneededValue) Set(string) error { return v.Take(nil) }

// Take implements [settings.Value].
func (v unneededValue) Take(any) error {
	if *v.all == nil {
		*v.all = unneeded{}
	}
	(*v.all)[v.name] = true
	return nil
}

func (v unneededValue) Give() any      { return nil }
func (v unneededValue) String() string { return "" }
func (v unneededValue) Type() string   { return "text" }
