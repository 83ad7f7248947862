package sandbox

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Interpreter runs or compiles the programs in a language.
type Interpreter struct {
	Language string `json:"language"`
	Version  string `json:"version"`        // empty: the sandbox has none
	Path     string `json:"path,omitempty"` // empty: unknown
}

// Unconfined is the name of the back end that holds nothing.
const Unconfined = "none"

// A Setup is what ran the programs of a run, for its report and its trace.
type Setup struct {
	Backend      string        `json:"backend"`
	Layers       []Layer       `json:"layers"`
	Interpreters []Interpreter `json:"interpreters"`
	Speed        float64       `json:"speed,omitempty"` // of Python, as a multiple of a reference machine's; 0: not measured
}

// Described adds a setup in JSON to those that differ. Nil adds nothing, nor does what is no setup.
func Described(all []*Setup, text json.RawMessage) []*Setup {
	s := &Setup{}
	if text == nil || strictjson.Unmarshal(text, s) != nil || slices.ContainsFunc(all, func(o *Setup) bool { return reflect.DeepEqual(o, s) }) {
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
	if s.Trusts() {
		return text + "; no sandbox holds: programs have all rights of the user, and may have forged their rewards"
	}
	return text + "; it holds by " + strings.Join(hold, ", ")
}

// Trusts reports whether programs run without a sandbox.
func (s *Setup) Trusts() bool { return s.Backend == Unconfined }

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
