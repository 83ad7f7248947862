package rewriting

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// ab asks for the normal form of a program of a small rewriting system.
var ab = task.Spec[abParams, abItem]{
	Name:     "ab",
	Category: "algorithmic",
	Doc: "Rewrite a row of the tokens A#, #A, B# and #B until no two neighbors face each other. " +
		"The order of the rewriting does not matter. Something always remains, and it is never the program itself.",
	Source:  "The A::B system, a small interaction net; the settings are those of reasoning-gym.",
	Version: 2,
	Default: abParams{Length: 10},
	Levels:  []abParams{{Length: 4}, {Length: 7}, {Length: 12}, {Length: 25}, {Length: 50}, {Length: 120}},
	Make:    makeAB,
}

// abParams are the settings of one difficulty.
type abParams struct {
	Length int `json:"length"` // of the program, in tokens
}

// Check implements [task.Params].
func (p abParams) Check() error {
	if p.Length < 2 || p.Length > 1000 {
		return fmt.Errorf("length is %d, want 2 to 1000: one token alone has nothing to face", p.Length)
	}
	return nil
}

// abItem is one program. An entry of reasoning-gym has it in the question alone,
// so that Program is empty there.
type abItem struct {
	Program  string  `json:"program,omitempty"` // tokens with a space between them
	Answer   *string `json:"answer"`            // what remains of them
	Phrasing int     `json:"phrasing,omitempty"`
}

// An abToken is a place in abNames: even tokens face left, odd ones face right.
type abToken uint8

var abNames = [4]string{"#A", "A#", "#B", "B#"}

// makeAB draws tokens until something happens to them and something remains,
// which one draw in three hundred fails at ten tokens.
func makeAB(p abParams, r *rng.Rand) (abItem, error) {
	const tries = 50
	w := newABRewriter(p.Length)
	program := make([]abToken, p.Length)
	for try := range tries {
		for i := range program {
			program[i] = abToken(r.Between(0, len(abNames)-1))
		}
		if try == tries-1 { // A# first and #B after it, which pass through each other
			for i := range program {
				program[i] = abToken(1 + min(i, 1))
			}
		}
		if end := w.rewrite(program); len(end) > 0 && !slices.Equal(end, program) {
			break
		}
	}
	answer := abText(w.end)
	return abItem{Program: abText(program), Answer: &answer, Phrasing: r.Between(0, len(abPhrasings)-1)}, nil
}

// An abRewriter has room for programs of some length.
type abRewriter struct {
	open [2][]int  // places of the right-facing tokens without a partner, by letter
	gone []bool    // the right-facing tokens that have one, by place
	end  []abToken // what remains
}

// newABRewriter returns a rewriter of programs of n tokens.
func newABRewriter(n int) *abRewriter {
	places := make([]int, 2*n)
	return &abRewriter{[2][]int{places[:0:n], places[n:n]}, make([]bool, n), make([]abToken, 0, n)}
}

// rewrite returns what remains of a program; it is good until the next call. A token
// that faces right moves right through all tokens of the other letter, until it meets
// one of its own that faces left: per letter, the tokens pair off like brackets. Those
// that find no partner end in their old order, the left-facing ones first.
func (w *abRewriter) rewrite(program []abToken) []abToken {
	w.open[0], w.open[1], w.end = w.open[0][:0], w.open[1][:0], w.end[:0]
	for i, token := range program {
		open := &w.open[token/2]
		w.gone[i] = false
		switch n := len(*open); {
		case token%2 == 1:
			*open = append(*open, i)
		case n > 0:
			w.gone[(*open)[n-1]] = true
			*open = (*open)[:n-1]
		default:
			w.end = append(w.end, token)
		}
	}
	for i, token := range program {
		if token%2 == 1 && !w.gone[i] {
			w.end = append(w.end, token)
		}
	}
	return w.end
}

// abText writes tokens with a space between them.
func abText(tokens []abToken) string {
	b := make([]byte, 0, 128)
	for i, token := range tokens {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, abNames[token]...)
	}
	return string(b)
}

// abPhrasings are the wordings of the question, before the rules.
var abPhrasings = []string{
	"A program is a row of the tokens A#, #A, B# and #B. When the # of one token faces the # of the next, the two are rewritten:",
	"The tokens A#, #A, B# and #B stand in a row. Two neighbors whose # signs face each other are replaced by these rules:",
	"Here are four rules for neighboring tokens whose # signs face each other:",
}

// Prompt implements [task.Instance].
func (a abItem) Prompt() string {
	return abPhrasings[a.Phrasing] + "\n\n" +
		"A# #A → nothing\nB# #B → nothing\nA# #B → #B A#\nB# #A → #A B#\n\n" +
		"Go on until no two neighbors face each other. What remains of this program?\n\n" + a.Program +
		"\n\nAnswer with the remaining tokens in their order, with a space between them. For example, B# A# #B #A A# becomes A#."
}

// Short implements [task.Shortener].
func (a abItem) Short() string { return "rewrite " + a.Program }

// Canonical implements [task.Canonicalizer].
func (a abItem) Canonical() string { return a.Program }

// Check refuses a record without an answer, or with a wrong one.
func (a abItem) Check() error {
	if a.Answer == nil {
		return errors.New("answer is missing")
	}
	if a.Program != "" {
		var program []abToken
		for name := range strings.SplitSeq(a.Program, " ") {
			token := slices.Index(abNames[:], name)
			if token < 0 {
				return fmt.Errorf("program has a token %q, want one of %v", name, abNames)
			}
			program = append(program, abToken(token))
		}
		if want := abText(newABRewriter(len(program)).rewrite(program)); *a.Answer != want {
			return fmt.Errorf("answer is %q, want %q", *a.Answer, want)
		}
	}
	return task.CheckPhrasing(a.Phrasing, len(abPhrasings))
}

// Solve implements [task.Instance].
func (a abItem) Solve() string { return *a.Answer }

// Score implements [task.Instance]. The tokens must be the very ones, for a part of
// them is easily had.
func (a abItem) Score(answer string) quintain.Verdict {
	switch want := *a.Answer; {
	case answer == want:
		return quintain.Right()
	case answer == "":
		return quintain.Malformed("the answer is empty")
	case len(want) > 80:
		return quintain.Wrong(fmt.Sprintf("want %d tokens from %q on", len(want)/3+1, want[:80]))
	default:
		return quintain.Wrong(fmt.Sprintf("want %q", want))
	}
}
