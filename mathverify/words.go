package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/mathverify/expr"
)

var (
	allNumbers = compiled(`^(?:[a-z] (?:is|can be|may be) )?(?:the set of )?(?:all|any|every|the) (positive |negative |non-?negative |non-?positive |non-?zero )?` +
		`(real|integer|rational|complex|natural|whole)s?(?: numbers?| values?)?(?: of| for)?(?: [a-z])?(?:,? (except|excluding|other than|besides|greater than|less than|at least|at most)(?: for)? (.+))?$`)
	noNumbers = compiled(`^(?:there (?:is|are) )?no (?:real )?(?:solutions?|roots?)(?: exists?)?$|^(?:the )?empty set$`)
	wordsIn   = compiled(`\\(?:text|textbf|textit|textrm|mathrm|mbox)\s*\{([^{}]*)\}|\\[ ,;:!]|\\q?quad\b|[$~*\s]+`)
)

// stems holds parts of words, one of which is in each of these sets.
var stems = []string{"eal", "olution", "root", "mpty", "nteger", "number"}

// maxWords is the greatest length of a set in words.
const maxWords = 120

// setInWords reads words that stand for a set of numbers, as "all real numbers"; nil if they
// do not.
func setInWords(text string) *expr.Node {
	if len(text) > maxWords || !slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(text, stem) }) {
		return nil
	}
	words := strings.ToLower(strings.Join(strings.Fields(wordsIn().ReplaceAllString(text, " $1 ")), " "))
	words = strings.TrimRight(words, ".,; ")
	if noNumbers().MatchString(words) {
		return expr.New(expr.Set)
	}
	m := allNumbers().FindStringSubmatch(words)
	if m == nil {
		return nil
	}
	set := numbersOf(strings.ReplaceAll(strings.TrimSpace(m[1]), "-", ""), m[2])
	if set == nil || m[3] == "" {
		return set
	}
	except, err := expr.Parse(expr.Fold(m[4]))
	if err != nil {
		return nil
	}
	if name, value := named(except); name != nil && isSymbol(name) && value != nil {
		except = value
	}
	if op := relationIn(m[3]); op != "" {
		if set.Op != expr.Named || set.Name != "R" || !closed(except) {
			return nil
		}
		return &expr.Node{Op: expr.Relation, Name: op, Args: []*expr.Node{expr.Var("x"), except}}
	}
	points := expr.New(expr.Set, except)
	if except.Op == expr.List || except.Op == expr.Set {
		points = expr.New(expr.Set, except.Args...)
	}
	return &expr.Node{Op: expr.Combine, Name: "minus", Args: []*expr.Node{set, spread(points)}}
}

// relationIn returns the relation of "greater than" and the like, or nothing.
func relationIn(words string) string {
	return map[string]string{"greater than": ">", "less than": "<", "at least": "≥", "at most": "≤"}[words]
}

// numbersOf returns the numbers of a kind with a sign; nil for a set without a name here.
func numbersOf(sign, kind string) *expr.Node {
	zero, inf := expr.Int(0), &expr.Node{Op: expr.Constant, Name: "inf"}
	interval := func(brackets string, low, high *expr.Node) *expr.Node {
		return &expr.Node{Op: expr.Tuple, Name: brackets, Args: []*expr.Node{low, high}}
	}
	name := map[string]string{"real": "R", "integer": "Z", "rational": "Q", "complex": "C", "natural": "N"}[kind]
	set := &expr.Node{Op: expr.Named, Name: name}
	switch {
	case name == "":
		return nil
	case sign == "":
		return set
	case name == "Z" && sign == "positive":
		return &expr.Node{Op: expr.Named, Name: "Z+"}
	case name != "R":
		return nil
	}
	switch sign {
	case "positive":
		return interval("()", zero, inf)
	case "negative":
		return interval("()", expr.New(expr.Neg, inf), zero)
	case "nonnegative":
		return interval("[)", zero, inf)
	case "nonpositive":
		return interval("(]", expr.New(expr.Neg, inf), zero)
	}
	return &expr.Node{Op: expr.Combine, Name: "minus", Args: []*expr.Node{set, expr.New(expr.Set, zero)}}
}

// read returns the tree of an answer, without the letter of a choice before it.
func read(text string) (*expr.Node, error) {
	_, text = withoutLabel(text)
	if set := setInWords(text); set != nil {
		return set, nil
	}
	return expr.Parse(expr.Fold(text))
}
