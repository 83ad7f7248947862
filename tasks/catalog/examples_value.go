package catalog

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
)

// take makes a play of the named scenario the chosen one, with the examples that are set by themselves.
func (s *ScenarioChoice) take(name string, play scenario.Play) error {
	if err := s.show(name, play); err != nil {
		return err
	}
	s.Name, s.play = name, play
	return nil
}

// show sets the examples of a play to those that are set by themselves.
func (s *ScenarioChoice) show(name string, play scenario.Play) error {
	form := settings.New(play)
	_, err := form.Find("examples")
	switch shows := err == nil; {
	case s.examples == "" || s.examples == "0" && !shows:
		return nil
	case !shows:
		return fmt.Errorf("scenario %s shows no examples: leave them out, or choose reasoning_gym or math_multi_turn", name)
	}
	return errors.Unwrap(form.Preset(map[string]string{"examples": s.examples}))
}

// An examplesValue is the examples of the chosen scenario as a setting.
type examplesValue ScenarioChoice

// Set implements [settings.Value].
func (v *examplesValue) Set(text string) error {
	v.examples = text
	return (*ScenarioChoice)(v).show(v.Name, v.play)
}

// Take implements [settings.Value].
func (v *examplesValue) Take(value any) error {
	if _, ok := value.(int64); !ok {
		return errors.New("want a whole number")
	}
	return v.Set(fmt.Sprint(value))
}

// Give implements [settings.Value].
func (v *examplesValue) Give() any {
	if s, err := settings.New(v.play).Find("examples"); err == nil {
		return s.Give()
	}
	return int64(0)
}

// String implements [settings.Value].
func (v *examplesValue) String() string { return fmt.Sprint(v.Give()) }

// Type implements [settings.Value].
func (v *examplesValue) Type() string { return "int" }
