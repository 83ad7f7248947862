package arithmetic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/task"
)

// An integral asks for an antiderivative.
type integral struct {
	Integrand string `json:"integrand"`        // as SymPy writes it
	Variable  string `json:"variable"`         // one letter
	Answer    string `json:"answer,omitempty"` // an antiderivative; in some entries of reasoning-gym an unevaluated integral
	Phrasing  int    `json:"phrasing,omitempty" want:"0 to 6"`
}

// constantRE matches the names of a constant of integration.
var constantRE = compiled.Regexp(`^[CcKk](?:_?\{?\d+\}?)?$`)

// newIntegral returns the question for an antiderivative of integrand.
func newIntegral(variable string, integrand, answer sumOf) integral {
	return integral{Integrand: integrand.text(variable), Variable: variable, Answer: answer.text(variable) + " + C"}
}

// integralPhrasings are the wordings of the question, with placeholders VAR and FUNCTION.
var integralPhrasings = []string{
	"Find the indefinite integral of this function of VAR:\n\nFUNCTION",
	"∫ (FUNCTION) dVAR\n\nWork this integral out.",
	"Someone differentiated an expression with respect to VAR and got\n\nFUNCTION\n\nWhat may the expression have been?",
	"A point moves along a line. At the time VAR its velocity is\n\nFUNCTION\n\nGive a formula for its position at the time VAR.",
	"F'(VAR) = FUNCTION\n\nWhat is F(VAR)?",
	"Solve the differential equation\n\ndG/dVAR = FUNCTION\n\nfor G.",
	"The slope of a curve at each VAR where it is defined is\n\nFUNCTION\n\nWhich expression in VAR describes such a curve?",
}

func (s integral) Prompt() string {
	words := integralPhrasings[s.Phrasing] +
		"\n\nAnswer with one expression in VAR alone, such as 4*VAR^3/7 - ln(VAR) + C. The constant C may be left out."
	return strings.NewReplacer("VAR", s.Variable, "FUNCTION", printed.Replace(s.Integrand)).Replace(words)
}

func (s integral) Short() string {
	return "∫" + strings.ReplaceAll(printed.Replace(s.Integrand), " ", "") + " d" + s.Variable + "="
}

// Canonical implements [task.Canonicalizer]. The name and the sign of the variable do not matter, nor do
// the orders of terms and of factors, a change of all signs and a power of ten.
func (s integral) Canonical() string { return task.Mirrored(s.Integrand, s.Variable) }

// Check refuses a record with an unreadable integrand.
func (s integral) Check() error {
	if err := checkSymbols("variable", s.Variable); err != nil {
		return err
	}
	if n, err := readExpression(s.Integrand); err != nil {
		return fmt.Errorf("integrand %.80q: %w", s.Integrand, err)
	} else if _, err := expr.Diff(n, s.Variable); err != nil {
		return fmt.Errorf("integrand %.80q: %w", s.Integrand, err)
	}
	return nil
}

func (s integral) Solve() string { return s.Answer }

// Score implements [task.Scorer]. An answer is right if its derivative is the integrand;
// other letters are constants.
func (s integral) Score(answer string) quintain.Verdict {
	n, err := readExpression(answer)
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("want one expression in %s: %v", s.Variable, err))
	}
	integrand, err := readExpression(s.Integrand)
	if err != nil {
		return quintain.Wrong("the integrand cannot be read") // Check has already refused it
	}
	if !n.Mentions(s.Variable) && !integrand.IsInt(0) {
		return quintain.Wrong("there is no " + s.Variable + " in it")
	}
	if !n.Walk(func(m *expr.Node) bool {
		return m.Op != expr.Symbol || m.Name == s.Variable || constantRE().MatchString(m.Name)
	}) {
		return quintain.Wrong(fmt.Sprintf("want %s alone, and a constant such as C", s.Variable))
	}
	derivative, err := expr.Diff(n, s.Variable)
	switch {
	case errors.Is(err, expr.ErrLarge):
		return quintain.Wrong("the answer is too large to be differentiated")
	case err != nil:
		return quintain.Malformed("the answer contains something that cannot be differentiated")
	}
	same, reason := mathverify.Agree(integrand, derivative)
	switch {
	case same:
		return quintain.Right()
	case reason == mathverify.Unknown || reason == mathverify.Limit:
		return quintain.Wrong(fmt.Sprintf("%s: cannot tell whether its derivative is the integrand", reason))
	}
	return quintain.Wrong(fmt.Sprintf("its derivative is not the integrand, as that of %s is", s.Answer))
}
