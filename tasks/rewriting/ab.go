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
	Doc: "Rewrite a row of tokens such as A# and #B until no two neighbors face each other. " +
		"The order of the rewriting does not matter. Something always remains, and it is never the program itself.",
	Source:  "The A::B system, a small interaction net; the settings are those of reasoning-gym.",
	Version: 3,
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
	Letters  string  `json:"letters,omitempty"` // the two of the tokens; empty: A and B, as in reasoning-gym
	Crossed  bool    `json:"crossed,omitempty"` // different letters vanish, and equal ones pass each other
	Phrasing int     `json:"phrasing,omitempty"`
}

// An abToken is a place among the names of the tokens: even ones face left, odd ones right.
type abToken uint8

// names returns the names of the tokens.
func (a abItem) names() [4]string {
	x, y := "A", "B"
	if a.Letters != "" {
		x, y = a.Letters[:1], a.Letters[1:]
	}
	return [4]string{"#" + x, x + "#", "#" + y, y + "#"}
}

// makeAB draws tokens until something happens to them and something remains,
// which one draw in three hundred fails at ten tokens.
func makeAB(p abParams, r *rng.Rand) (abItem, error) {
	const tries = 50
	first := r.Between(0, 25)
	letters := string([]byte{'A' + byte(first), 'A' + byte((first+r.Between(1, 25))%26)})
	item := abItem{Letters: letters, Crossed: r.Chance(0.5), Phrasing: r.Between(0, len(abPhrasings)-1)}
	w := newABRewriter(p.Length, item.Crossed)
	program := make([]abToken, p.Length)
	for try := range tries {
		for i := range program {
			program[i] = abToken(r.Between(0, 3))
		}
		if try == tries-1 {
			passing(program, item.Crossed)
		}
		if end := w.rewrite(program); len(end) > 0 && !slices.Equal(end, program) {
			break
		}
	}
	answer := item.text(w.end)
	item.Program, item.Answer = item.text(program), &answer
	return item, nil
}

// passing makes program a token that looks right, before others that it passes.
func passing(program []abToken, crossed bool) {
	for i := range program {
		program[i] = abToken(1 + min(i, 1))
		if crossed {
			program[i] = abToken(1 - min(i, 1))
		}
	}
}

// An abRewriter has room for programs of some length.
type abRewriter struct {
	open [2][]int  // places of the right-facing tokens without a partner, by letter
	gone []bool    // the right-facing tokens that have one, by place
	end  []abToken // what remains

	crossed bool // tokens of different letters vanish
}

// newABRewriter returns a rewriter of programs of n tokens.
func newABRewriter(n int, crossed bool) *abRewriter {
	places := make([]int, 2*n)
	return &abRewriter{[2][]int{places[:0:n], places[n:n]}, make([]bool, n), make([]abToken, 0, n), crossed}
}

// rewrite returns what remains of a program; it is good until the next call. A token
// that faces right moves right through all tokens of the other letter, until it meets
// one of its own that faces left: per letter, the tokens pair off like brackets. Those
// that find no partner end in their old order, the left-facing ones first.
func (w *abRewriter) rewrite(program []abToken) []abToken {
	w.open[0], w.open[1], w.end = w.open[0][:0], w.open[1][:0], w.end[:0]
	for i, token := range program {
		open := &w.open[token/2]
		if w.crossed && token%2 == 0 {
			open = &w.open[1-token/2]
		}
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
func (a abItem) text(tokens []abToken) string {
	b, names := make([]byte, 0, 128), a.names()
	for i, token := range tokens {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, names[token]...)
	}
	return string(b)
}

// abPhrasings are the wordings of the question, before the rules.
var abPhrasings = []string{
	"A program is a row of the tokens {tokens}. When the # of one token faces the # of the next, the two are rewritten:",
	"The tokens {tokens} stand in a row. Two neighbors whose # signs face each other are replaced by these rules:",
	"Here are four rules for neighboring tokens whose # signs face each other:",
	"A row of tokens is rewritten step by step. In each step, two neighbors that turn their # toward each other are exchanged for what the following table says:",
	"Think of {tokens} as arrows that look right or left. When a token that looks right stands directly before one that looks left, this happens to them:",
	"This is a machine for rows of the tokens {tokens}. Wherever the # of a token meets the # of its right neighbor, it applies the rule for that pair:",
}

// Prompt implements [task.Instance].
func (a abItem) Prompt() string {
	names := a.names()
	listed := names[1] + ", " + names[0] + ", " + names[3] + " and " + names[2]
	var rules strings.Builder
	for _, facing := range [][2]int{{1, 0}, {3, 2}, {1, 2}, {3, 0}} {
		right, left := names[facing[0]], names[facing[1]]
		after := "nothing"
		if equal := facing[0]/2 == facing[1]/2; equal == a.Crossed {
			after = left + " " + right
		}
		rules.WriteString(right + " " + left + " → " + after + "\n")
	}
	example := []abToken{3, 1, 2, 0, 1}
	return strings.Replace(abPhrasings[a.Phrasing], "{tokens}", listed, 1) + "\n\n" + rules.String() +
		"\nGo on until no two neighbors face each other. What remains of this program?\n\n" + a.Program +
		"\n\nAnswer with the remaining tokens in their order, with a space between them. For example, " + a.text(example) +
		" becomes " + a.text(newABRewriter(len(example), a.Crossed).rewrite(example)) + "."
}

// Short implements [task.Shortener].
func (a abItem) Short() string {
	if a.Crossed {
		return "rewrite, different letters vanish: " + a.Program
	}
	return "rewrite " + a.Program
}

// Canonical implements [task.Canonicalizer].
func (a abItem) Canonical() string {
	if a.Program == "" {
		return ""
	}
	return fmt.Sprint(a.Crossed, " ", a.Program)
}

// Check refuses a record without an answer, or with a wrong one.
func (a abItem) Check() error {
	if a.Answer == nil {
		return errors.New("answer is missing")
	}
	if a.Letters != "" && (len(a.Letters) != 2 || a.Letters[0] == a.Letters[1] || strings.Trim(a.Letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
		return fmt.Errorf("letters is %q, want two different capitals", a.Letters)
	}
	if a.Program != "" {
		names := a.names()
		var program []abToken
		for name := range strings.SplitSeq(a.Program, " ") {
			token := slices.Index(names[:], name)
			if token < 0 {
				return fmt.Errorf("program has a token %q, want one of %v", name, names)
			}
			program = append(program, abToken(token))
		}
		if want := a.text(newABRewriter(len(program), a.Crossed).rewrite(program)); *a.Answer != want {
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
