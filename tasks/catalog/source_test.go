package catalog_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// source returns a source of the tasks in text.
func source(t *testing.T, text string) *catalog.Source {
	t.Helper()
	s := &catalog.Source{Scenario: catalog.DefaultScenario()}
	if err := s.Tasks.Set(text); err != nil {
		t.Fatal(err)
	}
	return s
}

// noUsual is the choice of a caller whose settings always name tasks.
func noUsual(*task.Set) catalog.Choices { return nil }

// streamsIn lists streams as course, level and weight.
func streamsIn(streams []rollout.Stream) string {
	var parts []string
	for _, s := range streams {
		parts = append(parts, fmt.Sprintf("%s:%d=%.3g", s.Course, s.Level, s.Weight))
	}
	return strings.Join(parts, " ")
}

func TestCourses(t *testing.T) {
	for text, want := range map[string]string{
		"gcd:3-4=2,chain_sum:6": "gcd:3=1 gcd:4=1 chain_sum:6=0.5 chain_sum:7=0.5",
		"chain_sum:7,gcd:1,lcm": "chain_sum:7=1 gcd:1=0.2 gcd:2=0.2 gcd:3=0.2 gcd:4=0.2 gcd:5=0.2 lcm:0=0.167 lcm:1=0.167 lcm:2=0.167 lcm:3=0.167 lcm:4=0.167 lcm:5=0.167",
	} {
		streams, err := source(t, text).Streams(noUsual, 1)
		if got := streamsIn(catalog.Courses(streams)); got != want || err != nil {
			t.Errorf("%s: %s, error %v, want %s", text, got, err, want)
		}
	}
}

// A task is named once, whether at a level or with parameters.
func TestTasksThatAreListedTwice(t *testing.T) {
	var c catalog.Choices
	if err := c.Set("gcd:1,chain_sum,gcd:0-2"); err == nil || !strings.HasPrefix(err.Error(), "gcd:1 is listed twice") {
		t.Errorf("error %v, want one that names gcd:1", err)
	}
	s := source(t, "")
	s.Tasks = catalog.Choices{{Name: "gcd", Weight: 1, Params: []byte(`{}`)}, {Name: "gcd", Weight: 1}, {Name: "gcd", Weight: 2, Params: []byte(`{}`)}}
	if _, err := s.Streams(noUsual, 1); err == nil || !strings.HasPrefix(err.Error(), "tasks: gcd is listed twice with the same parameters") {
		t.Errorf("error %v, want one that names gcd and its parameters", err)
	}
}

func TestOneTask(t *testing.T) {
	easiest := func(c catalog.Choice) catalog.Choice { c.Level = 1; return c }
	for name, want := range map[string]string{"gcd": ":1=1", "gcd:3": ":3=1", "": "", "gcd,lcm": "want one task", "gdc": "no task"} {
		s := catalog.DefaultScenario()
		streams, err := s.One(name, easiest, 1)
		if got := streamsIn(streams); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, error %v, want %s", name, got, err, want)
		}
	}
}

// A file that cannot be read is told apart from settings that are invalid.
func TestFileErrors(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	var file *catalog.FileError
	s := source(t, "")
	s.File = none
	if _, err := s.Streams(noUsual, 1); !errors.As(err, &file) || file.Setting != "problems" {
		t.Errorf("a file of problems: error %v", err)
	}
	s.File, s.Mixture = "", none
	if _, err := s.ReadMixture(1); !errors.As(err, &file) || file.Setting != "mixture" {
		t.Errorf("a mixture: error %v", err)
	}
	s.File, s.Tasks = none, catalog.Choices{{Name: "gcd", Weight: 1}}
	if _, err := s.Streams(noUsual, 1); err == nil || errors.As(err, &file) {
		t.Errorf("a file and tasks: error %v", err)
	}
}
