package arithmetic

import (
	"bytes"
	"fmt"
	"go/constant"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGSMSymbolicScore(t *testing.T) {
	item := storyItem{AnswerValue: "1250.50"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1250.50", 1, ""},
		{"1250.5", 1, "the same number"},
		{"1,250.50", 1, "with separators"},
		{"$1250.50", 1, "with a dollar sign"},
		{"The answer is 1250.50.", 7. / 22, "a sentence"},
		{"1250", 0, "without the cents"},
		{"125050", 0, "in cents"},
		{"1250.51", 0, "one off"},
		{"-1250.50", 0, "the other sign"},
		{"1250.50 1000", 0, "two numbers"},
		{"11250.50", 0, "a digit more"},
		{"$", 0, "no number"},
	})
}

func TestGSMSymbolicParams(t *testing.T) {
	tasktest.Refused(t, gsmSymbolic.Task(), map[string]string{
		`{"difficulty":2}`:                         "difficulty",
		`{"min_steps":0}`:                          "min_steps",
		`{"min_steps":5,"max_steps":4}`:            "max_steps",
		`{"size":3}`:                               "size",
		`{"size":-1}`:                              "size",
		`{"distractions":-1}`:                      "distractions",
		`{"min_stories":0}`:                        "min_stories",
		`{"min_stories":3}`:                        "max_stories",
		`{"max_stories":11}`:                       "max_stories",
		`{"min_steps":7,"max_stories":9}`:          "templates",
		`{"min_steps":90,"max_steps":99}`:          "templates",
		`{"distractions":10}`:                      "distractions",
		`{"difficulty":1,"max_stories":"several"}`: "max_stories",
	})
}

func TestGSMSymbolicRecords(t *testing.T) {
	tasktest.RefusedRecords(t, gsmSymbolic.Task(), []string{
		`{}`,
		`{"answer_value":"many"}`,
		`{"answer_value":1e999}`,
		`{"answer_value":1` + strings.Repeat("0", 50) + `}`,
		`{"answer_value":4,"phrasing":6}`,
		`{"answer_value":4,"stories":[{},{},{},{},{},{},{},{},{},{},{}]}`,
	})
}

func TestGSMSymbolicKeys(t *testing.T) {
	tasktest.Same(t, gsmSymbolic.Task(), "names and irrelevant facts", func(s *storyItem) {
		for i := range s.Stories {
			s.Stories[i].Facts = append(s.Stories[i].Facts, "Somebody else has 5 dogs.")
		}
	})
	tasktest.Other(t, gsmSymbolic.Task(), "another number", func(s *storyItem) {
		s.Variables = regexp.MustCompile(`:(\d)`).ReplaceAll(s.Variables, []byte(":1$1"))
	})
	tasktest.Other(t, gsmSymbolic.Task(), "another template", func(s *storyItem) { s.Stories[0].Template = "other" })
}

// The second solver reads the numbers from the prompt: for each template,
// testdata/second.txt has an expression in which the words around a number stand for it.
func TestGSMSymbolicSecond(t *testing.T) {
	readings := readReadings(t)
	seen := map[string]int{}
	tasktest.Every(t, gsmSymbolic.Task(), tasktest.Count(1800, 400), func(item storyItem, prompt, got string) error {
		sum := constant.MakeInt64(0)
		for i, text := range divided(prompt, len(item.Stories)) {
			name := item.Stories[i].Template
			seen[name]++
			value, err := readings[name].value(text)
			if err != nil {
				return fmt.Errorf("%s: %w: %s", name, err, text)
			}
			sum = constant.BinaryOp(sum, token.ADD, value)
		}
		if want, err := exactAnswer(got); err != nil || !constant.Compare(want, token.EQL, sum) {
			return fmt.Errorf("solution %s, want %s (%w)", got, sum, err)
		}
		return nil
	})
	for name := range readings {
		if tasktest.Heavy && seen[name] == 0 {
			t.Errorf("no problem of template %s was read", name)
		}
	}
}

// divided returns the stories of a prompt, each on one line.
func divided(prompt string, stories int) (texts []string) {
	prompt = strings.ToLower(strings.NewReplacer("\n- ", " ", "\n", " ", `"`, "").Replace(prompt))
	if stories == 1 {
		return []string{prompt}
	}
	_, prompt, _ = strings.Cut(prompt, "(1) ")
	for i := range stories {
		text, rest, _ := strings.Cut(prompt, fmt.Sprintf(" (%d) ", i+2))
		texts, prompt = append(texts, text), rest
	}
	return texts
}

func TestStoryKeys(t *testing.T) {
	tasktest.Variant(t, gsmSymbolic.Task(), "another noun", func(s *storyItem, _ *rng.Rand) func(string) string {
		for _, found := range regexp.MustCompile(`"([a-z ]+)"(?:,|})`).FindAllSubmatch(s.Variables, -1) {
			noun := string(found[1])
			s.Variables = bytes.ReplaceAll(s.Variables, found[0], bytes.ReplaceAll(found[0], found[1], []byte("acorns")))
			for i := range s.Stories {
				s.Stories[i].Question = strings.ReplaceAll(s.Stories[i].Question, noun, "acorns")
				for k, fact := range s.Stories[i].Facts {
					s.Stories[i].Facts[k] = strings.ReplaceAll(fact, noun, "acorns")
				}
			}
		}
		return nil
	})
	tasktest.Variant(t, gsmSymbolic.Task(), "without the irrelevant facts", func(s *storyItem, _ *rng.Rand) func(string) string {
		all, err := templates()
		if err != nil {
			t.Fatal(err)
		}
		for i, told := range s.Stories {
			at := slices.IndexFunc(all, func(of template) bool { return of.name == told.Template })
			relevant := 0
			for _, f := range all[at].facts {
				if !f.distracts {
					relevant++
				}
			}
			if len(told.Facts) > relevant && all[at].facts[len(all[at].facts)-1].distracts {
				s.Stories[i].Facts = told.Facts[:len(told.Facts)-1]
			}
		}
		return nil
	})
}
