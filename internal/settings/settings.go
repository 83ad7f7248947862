// Package settings lets a program declare each setting once. It gives the setting a key in
// the YAML file and for --with, an environment variable, and a row in the documents, and a
// flag only where the declaration names one.
//
// A package keeps its settings in a struct whose fields hold the defaults, and declares
// them:
//
//	func (s *Settings) Declare(d *settings.Section) {
//		d.Int(&s.GroupSize, "group_size", "episodes of one problem").AtLeast(1).Flag("group-size")
//		d.Duration(&s.Grace, "grace", "time for episodes to finish once a run is stopped")
//	}
//
// A program combines the sections in a [Form], which reads them from a file, the
// environment and flags. A flag overrides the environment, the environment the file, and
// the file the default.
package settings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A Declarer is a group of settings.
type Declarer interface {
	// Declare declares the settings. The fields' current values are the defaults.
	Declare(d *Section)
}

// A Checker is a [Declarer] with settings that depend on each other.
type Checker interface {
	// Check reports settings that are invalid together, by their keys in the section.
	Check() error
}

// A Section takes the declarations of the settings below one key of the file.
type Section struct {
	form *Form
	path string // "run"; empty: the top
}

// key returns the path of a key in the section.
func (d *Section) key(name string) string {
	if d.path == "" {
		return name
	}
	return d.path + "." + name
}

// add declares a setting. It panics if the key exists already.
func (d *Section) add(v Value, name, doc string) *Setting {
	s := &Setting{path: d.key(name), doc: doc, value: v, was: v.String()}
	s.variable = variable(s.path)
	switch other := d.form.byVariable[s.variable]; {
	case other != nil && other.path == s.path:
		panic("settings: " + s.path + " is declared twice")
	case other != nil:
		panic("settings: " + other.path + " and " + s.path + " have the same variable")
	}
	d.form.byVariable[s.variable] = s
	d.form.list = append(d.form.list, s)
	return s
}

// Section declares the settings of g below the key name, under the heading doc.
func (d *Section) Section(g Declarer, name, doc string) {
	below := &Section{form: d.form, path: d.key(name)}
	d.form.sections = append(d.form.sections, section{below.path, doc, g})
	g.Declare(below)
}

// Int declares a whole number.
func (d *Section) Int(p *int, name, doc string) *Setting { return d.add((*whole)(p), name, doc) }

// Int64 declares a whole number of 64 bits.
func (d *Section) Int64(p *int64, name, doc string) *Setting { return d.add((*whole64)(p), name, doc) }

// Uint64 declares a whole number of 64 bits without a sign.
func (d *Section) Uint64(p *uint64, name, doc string) *Setting {
	return d.add((*unsigned)(p), name, doc)
}

// Float declares a number.
func (d *Section) Float(p *float64, name, doc string) *Setting {
	return d.add((*number)(p), name, doc)
}

// Bool declares a setting that is true or false.
func (d *Section) Bool(p *bool, name, doc string) *Setting { return d.add((*truth)(p), name, doc) }

// Text declares a text.
func (d *Section) Text(p *string, name, doc string) *Setting { return d.add((*text)(p), name, doc) }

// Duration declares a time, written with its unit.
func (d *Section) Duration(p *time.Duration, name, doc string) *Setting {
	return d.add((*span)(p), name, doc)
}

// Texts declares a list of texts. A flag separates them with commas.
func (d *Section) Texts(p *[]string, name, doc string) *Setting {
	return d.add((*texts)(p), name, doc)
}

// Object declares an object with any content. A flag gives it as JSON.
func (d *Section) Object(p *map[string]any, name, doc string) *Setting {
	return d.add((*object)(p), name, doc)
}

// Value declares a setting of its own type.
func (d *Section) Value(v Value, name, doc string) *Setting { return d.add(v, name, doc) }

// Word declares a text of its own type. [Setting.OneOf] lists the valid ones.
func Word[T ~string](d *Section, p *T, name, doc string) *Setting {
	return d.add(choice[T]{p}, name, doc)
}

// oneOf lists words for a message.
func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" {
			quoted[i] = `""`
		}
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// A Setting is one declared setting.
type Setting struct {
	path     string // "run.group_size"
	variable string // QUINTAIN_RUN_GROUP_SIZE
	doc      string
	flag     string // empty: none
	value    Value
	was      string // the default
	limits   []limit
	words    []string // the valid ones; nil: others are
	sparse   bool     // JSON leaves out 0 and false
	null     bool     // a key without a value sets the value to nil
	named    bool     // a source named it
}

// A limit is a condition that a value must meet.
type limit struct {
	want string // "1 or more"
	ok   func() bool
	kind limitKind
}

// A limitKind says where a limit is mentioned, besides errors.
type limitKind uint8

const (
	ofSize  limitKind = iota // in the documents
	ofWords                  // in the documents and in the help of flags
	ofEmpty                  // nowhere
)

// Flag gives the setting a flag of a name.
func (s *Setting) Flag(name string) *Setting {
	s.flag = name
	return s
}

// Sparse leaves the setting out of [JSON] while it is 0 or false, as before there was the setting:
// what names others by a hash of them, such as the ID of a scenario, stays.
func (s *Setting) Sparse() *Setting {
	s.sparse = true
	return s
}

// Null sets the value to nil for a null key or one without a value. By default, such a key
// leaves the default.
func (s *Setting) Null() *Setting {
	s.null = true
	return s
}

// AtLeast refuses numbers or times below low.
func (s *Setting) AtLeast(low float64) *Setting {
	return s.limit(s.shown(low)+" or more", func(v float64) bool { return v >= low })
}

// Above refuses numbers or times of low or less.
func (s *Setting) Above(low float64) *Setting {
	return s.limit("more than "+s.shown(low), func(v float64) bool { return v > low })
}

// Below refuses numbers or times of high or more.
func (s *Setting) Below(high float64) *Setting {
	return s.limit("less than "+s.shown(high), func(v float64) bool { return v < high })
}

// Between refuses numbers or times outside low to high.
func (s *Setting) Between(low, high float64) *Setting {
	return s.limit(s.shown(low)+" to "+s.shown(high), func(v float64) bool { return v >= low && v <= high })
}

// limit adds a limit of a number, or of a time in seconds.
func (s *Setting) limit(want string, ok func(float64) bool) *Setting {
	m, can := s.value.(measured)
	if !can {
		panic("settings: " + s.path + " is not a number")
	}
	s.limits = append(s.limits, limit{want, func() bool { return ok(m.measure()) && !math.IsInf(m.measure(), 0) }, ofSize})
	return s
}

// shown writes a limit in the unit of the value.
func (s *Setting) shown(v float64) string {
	if _, ok := s.value.(*span); ok {
		return time.Duration(v * float64(time.Second)).String()
	}
	return fmt.Sprintf("%.16g", v)
}

// OneOf refuses texts other than words.
func (s *Setting) OneOf(words ...string) *Setting {
	s.words = words
	s.limits = append(s.limits, limit{oneOf(words), func() bool { return slices.Contains(words, s.value.String()) }, ofWords})
	return s
}

// Given refuses an empty text. want describes a valid one.
func (s *Setting) Given(want string) *Setting {
	s.limits = append(s.limits, limit{want, func() bool { return s.value.String() != "" }, ofEmpty})
	return s
}

// check reports the first limit that the value breaks.
func (s *Setting) check() error {
	for _, l := range s.limits {
		if !l.ok() {
			return fmt.Errorf("is %s, want %s", quote(s.value.String()), l.want)
		}
	}
	return nil
}

// quote returns a text for a message, quoted if it is empty.
func quote(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

// Join returns the text of a setting whose flag is given twice: the second, or both if it keeps them.
func (s *Setting) Join(before, text string) string {
	if _, repeated := s.value.(Repeated); repeated {
		return before + "\n" + text
	}
	if s.Type() == "list" {
		return before + "," + text
	}
	return text
}

// Path returns the key in the file, with the keys of its sections: "run.group_size".
func (s *Setting) Path() string { return s.path }

// FlagName returns the name of the flag, without the leading dashes; empty: none.
func (s *Setting) FlagName() string { return s.flag }

// A Completer is a [Value] that a shell completes.
type Completer interface {
	// Complete returns texts that begin with what is typed.
	Complete(typed string) []string
}

// Completes reports whether Complete knows any values. It makes none of them.
func (s *Setting) Completes() bool {
	_, can := s.value.(Completer)
	return can || s.allowed() != nil
}

// Complete returns valid values, for a shell in which the beginning of one is typed.
func (s *Setting) Complete(typed string) []string {
	if c, can := s.value.(Completer); can {
		return c.Complete(typed)
	}
	return slices.DeleteFunc(slices.Clone(s.allowed()), func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// allowed returns the words that the setting takes, nil if it takes others.
func (s *Setting) allowed() []string {
	if _, ok := s.value.(*truth); ok {
		return []string{"true", "false"}
	}
	return s.words
}

// Variable returns the name of the environment variable.
func (s *Setting) Variable() string { return s.variable }

// Doc returns the meaning of the setting and its valid values.
func (s *Setting) Doc() string {
	var wants []string
	for _, l := range s.limits {
		if l.kind != ofEmpty {
			wants = append(wants, l.want)
		}
	}
	if wants == nil {
		return s.doc
	}
	return s.doc + " (" + strings.Join(wants, "; ") + ")"
}

// Help is a short Doc, for the help of flags: of the valid values it lists only words.
func (s *Setting) Help() string {
	for _, l := range s.limits {
		if l.kind == ofWords {
			return s.doc + ": " + l.want
		}
	}
	return s.doc
}

// Default returns the default, as written in a flag.
func (s *Setting) Default() string { return s.was }

// Type names the type, for the help of flags: "int", "duration".
func (s *Setting) Type() string { return s.value.Type() }

// Give returns the value in the form of [Value.Take].
func (s *Setting) Give() any { return s.value.Give() }

// String returns the value, as written in a flag.
func (s *Setting) String() string { return s.value.String() }

// Prefix begins the names of all environment variables.
const Prefix = "QUINTAIN_"

// variable returns the environment variable of a path.
func variable(path string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}
