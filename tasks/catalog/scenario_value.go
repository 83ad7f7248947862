package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
)

// open returns a scenario with its usual settings.
func (s *ScenarioChoice) open(name string) (scenario.Play, error) {
	spec, err := Scenario(name)
	if err != nil {
		return nil, fmt.Errorf("is %q, want a scenario: quintain scenarios list names them%s", name, nearest.Suggest(name, scenarioNames()))
	}
	play := codeplay.New(spec, s.sandbox)
	return play, settings.New(play).Preset(s.usual(name))
}

// ours reports whether a scenario of ours has a name.
func ours(name string) bool { return slices.Contains(scenarioNames(), name) }

// CompleteScenario returns the names of scenarios of ours that begin with what is typed.
func CompleteScenario(typed string) []string {
	return slices.DeleteFunc(scenarioNames(), func(name string) bool { return !strings.HasPrefix(name, typed) })
}

func scenarioNames() (names []string) {
	for _, spec := range Scenarios() {
		names = append(names, spec.Name)
	}
	return names
}

// Set chooses a scenario and its settings: NAME, or NAME:KEY=VALUE,….
func (s *ScenarioChoice) Set(text string) error {
	name, rest, more := strings.Cut(text, ":")
	play, err := s.open(name)
	if err != nil {
		return err
	}
	var values map[string]string
	if more {
		if values, err = pairs(rest); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	form := settings.New(play)
	if err = form.Preset(values); err == nil {
		err = settings.Check(play)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.take(name, play)
}

// pairs reads KEY=VALUE,…. A value in single quotes may hold any character; one of two single
// quotes in it is kept.
func pairs(text string) (map[string]string, error) {
	values := map[string]string{}
	for more := true; more; {
		key, rest, ok := strings.Cut(text, "=")
		if !ok || key == "" || strings.ContainsAny(key, ",:'") {
			return nil, fmt.Errorf(`%q is no KEY=VALUE; a value with a comma stands in single quotes, and for a shell all in double ones: "NAME:KEY='A,B'"`, text)
		}
		if _, twice := values[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		value, left, err := pairValue(rest)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		values[key] = value
		if text, more = strings.CutPrefix(left, ","); !more && left != "" {
			return nil, fmt.Errorf("%s: want a comma before %q", key, left)
		}
	}
	return values, nil
}

// pairValue reads the value that text begins with.
func pairValue(text string) (value, left string, err error) {
	quoted, ok := strings.CutPrefix(text, "'")
	if !ok {
		end := strings.IndexByte(text, ',')
		if end < 0 {
			end = len(text)
		}
		if value = text[:end]; strings.ContainsAny(value, ":='") {
			return "", "", fmt.Errorf("is %s, want a value with a comma, a colon or an equals sign in single quotes", value)
		}
		return value, text[end:], nil
	}
	var b strings.Builder
	for {
		part, rest, closed := strings.Cut(quoted, "'")
		b.WriteString(part)
		if !closed {
			return "", "", errors.New("the single quote is not closed")
		}
		if quoted, ok = strings.CutPrefix(rest, "'"); !ok {
			return b.String(), rest, nil
		}
		b.WriteByte('\'')
	}
}

// A scenarioValue is the choice as a setting.
type scenarioValue ScenarioChoice

// Set implements [settings.Value].
func (v *scenarioValue) Set(text string) error { return (*ScenarioChoice)(v).Set(text) }

// Take implements [settings.Value].
func (v *scenarioValue) Take(value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		text, ok := value.(string)
		if !ok {
			return errors.New("want a scenario, or an object with its name and its settings")
		}
		return v.Set(text)
	}
	name, ok := fields["name"].(string)
	if !ok {
		return settings.Within(errors.New("want the name of a scenario"), "name")
	}
	play, err := (*ScenarioChoice)(v).open(name)
	if err != nil {
		return settings.Within(err, "name")
	}
	rest := maps.Clone(fields)
	delete(rest, "name")
	if err := settings.Take(play, rest); err != nil {
		return err
	}
	return (*ScenarioChoice)(v).take(name, play)
}

// Give implements [settings.Value].
func (v *scenarioValue) Give() any {
	text, _ := settings.JSON(v.play) // info of its Spec has it, too
	given, _ := settings.FromJSON(text)
	fields := given.(map[string]any)
	fields["name"] = v.Name
	return fields
}

// String implements [settings.Value].
func (v *scenarioValue) String() string { return (*ScenarioChoice)(v).String() }

// String returns the scenario in the form of Set. It leaves out the usual settings.
func (s *ScenarioChoice) String() string {
	usual, err := s.open(s.Name)
	if err != nil {
		return s.Name
	}
	before := settings.New(usual).Settings()
	var parts []string
	for i, one := range settings.New(s.play).Settings() {
		text := one.String()
		if text == before[i].String() {
			continue
		}
		if strings.ContainsAny(text, ",:='") {
			text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
		parts = append(parts, one.Path()+"="+text)
	}
	if parts == nil {
		return s.Name
	}
	return s.Name + ":" + strings.Join(parts, ",")
}

// Type implements [settings.Value].
func (v *scenarioValue) Type() string { return "NAME[:KEY=VALUE,...]" }

// Complete implements [settings.Completer].
func (v *scenarioValue) Complete(typed string) (texts []string) {
	name, given, more := strings.Cut(typed, ":")
	if !more {
		return CompleteScenario(typed)
	}
	play, err := (*ScenarioChoice)(v).open(name)
	if err != nil {
		return nil
	}
	before, last := "", given
	if comma := strings.LastIndexByte(given, ','); comma >= 0 {
		before, last = given[:comma+1], given[comma+1:]
	}
	key, value, valued := strings.Cut(last, "=")
	for _, s := range settings.New(play).Settings() {
		switch {
		case !valued && strings.HasPrefix(s.Path(), last):
			texts = append(texts, name+":"+before+s.Path()+"=")
		case valued && s.Path() == key:
			for _, word := range s.Complete(value) {
				texts = append(texts, name+":"+before+key+"="+word)
			}
		}
	}
	return texts
}
