package catalog_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func TestJudgeReplacesTheScenario(t *testing.T) {
	dir := t.TempDir()
	rubric, path := filepath.Join(dir, "rubric.yaml"), filepath.Join(dir, "judge.yaml")
	if err := os.WriteFile(rubric, []byte("criteria: [{name: good, text: 'Is it good?'}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("rubric: '%s'\nurl: [http://127.0.0.1:1/v1]\nmodel: m\n", rubric)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pairs := filepath.Join(dir, "pairs.yaml")
	compares := "criteria: [{name: good, text: 'Is it good?'}]\nmode: pairs\n"
	for name, text := range map[string]string{filepath.Join(dir, "compares.yaml"): compares, pairs: strings.ReplaceAll(text, rubric, filepath.Join(dir, "compares.yaml"))} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := catalog.DefaultScenario()
	s.Judge = path
	defer s.Stop()
	if err := s.Start(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	over, err := s.Over(catalog.Tasks()[0])
	if err != nil || !strings.HasPrefix(over.Info().ID(), "judge.v1-") {
		t.Errorf("%v, error %v", over, err)
	}
	registered := 0
	s.Register(func(prometheus.Collector) { registered++ })
	if other := catalog.DefaultScenario(); registered == 1 {
		other.Register(func(prometheus.Collector) { registered++ })
	}
	if registered != 1 {
		t.Errorf("%d collectors, want that of the judge", registered)
	}
	for says, change := range map[string]func(*catalog.ScenarioChoice){
		"one by one": func(s *catalog.ScenarioChoice) { s.Judge, s.Agent.Command = pairs, "true" },
		"choose one": func(s *catalog.ScenarioChoice) {
			s.Environment.Address = guest.Addresses{{Scheme: "command", Name: "x"}}
		},
		"there is no":  func(s *catalog.ScenarioChoice) { s.Judge = path + "x" },
		"rubric.yaml:": func(s *catalog.ScenarioChoice) { s.Judge = rubric },
	} {
		s := catalog.DefaultScenario()
		s.Judge = path
		change(&s)
		if err := s.Start(t.Context(), slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(), "judge: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
		s.Stop()
	}
}
