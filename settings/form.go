package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/nearest"
)

// A Form holds all settings of a program, or those of one of its verbs. It is for one
// goroutine.
type Form struct {
	list     []*Setting
	sections []section
	used     []string // as for Use; nil: everything
}

// A section is a declared group of settings.
type section struct {
	path  string
	doc   string
	group Declarer
}

// New returns the form of a program whose settings are those of g and of the sections
// that g declares.
func New(g Declarer) *Form {
	f := &Form{}
	f.sections = append(f.sections, section{"", "", g})
	g.Declare(&Section{form: f})
	names := map[string]string{}
	for _, s := range f.list {
		if other, twice := names[s.Variable()]; twice {
			panic("settings: " + other + " and " + s.path + " have the same variable")
		}
		names[s.Variable()] = s.path
	}
	return f
}

// Check reports every setting of g whose value is invalid, one per line.
func Check(g Declarer) error { return New(g).check() }

// Use returns the form of a verb that uses the settings at and below paths, except those
// at and below a path that begins with a dash. The others may be set in the file and the
// environment, without effect.
func (f *Form) Use(paths ...string) *Form {
	for _, path := range paths {
		if !f.has(strings.TrimPrefix(path, "-")) {
			panic("settings: a verb uses " + path + ", which is not declared")
		}
	}
	return &Form{f.list, f.sections, append([]string{}, paths...)}
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

// uses reports whether the form uses all at and below a path.
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

// within reports whether path is other or below it. All are below the empty path.
func within(path, other string) bool {
	return other == "" || path == other || strings.HasPrefix(path, other+".")
}

// Settings returns the settings that the form uses, in the order of the declarations.
func (f *Form) Settings() []*Setting {
	var list []*Setting
	for _, s := range f.list {
		if f.uses(s.path) {
			list = append(list, s)
		}
	}
	return list
}

// find returns the setting of a path, even if the form does not use it, or nil.
func (f *Form) find(path string) *Setting {
	for _, s := range f.list {
		if s.path == path {
			return s
		}
	}
	return nil
}

// paths returns the paths of all settings.
func (f *Form) paths() []string {
	list := make([]string, len(f.list))
	for i, s := range f.list {
		list[i] = s.path
	}
	return list
}

// Sources are what settings are read from.
type Sources struct {
	File    string            // name of the file, for messages
	Data    []byte            // content of the file
	Environ []string          // as of os.Environ
	Others  []string          // variables that begin with Prefix but are not settings
	Flags   map[string]string // the given flags, by the path of the setting
}

// Load sets the settings that the sources name. The error reports everything that is
// wrong, one per line. The whole file is checked, but the environment only for the
// settings that the form uses. For an unknown key or variable the error names the
// nearest known one.
func (f *Form) Load(from Sources) error {
	faults := f.loadFile(from)
	faults = append(faults, f.loadEnviron(from)...)
	for _, s := range f.Settings() {
		if text, given := from.Flags[s.path]; given {
			faults = append(faults, s.set(text, "--"+s.flag))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return f.check()
}

// set sets s to the text of a flag or variable.
func (s *Setting) set(text, source string) error {
	err := s.value.Set(text)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

// loadEnviron sets the settings that the environment names.
func (f *Form) loadEnviron(from Sources) (faults []error) {
	known := map[string]*Setting{}
	names := append([]string{}, from.Others...)
	for _, s := range f.list {
		known[s.Variable()] = s
		names = append(names, s.Variable())
	}
	for _, other := range from.Others {
		known[other] = nil
	}
	for _, entry := range from.Environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, Prefix) || text == "" {
			continue
		}
		s, ours := known[name]
		switch {
		case !ours:
			faults = append(faults, fmt.Errorf("%s: there is no such setting%s", name, suggest(name, names, "_"+strings.TrimPrefix(name, Prefix))))
		case s != nil && f.uses(s.path):
			faults = append(faults, s.set(text, name))
		}
	}
	return faults
}

// check reports settings that are invalid, alone or together, if the form uses them.
func (f *Form) check() error {
	var faults []error
	for _, s := range f.Settings() {
		if err := s.check(); err != nil { // a default may be invalid, so that it has to be set
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

// dotted returns what comes before a key in a message.
func dotted(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// suggest returns the end of an error about an unknown name. It suggests the nearest of
// names, or else the first with the given ending, since people often omit the section.
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
