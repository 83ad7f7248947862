package catalog_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// Every value of --scenario in the documents can be set.
func TestTheScenariosOfTheDocumentsAreValues(t *testing.T) {
	value := regexp.MustCompile("--scenario (?:\"([^\"\n]+)\"|([^\\s`\"]+))")
	tried := 0
	for _, doc := range []string{"games", "scenarios", "areal", "code-problems", "sandbox", "scoring", "reasoning-gym", "twisters"} {
		text, err := os.ReadFile("../../docs/" + doc + ".md")
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range value.FindAllStringSubmatch(string(text), -1) {
			given := found[1] + found[2]
			if strings.ContainsAny(given, "…") || strings.ToUpper(given) == given || strings.HasSuffix(given, "=F") {
				continue // a place for a value
			}
			if s := catalog.DefaultScenario(); s.Set(given) != nil {
				t.Errorf("docs/%s.md: %s: %v", doc, given, s.Set(given))
			}
			tried++
		}
	}
	if tried < 8 {
		t.Errorf("there are %d values, want 8 or more", tried)
	}
}

func TestAScenarioIsOneValue(t *testing.T) {
	for given, want := range map[string]string{
		"code":                         "code",
		"chess_endgame:reward=outcome": "chess_endgame:reward=outcome",
		"chess_endgame:players='policy,frozen:0',reward=outcome": "chess_endgame:reward=outcome,players='policy,frozen:0'",
		"math_multi_turn:system_prompt='it''s = 1, so: go'":      "math_multi_turn:system_prompt='it''s = 1, so: go'",
		"chess":                          "no scenario",
		"chess_endgame:":                 "is no KEY=VALUE",
		"chess_endgame:reward":           "is no KEY=VALUE",
		"chess_endgame:rewrd=value":      `did you mean "reward"?`,
		"chess_endgame:reward=all":       "reward: is all, want outcome, value or shaped",
		"chess_endgame:players=frozen:0": "in single quotes",
		"chess_endgame:players='self":    "is not closed",
		"chess_endgame:players='self'x":  "want a comma",
		"code:join=true,join=true":       "join is given twice",
		"reasoning_gym:players=self":     "there is no such setting",
	} {
		s := catalog.DefaultScenario()
		err := s.Set(given)
		if err == nil && s.String() != want || err != nil && !strings.Contains(err.Error(), want) && want != "no scenario" {
			t.Errorf("%s: %s, error %v, want %s", given, s.String(), err, want)
		}
		if err == nil {
			if again := catalog.DefaultScenario(); again.Set(s.String()) != nil || again.String() != s.String() {
				t.Errorf("%s is read as %s", s.String(), again.String())
			}
		}
	}
}

// In a file a scenario is an object or a name, and faults have their place.
func TestAScenarioInAFile(t *testing.T) {
	for file, want := range map[string]string{
		"scenario: code": "code",
		"scenario: {name: chess_endgame, reward: outcome}":                   "chess_endgame:reward=outcome",
		"scenario: chess_endgame:reward=outcome":                             "chess_endgame:reward=outcome",
		"scenario:\n  name: code\n  num_tuns: 3":                             `f.yaml:3:3: scenario.num_tuns: there is no such setting; did you mean "num_turns"?`,
		"scenario:\n  name: code\n  num_turns: 0":                            "f.yaml:3:3: scenario.num_turns: is 0, want 1 or more",
		"scenario: {reward: value}":                                          "scenario.name: want the name of a scenario",
		"scenario: {name: chess}":                                            "scenario.name: is \"chess\", want a scenario",
		"scenario: 3":                                                        "want a scenario, or an object",
		"scenario: {name: reasoning_gym, examples: 2, examples_fixed: true}": "reasoning_gym:examples=2,examples_fixed=true",
		"scenario: {name: reasoning_gym, examples: 2}\nexamples: 4":          "reasoning_gym:examples=4",
		"examples: 2\nscenario: math_multi_turn:num_turns=1":                 "math_multi_turn:num_turns=1,examples=2",
		"examples: 0\nscenario: nim_family":                                  "nim_family",
		"examples: 2\nscenario: nim_family":                                  "f.yaml:2:11: scenario: scenario nim_family shows no examples: leave them out, or choose",
		"scenario: {name: reasoning_gym, examples: 65}":                      "f.yaml:1:33: scenario.examples: is 65, want 0 to 64",
		"examples: two": "examples: want a whole number",
	} {
		s := catalog.Source{Scenario: catalog.DefaultScenario()}
		err := settings.New(&s).Load(settings.Sources{File: "f.yaml", Data: []byte(file)})
		if err == nil && s.Scenario.String() != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, error %v, want %s", file, s.Scenario.String(), err, want)
		}
	}
}
