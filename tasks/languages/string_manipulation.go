package languages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// stringManipulation asks for the result of a list of rules on a string.
var stringManipulation = task.Spec[stringManipulationParams, stringManipulationItem]{
	Name:     "string_manipulation",
	Category: "algorithmic",
	Doc: "Apply to a string, again and again, the first of several rules that applies. " +
		"No rule leaves a string unchanged or empties it, and at least one applies at the start.",
	Source:  "A Markov algorithm of rules of our own; the settings are those of reasoning-gym.",
	Version: 3,
	Default: stringManipulationParams{MinStringLength: 5, MaxStringLength: 20, MinNumRules: 3, MaxNumRules: 8},
	Levels: []stringManipulationParams{
		{MinStringLength: 5, MaxStringLength: 7, MinNumRules: 3, MaxNumRules: 3},
		{MinStringLength: 8, MaxStringLength: 12, MinNumRules: 3, MaxNumRules: 5},
		{MinStringLength: 12, MaxStringLength: 20, MinNumRules: 5, MaxNumRules: 7},
		{MinStringLength: 20, MaxStringLength: 32, MinNumRules: 7, MaxNumRules: 10},
		{MinStringLength: 32, MaxStringLength: 48, MinNumRules: 10, MaxNumRules: 14},
		{MinStringLength: 50, MaxStringLength: 70, MinNumRules: 15, MaxNumRules: 20},
	},
	Make:  makeStringManipulation,
	Match: task.Match,
}

// stringManipulationParams are the settings of one difficulty.
type stringManipulationParams struct {
	MinStringLength int `json:"min_string_length" want:"5 or more"`
	MaxStringLength int `json:"max_string_length" want:"min_string_length to 1000"`
	MinNumRules     int `json:"min_num_rules" want:"3 or more"`
	MaxNumRules     int `json:"max_num_rules" want:"min_num_rules to 20"`
}

// stringManipulationItem is one string and its rules.
type stringManipulationItem struct {
	String        string   `json:"string" want:"1 to 1000" chars:"abc"` // of the letters a, b and c
	Solution      string   `json:"solution"`
	SelectedRules []string `json:"selected_rules"` // wordings of rewriteRules, or others in reasoning-gym
	StringLength  int      `json:"string_length"`
	NumRules      int      `json:"num_rules"`
	Phrasing      int      `json:"phrasing,omitempty" want:"0 to 5"`

	// States are the strings after each step, listed in entries of reasoning-gym. We neither
	// need nor write them.
	States json.RawMessage `json:"states,omitempty"`
}

// makeStringManipulation draws strings and rules until they allow at least two steps; after
// some tries, one is enough. The result is neither a part of the string nor very short,
// since copying would earn a share.
func makeStringManipulation(p stringManipulationParams, r *rng.Rand) (stringManipulationItem, error) {
	const tries, enough = 250, 8
	n, k := r.Between(p.MinStringLength, p.MaxStringLength), r.Between(p.MinNumRules, p.MaxNumRules)
	var all [len(rewriteRules)]int
	for i := range all {
		all[i] = i
	}
	text, w := make([]byte, n), newRewriter(n)
	for try := range tries {
		drawABC(text, r)
		rng.ToFront(r, all[:], k)
		end, steps, over := w.rewrite(text, all[:k])
		if !over || steps == 0 || steps == 1 && try < enough || len(end) < min(4, n-2) || bytes.Contains(text, end) {
			continue
		}
		return stringManipulationItem{
			String: string(text), Solution: string(end), SelectedRules: ruleTexts(all[:k]),
			StringLength: n, NumRules: k, Phrasing: r.Between(0, len(stringManipulationPhrasings)-1),
		}, nil
	}
	return stringManipulationItem{}, errors.New("the drawn rules change no string, or never stop changing it")
}

// drawABC fills text with letters from a to c.
func drawABC(text []byte, r *rng.Rand) {
	const atOnce = 32 // letters from one draw; 3^32 is less than a millionth of 2^64
	var chance uint64
	for i := range text {
		if i%atOnce == 0 {
			chance = r.Uint64()
		}
		text[i] = 'a' + byte(chance%3)
		chance /= 3
	}
}

// ruleTexts returns the wordings of rules, given by index in rewriteRules.
func ruleTexts(rules []int) []string {
	texts := make([]string, len(rules))
	for i, rule := range rules {
		texts[i] = rewriteRules[rule].text
	}
	return texts
}

// stringManipulationPhrasings are the wordings of the question, before the rules.
var stringManipulationPhrasings = []string{
	"A string is changed step by step. Each step applies the first of these rules whose condition holds:",
	"These rules change a string. They are tried from the top in every step, and the first one that fits is applied once:",
	"Here is a list of rules. Of all rules that fit a string, the first is applied, and then the search begins again at the top:",
	"A machine holds a string and a list of rules. Over and over, it looks for the first rule in the list that fits its string, and carries it out:",
	"The following rules are in order of priority. In every round, the rule of highest priority whose condition is met changes the string, once:",
	"Rewrite a string by these rules. Always begin at the top of the list, use the first rule that fits, and start again:",
}

func (s stringManipulationItem) Prompt() string {
	b := make([]byte, 0, 2*task.PromptRoom)
	b = append(append(b, stringManipulationPhrasings[s.Phrasing]...), "\n\n"...)
	for i, rule := range s.SelectedRules {
		b = append(strconv.AppendInt(b, int64(i+1), 10), ". "...)
		b = append(append(b, rule...), '\n')
	}
	b = append(b, "\nThis ends when no rule fits. It also ends when a step would lead to a string that has come up before; that step is not taken. "+
		"What does this string become in the end?\n\n"...)
	return string(append(append(b, s.String...), "\n\nAnswer with the final string alone, for example cabba."...))
}

func (s stringManipulationItem) Canonical() string {
	return s.String + "\n" + strings.Join(s.SelectedRules, "\n")
}

// Check refuses a record with a wrong solution, if the rules are ours.
func (s stringManipulationItem) Check() error {
	rules := make([]int, len(s.SelectedRules))
	for i, text := range s.SelectedRules {
		rules[i] = slices.IndexFunc(rewriteRules[:], func(r rewriteRule) bool { return r.text == text })
	}
	if !slices.Contains(rules, -1) {
		if end, _, _ := newRewriter(len(s.String)).rewrite([]byte(s.String), rules); s.Solution != string(end) {
			return fmt.Errorf("solution is %.80q, want %.80q", s.Solution, end)
		}
	}
	return nil
}

func (s stringManipulationItem) Solve() string { return s.Solution }
