package sandbox

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// An Interpreter runs or compiles the programs in a language.
type Interpreter struct {
	Language string `json:"language"`
	Version  string `json:"version"`        // empty: the sandbox has none
	Path     string `json:"path,omitempty"` // empty: unknown
}

// A Setup is what ran the programs of a run, for its report and its trace.
type Setup struct {
	Backend      string        `json:"backend"`
	Layers       []Layer       `json:"layers"`
	Interpreters []Interpreter `json:"interpreters"`
	Speed        float64       `json:"speed,omitempty"` // of Python, as a multiple of a reference machine's; 0: not measured
}

// Distinct adds a setup to those that differ; nil adds nothing.
func Distinct(all []*Setup, s *Setup) []*Setup {
	if s == nil || slices.ContainsFunc(all, func(o *Setup) bool { return reflect.DeepEqual(o, s) }) {
		return all
	}
	return append(all, s)
}

// Mark names what verdicts may depend on: the back end, the layers without which nothing runs, and
// the versions of the interpreters. Paths, the speed, the kernel's version and further layers are not in it.
func (s *Setup) Mark() string {
	parts := []string{s.Backend}
	for _, l := range s.Layers {
		if l.Floor && l.Holds {
			parts = append(parts, l.Name)
		}
	}
	slices.Sort(parts[1:])
	return strings.Join(append(parts, s.versions()...), "; ")
}

// String names the back end, the interpreters and the layers that hold.
func (s *Setup) String() string {
	var hold []string
	for _, l := range s.Layers {
		if l.Holds {
			hold = append(hold, l.Name)
		}
	}
	text := strings.Join(append([]string{s.Backend}, s.versions()...), ", ")
	if s.Speed > 0 {
		text += fmt.Sprintf(", limits of time times %.2f", 1/s.Speed)
	}
	if hold == nil {
		return text + "; no layer holds"
	}
	return text + "; it holds by " + strings.Join(hold, ", ")
}

// versions lists the interpreters by language.
func (s *Setup) versions() (all []string) {
	for _, i := range s.Interpreters {
		version := i.Version
		if version == "" {
			version = "missing"
		}
		all = append(all, fmt.Sprintf("%s %s", i.Language, version))
	}
	slices.Sort(all)
	return all
}
