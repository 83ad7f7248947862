package languages

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// ab asks for the normal form of a program in a small rewriting system.
var ab = task.Spec[abParams, abItem]{
	Name:     "ab",
	Category: "algorithmic",
	Doc: "Rewrite a row of tokens such as A# and #B until no two neighbors face each other. " +
		"The order of the rewriting does not matter. Something always remains, and it is never the program itself.",
	Source:  "The A::B system, a small interaction net; the settings are those of reasoning-gym.",
	Version: 5,
	List:    " ",
	Default: abParams{Length: 10},
	Levels:  []abParams{{Length: 4}, {Length: 7}, {Length: 12}, {Length: 25}, {Length: 50}, {Length: 120}},
	Few:     []string{"There are few rows of four tokens, up to mirror images and exchanged letters."},
	Make:    makeAB,
}

// abParams are the settings of one difficulty.
type abParams struct {
	Length int `json:"length" want:"2 to 1000: one token alone has nothing to face"` // of the program, in tokens
}

// abItem is one program. Entries of reasoning-gym have it only in the question, so Program
// is empty there.
type abItem struct {
	Program  string  `json:"program,omitempty"` // tokens separated by spaces
	Answer   *string `json:"answer"`            // the remaining tokens
	Letters  string  `json:"letters,omitempty"` // the two letters of the tokens; empty: A and B, as in reasoning-gym
	Crossed  bool    `json:"crossed,omitempty"` // different letters vanish, and equal ones pass each other
	Phrasing int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// An abToken is an index into the names of the tokens: even ones face left, odd ones right.
type abToken uint8

// names returns the names of the tokens.
func (a abItem) names() [4][2]byte {
	x, y := byte('A'), byte('B')
	if a.Letters != "" {
		x, y = a.Letters[0], a.Letters[1]
	}
	return [4][2]byte{{'#', x}, {x, '#'}, {'#', y}, {y, '#'}}
}

// makeAB draws tokens until something happens to them and something remains. One draw in
// three hundred fails at ten tokens.
func makeAB(p abParams, r *rng.Rand) (abItem, error) {
	const tries = 50
	first := r.Between(0, 25)
	letters := string([]byte{'A' + byte(first), 'A' + byte((first+r.Between(1, 25))%26)})
	item := abItem{Letters: letters, Crossed: r.Chance(0.5), Phrasing: r.Between(0, len(abPhrasings)-1)}
	var room [2][64]abToken
	program, end := append(room[0][:0], make([]abToken, p.Length)...), room[1][:0]
	for try := range tries {
		for i := range program {
			program[i] = abToken(r.Between(0, 3))
		}
		if try == tries-1 {
			passing(program, item.Crossed)
		}
		if end = rewriteAB(end[:0], program, item.Crossed); len(end) > 0 && !slices.Equal(end, program) {
			break
		}
	}
	text := item.appendText(make([]byte, 0, 3*(p.Length+len(end))), program)
	full := string(item.appendText(text, end)) // both in one string
	answer := full[len(text):]
	item.Program, item.Answer = full[:len(text)], &answer
	return item, nil
}

// passing puts a right-facing token at the front of program, before tokens that it passes.
func passing(program []abToken, crossed bool) {
	for i := range program {
		program[i] = abToken(1 + min(i, 1))
		if crossed {
			program[i] = abToken(1 - min(i, 1))
		}
	}
}

// rewriteAB appends what remains of a program to end. A right-facing token moves right
// through all tokens of the other letter, until it meets a left-facing one of its own. So
// per letter, or across the letters if crossed, the tokens pair off like brackets. Unpaired
// tokens keep their order, the left-facing ones first.
func rewriteAB(end, program []abToken, crossed bool) []abToken {
	var open [2]int // right-facing tokens before this one without a partner, by letter
	for _, token := range program {
		if token%2 == 1 {
			open[token/2]++
		} else if letter := token.partner(crossed); open[letter] > 0 {
			open[letter]--
		} else {
			end = append(end, token)
		}
	}
	lefts := len(end)
	open = [2]int{} // left-facing tokens after this one without a partner
	for _, token := range slices.Backward(program) {
		switch {
		case token%2 == 0:
			open[token.partner(crossed)]++
		case open[token/2] > 0:
			open[token/2]--
		default:
			end = append(end, token)
		}
	}
	slices.Reverse(end[lefts:])
	return end
}

// partner returns the letter that a left-facing token vanishes with.
func (t abToken) partner(crossed bool) abToken {
	if crossed {
		return 1 - t/2
	}
	return t / 2
}

// appendText appends tokens separated by spaces.
func (a abItem) appendText(b []byte, tokens []abToken) []byte {
	names := a.names()
	for i, token := range tokens {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, names[token][:]...)
	}
	return b
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

func (a abItem) Prompt() string {
	before, after, listed := strings.Cut(abPhrasings[a.Phrasing], "{tokens}")
	b := append(make([]byte, 0, task.PromptRoom), before...)
	if listed {
		for i, token := range []abToken{1, 0, 3, 2} {
			b = append(a.appendText(b, []abToken{token}), [...]string{", ", ", ", " and ", ""}[i]...)
		}
		b = append(b, after...)
	}
	b = append(b, "\n\n"...)
	for _, facing := range [][2]abToken{{1, 0}, {3, 2}, {1, 2}, {3, 0}} {
		b = append(a.appendText(b, facing[:]), " → "...)
		if equal := facing[0]/2 == facing[1]/2; equal == a.Crossed {
			b = append(a.appendText(b, []abToken{facing[1], facing[0]}), '\n')
		} else {
			b = append(b, "nothing\n"...)
		}
	}
	b = append(b, "\nGo on until no two neighbors face each other. What remains of this program?\n\n"...)
	b = append(b, a.Program...)
	b = append(b, "\n\nAnswer with the remaining tokens in their order, with a space between them. For example, "...)
	example := []abToken{3, 1, 2, 0, 1}
	b = append(a.appendText(b, example), " becomes "...)
	b = a.appendText(b, rewriteAB(make([]abToken, 0, len(example)), example, a.Crossed))
	return string(append(b, '.'))
}

func (a abItem) Short() string {
	if a.Crossed {
		return "rewrite, different letters vanish: " + a.Program
	}
	return "rewrite " + a.Program
}

// Canonical implements [task.Canonicalizer]. The letters do not matter, and the row may be seen
// in a mirror, which turns the tokens around.
func (a abItem) Canonical() string {
	if a.Program == "" {
		return ""
	}
	mirrored := []byte(a.Program)
	slices.Reverse(mirrored)
	return fmt.Sprint(a.Crossed, " ", min(unlettered(a.Program), unlettered(string(mirrored))))
}

// unlettered names the letters of a program in the order in which they first occur.
func unlettered(program string) string {
	first := byte(0)
	b := []byte(program)
	for i, c := range b {
		if c < 'A' || c > 'Z' {
			continue
		}
		if first == 0 {
			first = c
		}
		b[i] = 'A' + byte(task.Bit(c != first))
	}
	return string(b)
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
			token := slices.IndexFunc(names[:], func(n [2]byte) bool { return string(n[:]) == name })
			if token < 0 {
				return fmt.Errorf("program has a token %q, want one of %s", name, a.appendText(nil, []abToken{0, 1, 2, 3}))
			}
			program = append(program, abToken(token))
		}
		if want := a.appendText(nil, rewriteAB(nil, program, a.Crossed)); *a.Answer != string(want) {
			return fmt.Errorf("answer is %q, want %q", *a.Answer, want)
		}
	}
	return nil
}

func (a abItem) Solve() string { return *a.Answer }

// Score implements [task.Scorer]. The tokens must match exactly, since a part of them is
// easy to get.
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
