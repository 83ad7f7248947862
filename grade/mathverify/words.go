package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
	"github.com/quintain-rl/quintain/internal/compiled"
)

var (
	allNumbers = compiled.Regexp(`^(?:[a-z] (?:is|can be|may be) )?(?:(?:true |valid |holds |it holds |it is true )?for )?(?:the set of )?(?:all|any|every|the) (positive |negative |non-?negative |non-?positive |non-?zero )?` +
		`(real|integer|rational|complex|natural|whole)s?(?: numbers?| values?)?(?: of| for)?(?: [a-z])?(?:,? (except|excluding|other than|besides|greater than(?: or equal to)?|less than(?: or equal to)?|at least|at most)(?: for)? (.+))?$`)
	noNumbers = compiled.Regexp(`^(?:(?:there (?:is|are) )?|(?:(?:the|this) (?:system of )?(?:equations?|system|inequality|problem)|it) (?:has|have) )no (?:real |integer |valid |possible )?(?:solutions?|roots?)(?: for [a-z])?(?: exists?)?$|^(?:there (?:is|are) )?no (?:such |real |such real )(?:numbers?|values?|x)(?: of [a-z]| [a-z])?(?: exists?)?$|^(?:the )?empty set$|^(?:the solution set is )?empty$`)
	stating   = compiled.Regexp(`^(?:the )?(?:final )?(?:answer|solution|solution set|domain)(?: is|:) `)
	wordsIn   = compiled.Regexp(`\\(?:text|textbf|textit|textrm|mathrm|mbox)\s*\{([^{}]*)\}|\\[ ,;:!]|\\q?quad\b|[$~*\s]+`)
)

// stems holds parts of words, one of which is in each of these sets.
var stems = []string{"eal", "olution", "root", "mpty", "nteger", "number"}

// mayBeSet reports whether a text has a part of such a word.
func mayBeSet(text string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(text, stem) })
}

// maxWords is the greatest length of a set in words.
const maxWords = 120

// setInWords reads words that stand for a set of numbers, as "all real numbers"; nil if they
// do not.
func setInWords(text string) *expr.Node {
	if len(text) > maxWords || !mayBeSet(text) {
		return nil
	}
	words := strings.ToLower(strings.Join(strings.Fields(wordsIn().ReplaceAllString(text, " $1 ")), " "))
	words = stating().ReplaceAllString(strings.TrimRight(words, ".,; "), "")
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
	} else if except.Op == expr.List {
		except = records(except)
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

// inOtherWords returns a whole text, or a whole box, that is the reference in other words: a date, a time
// of day, a noun with an article, or a set in words; "" if it is none.
func inOtherWords(gold, text string, rule Rule) string {
	if found := dated(gold, text); found != "" {
		return found
	}
	parted := strings.ContainsAny(gold, ",;:") || strings.Contains(gold, "and")
	if !parted && !mayBeWorded(gold) && !mayBeSet(text) {
		return ""
	}
	if len(text) > maxWords {
		if rule != RuleBox {
			return ""
		}
		text = text[len(text)-min(len(text), maxNormal):]
	}
	if rule == RuleBox {
		text = reply.Reference(text)
	}
	if same, sure := sameWording(gold, text); same && sure {
		return text
	}
	if parted && len(partsOf(text)) > 1 {
		return text
	}
	if !reply.IsPhrase(gold) && strings.Contains(text, " ") && setInWords(text) != nil {
		return text
	}
	return ""
}

// relationIn returns the relation of "greater than" and the like, or nothing.
func relationIn(words string) string {
	return map[string]string{"greater than": ">", "less than": "<", "at least": "≥", "at most": "≤", "greater than or equal to": "≥", "less than or equal to": "≤"}[words]
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
	_, text = reply.WithoutLabel(text)
	if items := items(text); items != nil {
		text = strings.Join(items, ", ")
	}
	if n := numberInWords(text); n != nil {
		return n, nil
	}
	if set := setInWords(text); set != nil {
		return set, nil
	}
	return expr.Parse(expr.Fold(text))
}

// bullet matches the mark of an item of a list in lines.
var bullet = compiled.Regexp(`^\s*(?:[-*•]|\d{1,2}[.)]) +`)

// items returns the items of a list with one in each line, all of them marked; nil if a text is none.
func items(text string) []string {
	if !strings.Contains(text, "\n") || len(text) > maxNormal {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		mark := bullet().FindString(line)
		if mark == "" && (i > 0 || !strings.Contains(text, "\n* ")) { // the first star may be gone
			return nil
		}
		lines[i] = strings.Trim(line[len(mark):], " .,;$")
	}
	return lines
}

// These hold the words for small numbers, in order, and for the parts of a whole.
const (
	cardinals = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
	tens      = "twenty thirty forty fifty sixty seventy eighty ninety"
	scales    = "hundred thousand million billion"
	portions  = "half third quarter fifth sixth seventh eighth ninth tenth eleventh twelfth"
)

// numberInWords reads a number below a hundred in words, or a fraction of such; nil if a text is
// none.
func numberInWords(text string) *expr.Node {
	if len(text) > maxWords || len(text) < 3 || text[0] == '\\' && text[1] != 't' && text[1] != 'm' || strings.ContainsAny(text, "0123456789=+^_()") {
		return nil
	}
	words := strings.Fields(strings.ReplaceAll(reply.Words(text), "-", " "))
	negative := len(words) > 1 && (words[0] == "negative" || words[0] == "minus")
	if negative {
		words = words[1:]
	}
	words = slices.DeleteFunc(words, func(word string) bool { return listed(" exactly only just such distinct different possible ", word) })
	var n *expr.Node
	if len(words) == 1 && words[0] == "half" {
		words = []string{"one", "half"}
	}
	switch len(words) {
	case 1:
		n = below100(words[0], "")
	case 2:
		if plain := below100(words[0], ""); plain != nil && len(words[1]) > 3 && strings.HasSuffix(words[1], "s") && fractionOf(words[0], words[1]) == nil && !listed(" hundreds thousands times less tens ", words[1]) {
			n = plain
			break
		}
		if n = below100(words[0], words[1]); n == nil {
			n = fractionOf(words[0], words[1])
		}
		if power := slices.Index(strings.Fields(scales), words[1]); n == nil && power >= 0 && below100(words[0], "") != nil {
			n = expr.New(expr.Mul, below100(words[0], ""), expr.Rational(expr.PowerOfTen([]int64{2, 3, 6, 9}[power])))
		}
	}
	if n != nil && negative {
		n = expr.New(expr.Neg, n)
	}
	return n
}

// below100 reads "seven", "twenty" or "twenty one".
func below100(first, second string) *expr.Node {
	units := strings.Fields(cardinals)
	if second == "" {
		if i := slices.Index(units, first); i >= 0 {
			return expr.Int(int64(i))
		}
	}
	ten, unit := slices.Index(strings.Fields(tens), first), slices.Index(units, second)
	if ten < 0 || second != "" && (unit < 1 || unit > 9) {
		return nil
	}
	return expr.Int(int64(10*(ten+2) + max(unit, 0)))
}

// fractional writes the parts of a whole as the list of them does.
var fractional = strings.NewReplacer("halves", "half", "fourth", "quarter")

// fractionOf reads "two thirds".
func fractionOf(over, under string) *expr.Node {
	n := below100(over, "")
	part := slices.Index(strings.Fields(portions), strings.TrimSuffix(fractional.Replace(under), "s"))
	if n == nil || part < 0 {
		return nil
	}
	return expr.New(expr.Div, n, expr.Int(int64(part+2)))
}
