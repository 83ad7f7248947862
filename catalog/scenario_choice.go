package catalog

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/settings"
)

// A ScenarioChoice says which scenario is played, and has the settings of all.
type ScenarioChoice struct {
	Name  string
	plays map[string]env.Play // by the scenario's name
}

// DefaultScenario returns the scenario reasoning_gym, and the defaults of all.
func DefaultScenario() ScenarioChoice {
	s := ScenarioChoice{Name: "reasoning_gym", plays: map[string]env.Play{}}
	for _, spec := range Scenarios() {
		s.plays[spec.Name] = spec.New()
	}
	return s
}

// Declare implements [settings.Declarer].
func (s *ScenarioChoice) Declare(d *settings.Section) {
	var names []string
	for _, spec := range Scenarios() {
		names = append(names, spec.Name)
	}
	d.Text(&s.Name, "name", "scenario of the problems; quintain scenarios list describes all").OneOf(names...).Flag("scenario")
	for _, spec := range Scenarios() {
		d.Section(s.plays[spec.Name], spec.Name, "settings of this scenario")
	}
}

// Set changes a setting of a scenario; value is JSON. It panics if there is no such
// scenario or setting, or if the value is invalid.
func (s *ScenarioChoice) Set(scenario, name, value string) {
	object := fmt.Sprintf("{%q:%s}", name, value)
	if err := settings.ReadJSON(s.plays[scenario], []byte(object)); err != nil {
		panic("scenario " + scenario + ": " + err.Error())
	}
}

// Over returns the chosen scenario over a task.
func (s *ScenarioChoice) Over(t quintain.Task) (quintain.Scenario, error) {
	for _, spec := range Scenarios() {
		if spec.Name == s.Name {
			return spec.With(t, s.plays[s.Name])
		}
	}
	return nil, fmt.Errorf("no scenario %q", s.Name)
}
