package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const rubricText = `criteria:
  - {name: correct, text: "Is it correct?", choices: [no, partly, yes], weight: 3, must: true}
  - {name: concise, text: "Is it concise?"}
view: answer
reference: solution
each: 1
votes: 3
order: both
mode: absolute
`

func TestRubricIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rubric.yaml")
	if err := os.WriteFile(path, []byte(rubricText), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRubric(path)
	if err != nil {
		t.Fatal(err)
	}
	correct, concise := r.Criteria[0], r.Criteria[1]
	if strings.Join(correct.Choices, " ") != "no partly yes" || correct.Weight != 3 || !correct.Must {
		t.Errorf("the first criterion is %+v", correct)
	}
	if strings.Join(concise.Choices, " ") != "no yes" || concise.Weight != 1 || concise.Must {
		t.Errorf("the second criterion is %+v, want the defaults", concise)
	}
	if r.Reference != "solution" || r.Each != 1 || r.Votes != 3 {
		t.Errorf("the rubric is %+v", r)
	}
	same, err := ParseRubric("r.json", []byte(`{"votes": 3, "each": 1, "reference": "solution", "criteria": [
		{"must": true, "weight": 3, "choices": ["no", "partly", "yes"], "text": "Is it correct?", "name": "correct"},
		{"name": "concise", "text": "Is it concise?", "choices": ["no", "yes"], "weight": 1}]}`))
	if err != nil || same.Hash() != r.Hash() {
		t.Errorf("the same rubric as JSON has the hash %s, error %v; want %s", same.Hash(), err, r.Hash())
	}
	for _, change := range [][2]string{{"weight: 3", "weight: 4"}, {"Is it correct?", "Is it right?"}, {"votes: 3", "votes: 5"}, {"must: true", "must: false"}, {"partly, yes", "yes"}} {
		other, err := ParseRubric("r", []byte(strings.Replace(rubricText, change[0], change[1], 1)))
		if err != nil || other.Hash() == r.Hash() {
			t.Errorf("%s keeps the hash, error %v", change[1], err)
		}
	}
}

func TestRubricIsRefused(t *testing.T) {
	t.Parallel()
	criterion := func(fields string) string { return "criteria:\n  - {name: a, text: b}\n  - {" + fields + "}\n" }
	for _, test := range []struct{ text, says string }{
		{"", "criteria: is empty"},
		{"criteria: []", "criteria: is empty"},
		{"criteria: good", "r.yaml:1:"},
		{"criteria: [good]", "criteria[0]: want a group"},
		{criterion("name: B, text: c"), `r.yaml:3:6: criteria[1].name: is "B", want small letters`},
		{criterion("name: a, text: c"), "criteria[1].name: is \"a\", as that of criterion 0"},
		{criterion("name: c"), "criteria[1].text: has 0 bytes"},
		{criterion("name: c, text: d, weight: 0"), "criteria[1].weight: is 0, want a number above 0"},
		{criterion("name: c, text: d, weight: .nan"), "nan is not allowed"},
		{criterion("name: c, text: d, weight: much"), "criteria[1].weight: is much, want a number"},
		{criterion("name: c, text: d, choices: [x]"), "criteria[1].choices: has 1, want 2 to 16"},
		{criterion("name: c, text: d, choices: [x, X]"), "criteria[1].choices[1]: is \"X\", which is there already"},
		{criterion("name: c, text: d, choices: [x, true]"), "criteria[1].choices: is [x true], want a list of texts"},
		{criterion("name: c, text: d, choices: yes"), "criteria[1].choices"},
		{criterion("name: c, text: d, must: 1"), "criteria[1].must: is 1, want true or false"},
		{criterion("name: c, text: d, wait: 1"), "criteria[1].wait: there is no such field"},
		{criterion("name: c, text: d") + "votes: 2\n", "votes: is 2, want an odd number, such as 3"},
		{criterion("name: c, text: d") + "vote: 3\n", `r.yaml:4:1: vote: there is no such setting; did you mean "votes"?`},
		{criterion("name: c, text: d") + "view: all\n", "view: is all, want answer, transcript or diff"},
		{criterion("name: c, text: d") + "mode: best\n", "mode: is best, want absolute, pairs or rank"},
		{criterion("name: c, text: d") + "order: any\n", "order: is any, want both or forward"},
		{criterion("name: c, text: d") + "each: -1\n", "each: is -1"},
		{"criteria: {", "r.yaml:1:"},
	} {
		if r, err := ParseRubric("r.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s\n%+v, error %v; want %s", test.text, r, err, test.says)
		}
	}
	if _, err := ParseRubric("r", make([]byte, mostRubric+1)); err == nil || !strings.Contains(err.Error(), "is it a rubric?") {
		t.Errorf("a large file: error %v", err)
	}
	if _, err := ReadRubric(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a missing file: error %v", err)
	}
}

func FuzzRubric(f *testing.F) {
	f.Add(rubricText)
	f.Add(`{"criteria": [{"name": "a", "text": "b", "choices": [1, 2]}], "votes": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRubric("r.yaml", []byte(text))
		if err == nil {
			err = r.Check()
			if err != nil || r.Hash() == "" {
				t.Fatalf("%+v is read, and then refused: %v", r, err)
			}
		}
	})
}
