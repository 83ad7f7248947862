package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/nearest"
)

// A Form is all that a program, or one verb of it, lets people set. It is for one
// goroutine.
type Form struct {
	list     []*Setting
	sections []section
	used     []string // paths of what the verb uses, and all below them; nil: everything
}

// A section is a group as it was declared.
type section struct {
	path  string
	doc   string
	group Declarer
}

// New returns the form of the settings of g, which are at the top of the file.
func New(g Declarer) *Form {
	f := &Form{}
	f.sections = append(f.sections, section{"", "", g})
	g.Declare(&Section{form: f})
	names := map[string]string{}
	for _, s := range f.list {
		if other, twice := names[s.Variable()]; twice {
			panic("settings: " + other + " and " + s.path + " have one variable")
		}
		names[s.Variable()] = s.path
	}
	return f
}

// Check reports what is invalid in the settings of g as they are now, a line for each.
func Check(g Declarer) error { return New(g).check() }

// Use returns the form of a verb that uses the settings at and below some paths, but for
// those at and below paths with a dash before them. The others may stand in the file
// and the environment, and mean nothing.
func (f *Form) Use(paths ...string) *Form {
	for _, path := range paths {
		if !f.has(strings.TrimPrefix(path, "-")) {
			panic("settings: a verb uses " + path + ", which nobody declares")
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

// within reports whether a path is another or below it. All are below the top.
func within(path, other string) bool {
	return other == "" || path == other || strings.HasPrefix(path, other+".")
}

// Settings returns what the form uses, in the order of the declarations.
func (f *Form) Settings() []*Setting {
	var list []*Setting
	for _, s := range f.list {
		if f.uses(s.path) {
			list = append(list, s)
		}
	}
	return list
}

// find returns the setting of a path, also one that the form does not use.
func (f *Form) find(path string) *Setting {
	for _, s := range f.list {
		if s.path == path {
			return s
		}
	}
	return nil
}

// paths are those of all settings.
func (f *Form) paths() []string {
	list := make([]string, len(f.list))
	for i, s := range f.list {
		list[i] = s.path
	}
	return list
}

// Sources are where settings come from.
type Sources struct {
	File    string            // name of the file, for messages
	Data    []byte            // what is in it
	Environ []string          // as of os.Environ
	Others  []string          // variables that begin with Prefix and are no settings
	Flags   map[string]string // texts of the flags that were given, by the path of the setting
}

// Load sets what the sources say, and reports everything that is wrong with it, a line
// for each. The whole file is held against the form; of the environment only what the
// form uses is taken. An unknown key or variable is an error that names the nearest
// known one.
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

// loadEnviron sets what the environment says.
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

// check reports what does not fit together in the groups that the form uses.
func (f *Form) check() error {
	var faults []error
	for _, s := range f.Settings() {
		if err := s.check(); err != nil { // of a default that has to be changed
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

// dotted is what stands before a key in a message.
func dotted(path string) string {
	if path == "" {
		return ""
	}
	return path + "."
}

// suggest is the end of an error about an unknown name: it gives the nearest of names, or
// the first that ends in ending, which is how a setting is often called for short.
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
