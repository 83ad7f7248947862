package catalog_test

import (
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// phrasing finds the wording in a record.
var phrasing = regexp.MustCompile(`,?"phrasing":\d+`)

// sides has the texts of questions, by the side on which they were found.
type sides map[string]bool

// put notes that a text is on a side, and reports whether it was on the other one.
func (s sides) put(text string, heldOut bool) (both bool) {
	before, met := s[text]
	s[text] = heldOut
	return met && before != heldOut
}

// No question is on both sides of the split: neither as a whole prompt, nor as a short
// one, nor as a record in another wording. The keys have no part in the comparison.
func TestHeldOutQuestionsAreNotTrainedOnInWhateverWords(t *testing.T) {
	t.Parallel()
	for _, task := range catalog.Tasks() {
		t.Run(task.Info().Name, func(t *testing.T) {
			t.Parallel()
			for level := range task.Info().Levels {
				oneLevel(t, task, level)
			}
		})
	}
}

// oneLevel draws problems of one level, and compares their texts.
func oneLevel(t *testing.T, task quintain.Task, level int) {
	prompts, shorts, records := sides{}, sides{}, sides{}
	short := task.(quintain.Shortener)
	for index := range splitDraws {
		p, err := task.Problem(quintain.Draw{Seed: uint64(1 + index%2), Level: level, Index: index / 2})
		if err != nil {
			t.Fatal(err)
		}
		key, err := quintain.KeyOf(task, p)
		if err != nil {
			t.Fatal(err)
		}
		brief, err := short.Short(p)
		if err != nil {
			t.Fatal(err)
		}
		heldOut := key.HeldOut()
		switch {
		case prompts.put(p.Prompt, heldOut):
			t.Errorf("level %d: a prompt is on both sides: %q", level, p.Prompt)
		case shorts.put(brief, heldOut):
			t.Errorf("level %d: a short prompt is on both sides: %q", level, brief)
		case records.put(phrasing.ReplaceAllString(p.Instance.String(), ""), heldOut):
			t.Errorf("level %d: a record in another wording is on both sides: %s", level, p.Instance)
		}
	}
}

// Each level of each task has problems for an evaluation.
func TestEachLevelHasHeldOutProblems(t *testing.T) {
	t.Parallel()
	const most = 1000 // draws
	for _, task := range catalog.Tasks() {
		for level := range task.Info().Levels {
			found := false
			for index := 0; index < most && !found; index++ {
				p, err := task.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
				if err != nil {
					t.Fatal(err)
				}
				key, err := quintain.KeyOf(task, p)
				if err != nil {
					t.Fatal(err)
				}
				found = key.HeldOut()
			}
			if !found {
				t.Errorf("%s, level %d: none of %d problems is held out", task.Info().Name, level, most)
			}
		}
	}
}

// The settings of a scenario do not change which questions training leaves out.
func TestSettingsOfAScenarioDoNotMoveTheSplit(t *testing.T) {
	t.Parallel()
	skipped := 0
	for _, task := range catalog.Tasks()[:8] {
		full, brief := reasoningGym(t, task, `{}`), reasoningGym(t, task, `{"short_prompts":true}`)
		for index := range 200 {
			a, b := skips(t, full, index), skips(t, brief, index)
			if a != b {
				t.Errorf("%s: problem %d is skipped: %v, and with short prompts: %v", task.Info().Name, index, a, b)
			}
			if a {
				skipped++
			}
		}
	}
	if skipped < 80 || skipped > 320 {
		t.Errorf("%d of 1600 problems are skipped, want about a tenth", skipped)
	}
}

// skips reports whether training leaves out a problem of s.
func skips(t *testing.T, s quintain.Scenario, index int) bool {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 3, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	skip, err := exam.Skip(s)(p)
	if err != nil {
		t.Fatal(err)
	}
	return skip
}

// reasoningGym is that scenario over a task.
func reasoningGym(t *testing.T, task quintain.Task, settings string) quintain.Scenario {
	t.Helper()
	for _, spec := range scenarios.All {
		if spec.Name != "reasoning_gym" {
			continue
		}
		s, err := spec.Over(task, []byte(settings))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatal("there is no scenario reasoning_gym")
	return nil
}
