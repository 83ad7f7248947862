package arithmetic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task/rng"
)

// letters are the variables: letters that cannot be mistaken for anything else.
const letters = "abcdfghjkmnpqrstuvwxyzXYZ"

// checkSymbols refuses symbols that are not in letters.
func checkSymbols(name string, symbols ...string) error {
	if len(symbols) == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	for _, s := range symbols {
		if len(s) != 1 || !strings.Contains(letters, s) {
			return fmt.Errorf("%s has %q, want one letter of %s", name, s, letters)
		}
	}
	return nil
}

// sign draws the sign of a term.
func sign(operators []string, r *rng.Rand) int64 {
	if rng.Pick(r, operators) == "-" {
		return -1
	}
	return 1
}

// naturalLog matches a logarithm without a base, the natural one in SymPy.
var naturalLog = compiled.Regexp(`log(\s*[^\s_0-9]|\s*$)`)

// readExpression reads an expression as SymPy or people write it: with ** or ^, with E or
// e, in a box, between dollar signs or quotes, or after "F(x) =". Words are an error.
func readExpression(text string) (*expr.Node, error) {
	text = strings.TrimSpace(text)
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(text, quote); ok {
			text = strings.TrimSuffix(inner, quote)
		}
	}
	if why := beside(text); why != "" {
		return nil, errors.New(why)
	}
	text = naturalLog().ReplaceAllString(strings.ReplaceAll(text, "+-", "-"), "ln$1")
	if word := strangeWord(text); word != "" {
		return nil, fmt.Errorf("%.20q is a word, not a function", word)
	}
	n, err := mathverify.Read(text)
	if err != nil {
		return nil, err
	}
	if strings.Contains(text, "E") {
		n = n.Replace("E", &expr.Node{Op: expr.Constant, Name: "e"})
	}
	return n, nil
}

// beside tells what stands beside an expression: anything before or after a box, or a tilde, which
// Markdown strikes a text out with and LaTeX takes for space.
func beside(text string) string {
	before, boxed, ok := strings.Cut(strings.Trim(text, "$. "), `\boxed{`)
	switch {
	case ok && (before != "" || !strings.HasSuffix(boxed, "}") || strings.Contains(boxed, `\boxed{`)):
		return "something stands beside the box"
	case strings.Contains(text, "~"):
		return "a tilde is no part of an expression"
	}
	return ""
}

// strangeWord returns the first word of four letters or more that is neither a function nor a
// command of LaTeX.
func strangeWord(text string) string {
	for at := 0; at < len(text); at++ {
		start := at
		for at < len(text) && (text[at]|0x20) >= 'a' && (text[at]|0x20) <= 'z' {
			at++
		}
		word := text[start:at]
		if len(word) >= 4 && (start == 0 || text[start-1] != '\\') && !strings.Contains(functions, " "+word+" ") {
			return word
		}
	}
	return ""
}

// functions are names of functions with four letters and more.
const functions = " sqrt cbrt asin acos atan acot asec acsc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth asinh acosh atanh arsinh arcosh artanh "

// printed rewrites an expression from a record as the prompts write it.
var printed = strings.NewReplacer("**", "^", "log(", "ln(", "asin(", "arcsin(", "acos(", "arccos(", "atan(", "arctan(")
