package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// instructionFollowing asks for a text under several rules that can be checked.
var instructionFollowing = task.Spec[followingParams, followingItem]{
	Name:     "instruction_following",
	Category: "instructions",
	Doc: "Write a text on a topic that keeps up to five instructions at once, such as the number of words in each sentence or a letter that must not occur. " +
		"Case does not matter unless an instruction says so; a word is what stands between spaces or dashes, without the marks at its ends, so that under's and 68 are words, and (name) counts as name. " +
		"Only the instructions are checked: a text without sense is paid as well.",
	Source:  "Instructions that a program can check, in the manner of IFEval (J. Zhou et al., 2023); kinds, words and code are our own.",
	Version: 1,
	Many:    true,
	Prose:   true,
	Refuses: map[string]string{
		"with a full stop":                  wholeText,
		"in a sentence":                     wholeText,
		"after the word answer":             wholeText,
		"in a sentence, in a box":           wholeText,
		"in a box, with its braces escaped": "an instruction asks for JSON, and a backslash before a brace is none",
		"as in Python":                      "an instruction asks for JSON, which has double quotes",
	},
	Default: followingParams{MinInstructions: 1, MaxInstructions: 3, MinTier: 1, MaxTier: 3, MinWords: 30, MaxWords: 120},
	Levels: []followingParams{
		{MinInstructions: 1, MaxInstructions: 1, MinTier: 1, MaxTier: 1, MinWords: 15, MaxWords: 100},
		{MinInstructions: 1, MaxInstructions: 1, MinTier: 2, MaxTier: 2, MinWords: 20, MaxWords: 100},
		{MinInstructions: 2, MaxInstructions: 2, MinTier: 1, MaxTier: 2, MinWords: 30, MaxWords: 100},
		{MinInstructions: 2, MaxInstructions: 3, MinTier: 2, MaxTier: 3, MinWords: 30, MaxWords: 100},
		{MinInstructions: 3, MaxInstructions: 4, MinTier: 1, MaxTier: 3, MinWords: 40, MaxWords: 120},
		{MinInstructions: 4, MaxInstructions: 4, MinTier: 2, MaxTier: 3, MinWords: 40, MaxWords: 120},
		{MinInstructions: 5, MaxInstructions: 5, MinTier: 1, MaxTier: 3, MinWords: 60, MaxWords: 120},
		{MinInstructions: 5, MaxInstructions: 5, MinTier: 2, MaxTier: 3, MinWords: 80, MaxWords: 150},
	},
	Make: makeFollowing,
}

// followingParams are the settings of one difficulty.
type followingParams struct {
	MinInstructions int `json:"min_instructions" want:"1 to 5"`
	MaxInstructions int `json:"max_instructions" want:"min_instructions to 5"`
	MinTier         int `json:"min_tier" want:"1 to 3"` // of the kinds, 1 (easy) to 3 (hard)
	MaxTier         int `json:"max_tier" want:"min_tier to 3"`
	MinWords        int `json:"min_words" want:"15 to 300"` // of the text, where no instruction says otherwise
	MaxWords        int `json:"max_words" want:"min_words to 300"`
}

// Check refuses what no tag does.
func (p followingParams) Check() error {
	if p.MaxWords < p.MinWords+40 {
		return fmt.Errorf("max_words is %d, want %d or more, 40 above min_words", p.MaxWords, p.MinWords+40)
	}
	return nil
}

// followingItem is one set of instructions.
type followingItem struct {
	Topic        string    `json:"topic" want:"1 to 20" chars:"a-z"`
	Keywords     [2]string `json:"keywords" chars:"a-z"` // the second must occur before the first
	MinWords     int       `json:"min_words" want:"1 to 300"`
	MaxWords     int       `json:"max_words" want:"min_words to 300"`
	Instructions []rule    `json:"instructions" want:"1 to 5"`
	Phrasing     int       `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeFollowing draws instructions until our own text keeps all of them.
func makeFollowing(p followingParams, r *rng.Rand) (followingItem, error) {
	const tries = 400
	for range tries {
		item := followingItem{MinWords: p.MinWords, MaxWords: p.MaxWords, Phrasing: r.Between(0, len(followingPhrasings)-1)}
		item.Instructions = drawRules(p, r)
		if item.drawWords(r) && item.fault(item.Solve()) == "" {
			return item, nil
		}
	}
	return followingItem{}, fmt.Errorf("no instructions that can be kept in %d tries", tries)
}

// drawRules draws instructions that do not conflict.
func drawRules(p followingParams, r *rng.Rand) (rules []rule) {
	var chosen []*kind
	for n := r.Between(p.MinInstructions, p.MaxInstructions); len(rules) < n; {
		k := &kinds[r.Between(0, len(kinds)-1)]
		if k.tier < p.MinTier || k.tier > p.MaxTier || slices.ContainsFunc(chosen, k.conflicts) {
			continue
		}
		drawn := k.draw(r)
		drawn.Kind = k.name
		rules, chosen = append(rules, drawn), append(chosen, k)
	}
	return rules
}

// drawWords draws the topic and the keywords. It reports whether the instructions let them
// occur.
func (f *followingItem) drawWords(r *rng.Rand) bool {
	const tries = 12
	allowed := func(word string) bool {
		for _, rule := range f.Instructions {
			if k := rule.of(); k.word != nil && !k.word(rule, word) {
				return false
			}
		}
		return true
	}
	for range tries {
		f.Topic, f.Keywords = rng.Pick(r, topics), [2]string(rng.Sample(r, keywords, 2))
		if allowed(f.Topic) && allowed(f.Keywords[0]) && allowed(f.Keywords[1]) {
			return true
		}
	}
	return false
}

// Canonical implements [task.Canonicalizer]. The order of instructions is irrelevant, and so is
// that of the words that one of them lists.
func (f followingItem) Canonical() string {
	limits, _ := f.limits()
	return fmt.Sprint(f.Topic, f.Keywords, limits, f.sorted())
}

// sorted returns the instructions by kind, with their words in order.
func (f followingItem) sorted() []rule {
	rules := slices.Clone(f.Instructions)
	for i := range rules {
		rules[i].Words = slices.Sorted(slices.Values(rules[i].Words))
	}
	slices.SortFunc(rules, func(a, b rule) int { return strings.Compare(a.Kind, b.Kind) })
	return rules
}

// limits returns the limits of the number of words that the prompt states itself, or none.
func (f followingItem) limits() (limits [2]int, stated bool) {
	for _, r := range f.Instructions {
		if r.Kind == "word_range" {
			return [2]int{}, false
		}
	}
	return [2]int{f.MinWords, f.MaxWords}, true
}

// Check refuses a record that Prompt, Solve and Score could not handle, or whose instructions our
// own text does not keep.
func (f followingItem) Check() error {
	for _, word := range f.Keywords {
		if word == "" || len(word) > 20 {
			return fmt.Errorf("keywords has %.40q, want 1 to 20 letters", word)
		}
	}
	for i, r := range f.Instructions {
		if err := r.check(); err != nil {
			return fmt.Errorf("instructions: %w", err)
		}
		for _, before := range f.Instructions[:i] {
			if r.of().conflicts(before.of()) {
				return fmt.Errorf("instructions: %s and %s conflict", before.Kind, r.Kind)
			}
		}
	}
	if why := f.fault(f.Solve()); why != "" {
		return fmt.Errorf("instructions: our own text keeps not all of them: %s", why)
	}
	return nil
}

func (f followingItem) Solve() string {
	d := &draft{
		least: f.MinWords, most: f.MaxWords, counts: map[string]int{}, closed: map[string]bool{}, forced: map[int]string{},
		firsts: map[int]string{}, initials: map[int]byte{}, mark: func(int) string { return "." },
		must: []string{f.Keywords[1], f.Keywords[0], f.Topic}, first: f.Keywords[1], second: f.Keywords[0],
	}
	for _, word := range d.must {
		for i := range len(word) {
			d.turn += int(word[i]) * (i + 1)
		}
	}
	for _, r := range f.sorted() {
		k := r.of()
		if d.rules = append(d.rules, obeyed{r, k}); k.likes != nil {
			d.likers++
		}
	}
	for _, r := range d.rules {
		if r.plan != nil {
			r.plan(r.rule, d)
		}
	}
	return d.write()
}

// Score implements [task.Scorer]. Right is a text that keeps all instructions.
func (f followingItem) Score(text string) quintain.Verdict {
	const longest = 8000 // bytes, far more than the most words need
	text = answer.Trim(strings.ReplaceAll(text, "\r\n", "\n"))
	switch {
	case text == "":
		return quintain.Malformed("the answer is empty")
	case strings.HasPrefix(text, "```"):
		return quintain.Wrong("the fences of a code block are no part of the text") // what they hold is judged, too
	case len(text) > longest:
		return quintain.Wrong(fmt.Sprintf("the text is longer than %d bytes", longest))
	case strings.ContainsFunc(text, control):
		return quintain.Malformed("the text has a control character or is not UTF-8")
	}
	if why := f.fault(text); why != "" {
		return quintain.Wrong(why)
	}
	return quintain.Right()
}

// wholeText is why words around a text are not taken off.
const wholeText = "An instruction may be about the first or the last word of the text, or its quotation marks."

// control reports whether r is no part of a plain text.
func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0xfffd
}

// fault says why a text is not as asked for; empty: it is.
func (f followingItem) fault(text string) string {
	p := readProse(text)
	if len(p.words) == 0 || len(p.sentences) == 0 {
		return "the text has no words"
	}
	if limits, stated := f.limits(); stated && (len(p.words) < limits[0] || len(p.words) > limits[1]) {
		return fmt.Sprintf("there are %d words, want %d to %d", len(p.words), limits[0], limits[1])
	}
	if why := missing(rule{Words: []string{f.Topic, f.Keywords[0], f.Keywords[1]}}, p); why != "" {
		return why
	}
	if p.place(f.Keywords[1]) > p.place(f.Keywords[0]) {
		return fmt.Sprintf("%q does not occur before the first %q", f.Keywords[1], f.Keywords[0])
	}
	for _, r := range f.Instructions {
		if why := r.of().check(r, p); why != "" {
			return r.Kind + ": " + why
		}
	}
	return ""
}

// A followingPhrasing is a wording of the request: the text, with %t for the topic, %s for the
// length, %q, %a and %b for the words, %l for the instructions and %d for definitions; and what
// stands before each instruction, with %i for its number or letter.
type followingPhrasing struct{ text, item, between string }

// followingPhrasings are the wordings of the request.
var followingPhrasings = []followingPhrasing{
	{"Write a text%s about %t that follows all of these instructions:\n1. It contains the words %q, %a and %b, and %b occurs before the first %a.\n%l\n\n%dAnswer with the text and nothing else.", "%n. ", "\n"},
	{"I need a text%s about %t. The words %q, %a and %b must be in it, and %b must occur before the first %a. %l Please give me only the text, without remarks of your own. %d", "", " "},
	{"Here is what a text%s about %t should be like:\n\n- It uses the words %q, %a and %b, and %b stands before the first %a.\n%l\n\nWrite it, without anything before or after it. %d", "- ", "\n"},
	{"These rules apply to the text that you will write.\n\n%l\n\nWrite such a text%s about %t. It must also contain the words %q, %a and %b, and %b must come before the first %a. Your whole answer is taken as the text. %d", "Rule %i: ", "\n"},
	{"Can you write a text%s about %t for me? Please use the words %q, %a and %b; %b must come before the first %a. Apart from that, all of these conditions must be met:\n\n%l\n\n%dReply with nothing but what you wrote.", "(%c) ", "\n"},
	{"An editor asks for a text%s about %t in which the words %q, %a and %b occur, and %b occurs before the first %a.\n\nThis is how she wants it:\n%l\n\nHand in the text, and only the text. %d", "* ", "\n"},
}

func (f followingItem) Prompt() string {
	words := followingPhrasings[f.Phrasing]
	limits, stated := f.limits()
	return strings.TrimRight(string(task.AppendFilled(make([]byte, 0, task.PromptRoom), words.text, func(c byte) string {
		switch c {
		case 't':
			return f.Topic
		case 's':
			if stated {
				return fmt.Sprintf(" of %d to %d words", limits[0], limits[1])
			}
			return ""
		case 'q':
			return strconv.Quote(f.Topic)
		case 'a', 'b':
			return strconv.Quote(f.Keywords[c-'a'])
		case 'l':
			return f.list(words)
		}
		return f.define()
	})), " \n")
}

// list writes the instructions.
func (f followingItem) list(words followingPhrasing) string {
	var parts []string
	for i, r := range f.Instructions {
		number := string(task.AppendFilled(nil, words.item, func(c byte) string {
			switch c {
			case 'n':
				return strconv.Itoa(i + 2)
			case 'i':
				return strconv.Itoa(i + 1)
			}
			return "abcde"[i : i+1]
		}))
		parts = append(parts, number+r.say(f.Phrasing))
	}
	return strings.Join(parts, words.between)
}

// define explains the notions that the request uses.
func (f followingItem) define() string {
	var used notions
	if _, stated := f.limits(); stated {
		used = ofWords
	}
	for _, r := range f.Instructions {
		used |= r.of().counts
	}
	var b strings.Builder
	for i, text := range definitions {
		if used&(1<<i) != 0 {
			b.WriteString(text + " ")
		}
	}
	return b.String()
}
