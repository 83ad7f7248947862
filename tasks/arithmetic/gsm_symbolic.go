package arithmetic

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// gsmSymbolic asks for a number that follows from a story.
var gsmSymbolic = task.Spec[storyParams, storyItem]{
	Name:     "gsm_symbolic",
	Category: "arithmetic",
	Doc: "Find the number that a story asks for. The stories come from templates, with random names, things and numbers. " +
		"Harder levels take more steps and larger numbers, add irrelevant facts, and ask for the sum of the answers to several stories.",
	Source:  "The idea of I. Mirzadeh and others, GSM-Symbolic (arXiv 2410.05229): word problems with gaps; all templates are our own, the setting difficulty is that of reasoning-gym.",
	Version: 2,
	Default: storyParams{Difficulty: 1, MinSteps: 1, MaxSteps: 20, Size: 1, MinStories: 1, MaxStories: 1},
	Levels: []storyParams{
		{Difficulty: 1, MinSteps: 1, MaxSteps: 2, MinStories: 1, MaxStories: 1},
		{Difficulty: 1, MinSteps: 2, MaxSteps: 3, Size: 1, MinStories: 1, MaxStories: 1},
		{Difficulty: 1, MinSteps: 3, MaxSteps: 5, Size: 1, Distractions: 1, MinStories: 1, MaxStories: 1},
		{Difficulty: 1, MinSteps: 4, MaxSteps: 20, Size: 2, Distractions: 2, MinStories: 1, MaxStories: 1},
		{Difficulty: 1, MinSteps: 4, MaxSteps: 20, Size: 2, Distractions: 2, MinStories: 2, MaxStories: 3},
		{Difficulty: 1, MinSteps: 5, MaxSteps: 20, Size: 2, Distractions: 2, MinStories: 5, MaxStories: 8},
	},
	Few: []string{
		"Short stories with small numbers are few.",
	},
	Make: makeStory,
}

// storyParams are the settings of one difficulty.
type storyParams struct {
	Difficulty   float64 `json:"difficulty" want:"1"`                // 1, as in reasoning-gym
	MinSteps     int     `json:"min_steps" want:"1 or more"`         // operations per story
	MaxSteps     int     `json:"max_steps" want:"min_steps or more"` // operations per story
	Size         int     `json:"size" want:"0 to 2"`                 // of the numbers: 0 small, 1 middling, 2 large
	Distractions int     `json:"distractions" want:"0 to 9"`         // irrelevant facts per story, as far as it has them
	MinStories   int     `json:"min_stories" want:"1 or more"`       // their answers are added
	MaxStories   int     `json:"max_stories" want:"min_stories to 10"`
}

// Check refuses what no tag does.
func (p storyParams) Check() error {
	fit, err := p.templates(nil)
	switch {
	case err != nil:
		return err
	case len(fit) < p.MaxStories:
		return fmt.Errorf("max_stories is %d, but only %d templates take %d to %d steps", p.MaxStories, len(fit), p.MinSteps, p.MaxSteps)
	}
	return nil
}

// templates appends the indexes of the templates with a suitable number of steps.
func (p storyParams) templates(fit []uint16) ([]uint16, error) {
	all, err := templates()
	for i := range all {
		if n := all[i].operations; n >= p.MinSteps && n <= p.MaxSteps {
			fit = append(fit, uint16(i))
		}
	}
	return fit, err
}

// storyItem is one problem. Entries of reasoning-gym lack the stories.
type storyItem struct {
	Stories     []story         `json:"stories,omitempty" want:"at most 10"` // in the order of their templates
	AnswerValue json.Number     `json:"answer_value" want:"at most 40"`      // in dollars for money; the sum for several stories
	AnswerCot   string          `json:"answer_cot"`                          // the worked solution
	Variables   json.RawMessage `json:"variables"`                           // numbers and nouns by name; those of story 2 are 2.name
	Phrasing    int             `json:"phrasing,omitempty" want:"0 to 5"`
}

// A story is a template with its gaps filled.
type story struct {
	Template string   `json:"template"`
	Facts    []string `json:"facts"`
	Question string   `json:"question"`
}

// makeStory draws templates and fills their gaps.
func makeStory(p storyParams, r *rng.Rand) (item storyItem, err error) {
	fit, err := p.templates(make([]uint16, 0, 256))
	if err != nil {
		return item, err
	}
	all, _ := templates()
	stories := r.Between(p.MinStories, p.MaxStories)
	rng.ToFront(r, fit, stories)
	slices.Sort(fit[:stories])
	item = storyItem{Stories: make([]story, stories), Phrasing: r.Between(0, len(storyPhrasings)-1)}
	people, sum := gather(r, stories), int64(0)
	t := teller{r: r, values: make([]storyValue, 0, 16), room: make([]byte, 0, 512)}
	variables := append(make([]byte, 0, 128), '{')
	for i, at := range fit[:stories] {
		from := &all[at]
		t.people, t.values = people[i*perStory:][:perStory], t.values[:0]
		t.draw(from.vars, p.Size)
		prefix := ""
		if stories > 1 {
			prefix = strconv.Itoa(i+1) + "."
		}
		variables = t.appendVariables(variables, from, prefix)
		item.Stories[i] = story{from.name, t.tell(from.facts, p.Distractions), t.filled(&from.question)}
		worked, result := t.solve(from.steps)
		if t.err != nil {
			return item, fmt.Errorf("template %s: %w", from.name, t.err)
		}
		item.AnswerCot += worked
		sum += result
	}
	variables = append(variables, '}')
	item.Variables = variables
	item.AnswerValue = json.Number(appendHundredths(nil, sum))
	if stories > 1 {
		item.AnswerCot += "Sum: " + string(item.AnswerValue) + ".\n"
	}
	return item, nil
}

// A storyPhrasing is a wording of the request: around one story, around several, and the
// form of a story, with %f for its facts and %q for its question.
type storyPhrasing struct {
	one, several [2]string // before and after; %n is the number of stories
	story        string
	between      string // between the facts
}

// storyPhrasings are the wordings of the request.
var storyPhrasings = []storyPhrasing{
	{
		[2]string{"", " Answer with the number alone, without a unit."},
		[2]string{"Solve these %n problems, and add up the numbers that you get.\n\n", "\n\nAnswer with the sum alone, without a unit."},
		"%f %q", " ",
	},
	{
		[2]string{"", "\n\nGive one number and nothing else; leave out units and dollar signs."},
		[2]string{"Below are %n questions, each with what you need to know. The answer is the sum of the %n results.\n\n", "\n\nGive this sum as one number and nothing else; leave out units and dollar signs."},
		"%q This is what is known: %f", " ",
	},
	{
		[2]string{"", "\n\nReply with one number, without its unit."},
		[2]string{"There are %n lists of facts. Answer the question below each list, then add the %n answers.\n\n", "\n\nReply with the sum as one number, without a unit."},
		"The facts:\n- %f\n%q", "\n- ",
	},
	{
		[2]string{"A teacher reads a story to the class: ", " Which number should the class write down? Leave out the unit."},
		[2]string{"A teacher reads %n stories to the class, and the class is to add the answers to all %n questions.\n\n", "\n\nWhich number should the class write down in the end? Leave out units."},
		"\"%f\" Then comes the question: \"%q\"", " ",
	},
	{
		[2]string{"Work out the number that is asked for at the end, and write it without its unit.\n\n", ""},
		[2]string{"Work out the number that is asked for at the end of each of the following %n paragraphs. Write only the sum of these numbers, without a unit.\n\n", ""},
		"%f %q", " ",
	},
	{
		[2]string{"", "\nAnswer (a number without a unit):"},
		[2]string{"A sheet has %n exercises. Only the sum of their results is wanted.\n\n", "\n\nSum of the results (a number without a unit):"},
		"Story: %f\nQuestion: %q", " ",
	},
}

func (s storyItem) Prompt() string {
	words := storyPhrasings[s.Phrasing]
	around := words.one
	if len(s.Stories) > 1 {
		around = words.several
	}
	count := func(byte) string { return strconv.Itoa(len(s.Stories)) }
	b := task.AppendFilled(make([]byte, 0, task.PromptRoom), around[0], count)
	for i, told := range s.Stories {
		if i > 0 {
			b = append(b, "\n\n"...)
		}
		if len(s.Stories) > 1 {
			b = fmt.Appendf(b, "(%d) ", i+1)
		}
		b = task.AppendFilled(b, words.story, func(c byte) string {
			if c == 'q' {
				return told.Question
			}
			return strings.Join(told.Facts, words.between)
		})
	}
	return string(task.AppendFilled(b, around[1], count))
}

// Canonical implements [task.Canonicalizer]. It leaves out the people, the nouns and the
// irrelevant facts.
func (s storyItem) Canonical() string {
	var variables map[string]json.RawMessage
	if len(s.Stories) == 0 || strictjson.Unmarshal(s.Variables, &variables) != nil {
		return ""
	}
	var b strings.Builder
	for _, told := range s.Stories {
		b.WriteString(told.Template + " ")
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if v := variables[name]; len(v) > 0 && v[0] != '"' {
			b.WriteString(name + "=" + string(v) + " ")
		}
	}
	return b.String()
}

// Check refuses a record without an answer.
func (s storyItem) Check() error {
	v, err := s.AnswerValue.Float64()
	if err != nil || math.IsInf(v, 0) {
		return fmt.Errorf("answer_value is %.40q, want a number", s.AnswerValue)
	}
	return nil
}

func (s storyItem) Solve() string { return string(s.AnswerValue) }

// Score implements [task.Scorer]. A dollar sign may precede the number.
func (s storyItem) Score(answer string) quintain.Verdict {
	return task.MatchNumber(strings.TrimPrefix(strings.TrimSpace(answer), "$"), s.Solve())
}
