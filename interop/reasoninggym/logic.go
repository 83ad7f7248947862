package reasoninggym

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/answer"
)

// roles are the words for the two kinds of people.
var roles = strings.Fields("knight knave hero villain pioneer laggard altruist egoist sage fool saint sinner angel devil")

// knights takes the same pairs of names and roles, and pays a share if there are as many.
func knights(of *item, got string) float64 {
	if got == "" {
		return 0
	}
	found, wanted := readRoles(got), readRoles(of.oracle)
	if len(found) != len(wanted) {
		return 0
	}
	same := 0
	for pair := range found {
		same += int(part(wanted[pair], 1))
	}
	switch same {
	case len(wanted):
		return 1
	case 0:
		return 0
	}
	return 0.3 + 0.7*float64(same)/float64(len(wanted))
}

// readRoles returns the pairs of a name and the role after it.
func readRoles(text string) map[[2]string]bool {
	pairs, name := map[[2]string]bool{}, ""
	text = strings.NewReplacer(".", " ", ",", " ", "(", " ", ")", " ").Replace(answer.Trim(pyLower(text)))
	for _, word := range answer.Fields(strings.ReplaceAll(text, " and ", " ")) {
		switch {
		case word == "is" || word == "a" || word == "an":
		case !slices.Contains(roles, word):
			name = word
		case name != "":
			pairs[[2]string{name, word}] = true
			name = ""
		}
	}
	return pairs
}

// connectives are the operators between formulas, the loosest first.
var connectives = []string{"↔", "→", "∨", "∧"}

// A formula is a formula of propositional logic. Without an operator, name is any text: it is
// a variable.
type formula struct {
	op   string // one of connectives, "¬" or empty
	args []*formula
	name string
}

// readFormula reads a formula. A text with an operand missing is none.
func readFormula(text string, depth int) (*formula, bool) {
	const most = 300
	text = answer.Trim(text)
	for strings.HasPrefix(text, "(") && closing(text) == len(text)-1 {
		text = answer.Trim(text[1 : len(text)-1])
	}
	if text == "" || depth > most {
		return nil, false
	}
	for _, op := range connectives {
		at := lastOutside(text, op)
		if at < 0 {
			continue
		}
		left, isLeft := readFormula(text[:at], depth+1)
		right, isRight := readFormula(text[at+len(op):], depth+1)
		return &formula{op: op, args: []*formula{left, right}}, isLeft && isRight
	}
	if rest, not := strings.CutPrefix(text, "¬"); not {
		inner, ok := readFormula(rest, depth+1)
		return &formula{op: "¬", args: []*formula{inner}}, ok
	}
	return &formula{name: text}, true
}

// closing returns the index of the bracket that closes the first one, or -1.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// lastOutside returns the index of the last op outside of brackets, counted from the end, or
// -1.
func lastOutside(text, op string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch {
		case text[i] == ')':
			depth++
		case text[i] == '(':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], op):
			return i
		}
	}
	return -1
}

// names adds the variables of a formula to all.
func (f *formula) names(all map[string]int) {
	if f.op == "" {
		if _, known := all[f.name]; !known {
			all[f.name] = len(all)
		}
	}
	for _, arg := range f.args {
		arg.names(all)
	}
}

// holds reports whether f is true for an assignment: bit i is the variable with number i.
func (f *formula) holds(numbers map[string]int, assigned uint) bool {
	if f.op == "" {
		return assigned>>numbers[f.name]&1 == 1
	}
	left := f.args[0].holds(numbers, assigned)
	switch f.op {
	case "¬":
		return !left
	case "∧":
		return left && f.args[1].holds(numbers, assigned)
	case "∨":
		return left || f.args[1].holds(numbers, assigned)
	case "→":
		return !left || f.args[1].holds(numbers, assigned)
	}
	return left == f.args[1].holds(numbers, assigned)
}

// capital matches the capital letters, which must be variables of the question.
var capital = compiled.Regexp(`[A-Z]`)

// entailed takes formulas that follow from the premises, and pays a quarter for a variable or
// a formula that is always true, and a little for any other. A formula too large to be tried
// in all cases earns nothing.
func entailed(of *item, got string) float64 {
	const mostNames, mostSigns = 16, 4000
	var m struct {
		Variables []string `json:"variables"`
		Premises  []string `json:"premises"`
	}
	if !of.read(&m) {
		return 0
	}
	for _, letter := range capital().FindAllString(got, -1) {
		if !slices.Contains(m.Variables, letter) {
			return 0
		}
	}
	if len(got) > mostSigns && strings.ContainsAny(got, "↔→∨∧¬()") {
		return 0
	}
	conclusion, ok := readFormula(got, 0)
	if !ok {
		return 0
	}
	numbers := map[string]int{}
	premises := make([]*formula, len(m.Premises))
	for i, text := range m.Premises {
		if premises[i], ok = readFormula(text, 0); !ok {
			return of.spoil("premises has something else than formulas")
		}
		premises[i].names(numbers)
	}
	conclusion.names(numbers)
	if len(numbers) > mostNames {
		return 0
	}
	always := true
	for assigned := range uint(1) << len(numbers) {
		if conclusion.holds(numbers, assigned) {
			continue
		}
		always = false
		if !slices.ContainsFunc(premises, func(p *formula) bool { return !p.holds(numbers, assigned) }) {
			return 0.05
		}
	}
	if always || conclusion.op == "" {
		return 0.25
	}
	return 1
}
