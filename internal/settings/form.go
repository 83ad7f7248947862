package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/nearest"
)

// A Form holds all settings of a program, or of one of its verbs. It is for one goroutine.
type Form struct {
	byVariable map[string]*Setting // the settings of list
	list       []*Setting
	sections   []section
	used       []string // as in Use; nil: everything
}

// A section is a declared group of settings.
type section struct {
	path  string
	doc   string
	group Declarer
}

// New returns the form of a program with the settings of g and of the sections that g
// declares.
func New(g Declarer) *Form {
	f := &Form{byVariable: map[string]*Setting{}}
	f.sections = append(f.sections, section{"", "", g})
	g.Declare(&Section{form: f})
	return f
}

// Check reports every setting of g with an invalid value, one per line.
func Check(g Declarer) error { return New(g).check() }

// Use returns the form of a verb that uses the settings at and below paths, except those at
// and below a path that begins with a dash. The other settings may appear in the file and
// the environment, without effect.
func (f *Form) Use(paths ...string) *Form {
	for _, path := range paths {
		if !f.has(strings.TrimPrefix(path, "-")) {
			panic("settings: a verb uses " + path + ", which is not declared")
		}
	}
	return &Form{f.byVariable, f.list, f.sections, append([]string{}, paths...)}
}

// has reports whether there is a setting at or below a path.
func (f *Form) has(path string) bool {
	for _, s := range f.list {
		if within(s.path, path) {
			return true
		}
	}
	return false
}

// uses reports whether the form uses everything at and below a path.
func (f *Form) uses(path string) bool {
	if f.used == nil {
		return true
	}
	is := false
	for _, used := range f.used {
		if without, not := strings.CutPrefix(used, "-"); not && within(path, without) {
			return false
		} else if !not && within(path, used) {
			is = true
		}
	}
	return is
}

// within reports whether path is other or below it. Every path is below the empty one.
func within(path, other string) bool {
	return other == "" || strings.HasPrefix(path, other) && (len(path) == len(other) || path[len(other)] == '.')
}

// Settings returns the form's settings, in the order of their declarations.
func (f *Form) Settings() []*Setting {
	var list []*Setting
	for _, s := range f.list {
		if f.uses(s.path) {
			list = append(list, s)
		}
	}
	return list
}

// find returns the setting of a path, even one that the form does not use, or nil.
func (f *Form) find(path string) *Setting {
	for _, s := range f.list {
		if s.path == path {
			return s
		}
	}
	return nil
}

// Find returns the setting of a path. The error suggests the nearest, or says that the form
// does not use it.
func (f *Form) Find(path string) (*Setting, error) {
	s := f.find(path)
	switch {
	case s == nil:
		name := path[strings.LastIndexByte(path, '.')+1:]
		return nil, fmt.Errorf("there is no such setting%s", suggest(path, f.paths(), "."+name))
	case !f.uses(path):
		return nil, errors.New("this command does not use it")
	}
	return s, nil
}

// paths returns the paths of all settings.
func (f *Form) paths() []string {
	list := make([]string, len(f.list))
	for i, s := range f.list {
		list[i] = s.path
	}
	return list
}

// Named reports whether a source named the setting of a path, since the form was made.
func (f *Form) Named(path string) bool { return f.find(path).named }

// Sources holds the sources of settings.
type Sources struct {
	File    string            // name of the file, for messages
	Data    []byte            // content of the file
	Environ []string          // as of os.Environ
	Others  []string          // variables that begin with Prefix but are not settings
	Flags   map[string]Given  // the settings on the command line, by path
	Former  map[string]string // keys that there were: the key in their place, KEY=VALUE with the beginning of a value, or what to do, in words
	Base    *Sources          // has a file that all these override; nil: none
}

// InWords reports whether a value of Sources.Former says what to do, and names no key.
func InWords(former string) bool { return strings.Contains(former, " ") }

// A Given is the text of a setting on the command line, and how it was given there:
// "--group-size", or "--with run.group_size".
type Given struct{ Text, By string }

// Ours reports whether the environment has a variable that begins with [Prefix].
func (s Sources) Ours() bool {
	return slices.ContainsFunc(s.Environ, func(entry string) bool { return strings.HasPrefix(entry, Prefix) })
}

// Load sets the settings from the sources. The error reports all faults, one per line. The
// whole file is checked, but the environment only for the settings that the form uses. For
// an unknown key or variable the error names the nearest known one.
func (f *Form) Load(from Sources) error {
	var faults []error
	if from.Base != nil {
		faults = f.loadFile(*from.Base)
	}
	faults = append(faults, f.loadFile(from)...)
	faults = append(faults, f.loadEnviron(from)...)
	for _, s := range f.Settings() {
		if given, ok := from.Flags[s.path]; ok {
			faults = append(faults, s.set(given.Text, given.By))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return f.check()
}

// Preset sets settings to texts, by their paths. It checks each by itself, but not the
// values together: [Form.Load] does. The error names an unknown path or an invalid text.
func (f *Form) Preset(values map[string]string) error {
	for _, path := range slices.Sorted(maps.Keys(values)) {
		s, err := f.Find(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := s.set(values[path], path); err != nil {
			return err
		}
	}
	return nil
}

// set sets s to the text of a flag or variable.
func (s *Setting) set(text, source string) error {
	s.named = true
	if err := s.value.Set(text); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

// loadEnviron sets the settings in the environment.
func (f *Form) loadEnviron(from Sources) (faults []error) {
	names := append([]string{}, from.Others...)
	for _, s := range f.list {
		names = append(names, s.variable)
	}
	former := map[string]string{}
	for old, key := range from.Former {
		former[variable(old)] = key
	}
	for _, entry := range from.Environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, Prefix) || text == "" || slices.Contains(from.Others, name) {
			continue
		}
		s, ours := f.byVariable[name]
		switch {
		case !ours && InWords(former[name]):
			faults = append(faults, fmt.Errorf("%s: %s", name, former[name]))
		case !ours && former[name] != "":
			key, start, chooses := strings.Cut(former[name], "=")
			if chooses {
				start = "=" + start + "…"
			}
			faults = append(faults, fmt.Errorf("%s: use %s%s", name, variable(key), start))
		case !ours:
			faults = append(faults, fmt.Errorf("%s: there is no such setting%s", name, suggest(name, names, "_"+strings.TrimPrefix(name, Prefix))))
		case f.uses(s.path):
			faults = append(faults, s.set(text, name))
		}
	}
	return faults
}

// check reports the form's invalid settings, each alone and all together.
func (f *Form) check() error {
	var faults []error
	for _, s := range f.Settings() {
		if err := s.check(); err != nil { // a default may be invalid, to demand a value
			faults = append(faults, fmt.Errorf("%s: %w", s.path, err))
		}
	}
	for _, sec := range f.sections {
		c, can := sec.group.(Checker)
		if !can || !f.uses(sec.path) {
			continue
		}
		if err := c.Check(); err != nil {
			faults = append(faults, fmt.Errorf("%s%w", dotted(sec.path), err))
		}
	}
	return errors.Join(faults...)
}

// dotted returns the prefix of a key in a message.
func dotted(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// suggest returns the end of an error about an unknown name. It suggests the nearest of
// names, or else the first with the given ending, because people often omit the section.
func suggest(name string, names []string, ending string) string {
	if text := nearest.Suggest(name, names); text != "" {
		return text
	}
	for _, full := range names {
		if strings.HasSuffix(full, ending) {
			return fmt.Sprintf("; did you mean %q?", full)
		}
	}
	return ""
}
