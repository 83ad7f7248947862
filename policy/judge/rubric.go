package judge

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/settings"
)

// What a judge sees of an episode.
const (
	Answer     = "answer"     // the last reply
	Transcript = "transcript" // all messages
	Diff       = "diff"       // what the episode changed
)

// How replies are judged.
const (
	Absolute = "absolute" // each by itself
	Pairs    = "pairs"    // every two of a group: the share that it wins
	Rank     = "rank"     // pairs of a group, and a model of their strengths
)

// The orders of a pair.
const (
	Both    = "both"    // forward and swapped
	Forward = "forward" // as given; the judge may favour one place
)

// A Rubric says what a judge looks for. Read one with [ReadRubric].
type Rubric struct {
	Criteria  []Criterion
	View      string // Answer, Transcript or Diff
	Reference string // the column of the problem with a good answer; empty: none is shown
	Each      int    // criteria asked for in one call; 0: all
	Votes     int    // odd; each criterion goes by the majority
	Order     string // Both or Forward, of pairs
	Mode      string // Absolute, Pairs or Rank
}

// A Criterion is one question to the judge.
type Criterion struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Choices []string `json:"choices"` // from worst to best; nil: no, yes
	Weight  float64  `json:"weight"`  // above 0
	Must    bool     `json:"must"`    // with the worst choice, the whole score is 0
}

// DefaultRubric returns the rubric that others change: no criteria yet.
func DefaultRubric() *Rubric {
	return &Rubric{View: Answer, Votes: 1, Order: Both, Mode: Absolute}
}

// ReadRubric reads a rubric from a YAML or JSON file. The error names the file, line and column,
// the field, and what is wanted.
func ReadRubric(path string) (*Rubric, error) {
	data, err := jsonl.ReadText(path, mostRubric)
	if err != nil {
		return nil, fmt.Errorf("rubric: %w", err)
	}
	return ParseRubric(path, data)
}

// mostRubric limits the bytes of a rubric.
const mostRubric = 1 << 20

// ParseRubric reads a rubric from the text of the file called name.
func ParseRubric(name string, data []byte) (*Rubric, error) {
	if len(data) > mostRubric {
		return nil, fmt.Errorf("%s: has %d bytes, want at most %d: is it a rubric?", name, len(data), mostRubric)
	}
	r := DefaultRubric()
	if err := settings.New(r).Load(settings.Sources{File: name, Data: data}); err != nil {
		return nil, fmt.Errorf("rubric: %w", err)
	}
	return r, nil
}

// Declare implements [settings.Declarer].
func (r *Rubric) Declare(d *settings.Section) {
	d.Value((*criteria)(&r.Criteria), "criteria", "what to look for: a list of name, text, choices from worst to best, weight and must")
	settings.Word(d, &r.View, "view", "what the judge sees").OneOf(Answer, Transcript, Diff)
	d.Text(&r.Reference, "reference", "column of the problem with a good answer; empty: none is shown")
	d.Int(&r.Each, "each", "criteria asked for in one call; 0: all").Between(0, mostCriteria)
	d.Int(&r.Votes, "votes", "odd number of votes; each criterion goes by the majority").Between(1, 99)
	settings.Word(d, &r.Order, "order", "orders in which a pair is shown").OneOf(Both, Forward)
	settings.Word(d, &r.Mode, "mode", "how replies are judged: each by itself, or with the others of its group").OneOf(Absolute, Pairs, Rank)
}

// Check implements [settings.Checker].
func (r *Rubric) Check() error {
	switch {
	case len(r.Criteria) == 0:
		return errors.New("criteria: is empty, want a list with the name and text of each criterion")
	case r.Votes < 1 || r.Votes%2 == 0:
		return fmt.Errorf("votes: is %d, want an odd number, such as %d, so that a majority exists", r.Votes, max(1, r.Votes+1))
	case !slices.Contains([]string{Answer, Transcript, Diff}, r.View):
		return fmt.Errorf("view: is %q, want %s, %s or %s", r.View, Answer, Transcript, Diff)
	case !slices.Contains([]string{Absolute, Pairs, Rank}, r.Mode):
		return fmt.Errorf("mode: is %q, want %s, %s or %s", r.Mode, Absolute, Pairs, Rank)
	}
	for i := range r.Criteria {
		if err := r.Criteria[i].check(); err != nil {
			return settings.Within(err, "criteria", i)
		}
	}
	return nil
}

// Hash names the rubric: equal rubrics have equal hashes, whatever the form of their file. It
// belongs into the settings of whoever judges by it.
func (r *Rubric) Hash() string {
	sum := sha256.New()
	// The values are texts, numbers and lists of them, whose JSON cannot fail.
	text, err := settings.JSON(r)
	fmt.Fprintf(sum, "%d %s %v", min(promptVersion, 1+len(r.Criteria)), text, err) // that of a reward model is 1: it has no prompt
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Limits of a rubric.
const (
	mostCriteria = 64
	mostChoices  = 16
	mostText     = 64 << 10 // bytes
	mostWord     = 64       // bytes of a name or choice
)

// nameForm matches the name of a criterion.
var nameForm = compiled.Regexp(`^[a-z][a-z0-9_]*$`)

// check reports the first invalid field.
func (c *Criterion) check() error {
	switch {
	case len(c.Name) > mostWord || !nameForm().MatchString(c.Name):
		return settings.Within(fmt.Errorf("is %q, want small letters, digits and _, a letter first, such as correct", c.Name), "name")
	case strings.TrimSpace(c.Text) == "" || len(c.Text) > mostText:
		return settings.Within(fmt.Errorf("has %d bytes, want a question to the judge of 1 to %d", len(c.Text), mostText), "text")
	case !(c.Weight > 0 && c.Weight <= 1e6):
		return settings.Within(fmt.Errorf("is %v, want a number above 0, at most 1000000", c.Weight), "weight")
	case len(c.Choices) < 2 || len(c.Choices) > mostChoices:
		return settings.Within(fmt.Errorf("has %d, want 2 to %d, from worst to best", len(c.Choices), mostChoices), "choices")
	}
	seen := map[string]bool{}
	for i, choice := range c.Choices {
		plain := fold(choice)
		switch {
		case choice == "" || len(choice) > mostWord || choice != strings.TrimSpace(choice) || strings.ContainsFunc(choice, hidden):
			return settings.Within(fmt.Errorf("is %q, want a word or a few, of at most %d bytes", choice, mostWord), "choices", i)
		case seen[plain]:
			return settings.Within(fmt.Errorf("is %q, which is there already: want choices that differ by more than case", choice), "choices", i)
		}
		seen[plain] = true
	}
	return nil
}

// fold returns a choice as choices are compared.
func fold(choice string) string { return strings.ToLower(strings.TrimSpace(choice)) }

// value returns the value of a choice, 0 for the worst to 1 for the best.
func (c *Criterion) value(choice string) float64 {
	return float64(slices.Index(c.Choices, choice)) / float64(len(c.Choices)-1)
}

// criteria are the criteria as a setting.
type criteria []Criterion

// Set implements [settings.Value].
func (c *criteria) Set(text string) error {
	v, err := settings.FromJSON([]byte(text))
	if err != nil {
		return err
	}
	return c.Take(v)
}

// Take implements [settings.Value].
func (c *criteria) Take(v any) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("want a list, each with a name and a text")
	}
	if len(list) > mostCriteria {
		return fmt.Errorf("has %d members, want at most %d", len(list), mostCriteria)
	}
	made := make(criteria, len(list))
	seen := map[string]int{}
	for i, one := range list {
		fields, ok := one.(map[string]any)
		if !ok {
			return settings.Within(errors.New("want a group of settings: name, text, choices, weight and must"), i)
		}
		if err := made[i].take(fields); err != nil {
			return settings.Within(err, i)
		}
		if first, twice := seen[made[i].Name]; twice {
			return settings.Within(fmt.Errorf("is %q, as that of criterion %d: want different names", made[i].Name, first), i, "name")
		}
		seen[made[i].Name] = i
	}
	*c = made
	return nil
}

// take reads the fields of a criterion.
func (c *Criterion) take(fields map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var ok bool
		var want string
		switch v := fields[name]; name {
		case "name":
			c.Name, ok = v.(string)
			want = "a text"
		case "text":
			c.Text, ok = v.(string)
			want = "a text"
		case "must":
			c.Must, ok = v.(bool)
			want = "true or false"
		case "weight":
			c.Weight, ok = numberOf(v)
			want = "a number above 0"
		case "choices":
			c.Choices, ok = textsOf(v)
			want = `a list of texts, from worst to best; quote words that YAML reads otherwise, such as "no" and "1"`
		default:
			return settings.Within(errors.New("there is no such field; a criterion has name, text, choices, weight and must"), name)
		}
		if !ok {
			return settings.Within(fmt.Errorf("is %v, want %s", fields[name], want), name)
		}
	}
	if _, given := fields["weight"]; !given {
		c.Weight = 1
	}
	if c.Choices == nil {
		c.Choices = []string{"no", "yes"}
	}
	return c.check()
}

// numberOf reads a number of a file.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v)
	}
	return 0, false
}

// textsOf reads a list of texts of a file. Whole numbers are texts too: a scale of 1 to 5.
func textsOf(v any) (texts []string, ok bool) {
	list, is := v.([]any)
	if !is {
		return nil, false
	}
	texts = []string{}
	for _, one := range list {
		switch one := one.(type) {
		case string:
			texts = append(texts, one)
		case int64:
			texts = append(texts, fmt.Sprint(one))
		default:
			return nil, false
		}
	}
	return texts, true
}

// Give implements [settings.Value].
func (c *criteria) Give() any { return []Criterion(*c) }

// String implements [settings.Value].
func (c *criteria) String() string {
	text, err := json.Marshal([]Criterion(*c))
	return cmp.Or(string(text), fmt.Sprint(err))
}

// Type implements [settings.Value].
func (c *criteria) Type() string { return "list" }
