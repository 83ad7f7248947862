package expr

import (
	"errors"
	"fmt"
	"strings"
)

// A meaning is the token of a word or a command.
type meaning struct {
	kind kind
	text string
}

// functions maps the spellings of functions to their names in the tree.
var functions = map[string]string{
	"sin": "sin", "cos": "cos", "tan": "tan", "tg": "tan", "cot": "cot", "ctg": "cot", "sec": "sec", "csc": "csc", "cosec": "csc",
	"arcsin": "arcsin", "asin": "arcsin", "arccos": "arccos", "acos": "arccos", "arctan": "arctan", "atan": "arctan", "arctg": "arctan",
	"arccot": "arccot", "acot": "arccot", "arcsec": "arcsec", "asec": "arcsec", "arccsc": "arccsc", "acsc": "arccsc",
	"sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "coth": "coth", "sech": "sech", "csch": "csch",
	"arcsinh": "arsinh", "arsinh": "arsinh", "asinh": "arsinh", "arccosh": "arcosh", "arcosh": "arcosh", "acosh": "arcosh",
	"arctanh": "artanh", "artanh": "artanh", "atanh": "artanh",
	"ln": "ln", "log": "log", "lg": "log", "exp": "exp", "sqrt": "sqrt", "cbrt": "cbrt", "abs": "abs", "sgn": "sign", "sign": "sign",
	"floor": "floor", "ceil": "ceil", "ceiling": "ceil", "gcd": "gcd", "lcm": "lcm", "max": "max", "min": "min", "re": "re", "im": "im", "arg": "arg",
	"binomial": "binom", "factorial": "factorial", "det": "det", "cis": "cis",
}

// operators maps names that are functions only in \operatorname and the like.
var operators = map[string]string{"tr": "tr", "trace": "tr", "tg": "tan", "ctg": "cot"}

// unambiguous lists the functions that \text may name: no word or unit has that name.
const unambiguous = " sin cos tan cot csc arcsin arccos arctan sinh cosh tanh ln log exp lcm gcd det cis "

// glued lists the names that need no space before a variable, longest first.
var glued = []string{"arcsin", "arccos", "arctan", "sqrt", "sinh", "cosh", "tanh", "sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "pi"}

// plain maps words outside commands to tokens.
var plain = map[string]meaning{
	"pi": {kSymbol, "pi"}, "oo": {kSymbol, "inf"}, "inf": {kSymbol, "inf"}, "infinity": {kSymbol, "inf"}, "infty": {kSymbol, "inf"},
	"or": {kOp, "or"}, "and": {kOp, "and"}, "percent": {kOp, "%"}, "per cent": {kOp, "%"}, "percentage": {kOp, "%"}, "pct": {kOp, "%"},
	"degrees": {kOp, "deg"}, "degree": {kOp, "deg"}, "deg": {kOp, "deg"}, "mod": {kOp, "mod"}, "union": {kOp, "union"}, "choose": {kOp, "choose"},
	"dollars": {kText, "dollars"}, "usd": {kText, "usd"}, "eur": {kText, "eur"}, "times": {kOp, "*"},
	"alpha": {kSymbol, "alpha"}, "beta": {kSymbol, "beta"}, "gamma": {kSymbol, "gamma"}, "theta": {kSymbol, "theta"}, "phi": {kSymbol, "phi"}, "lambda": {kSymbol, "lambda"},
}

// commands maps LaTeX commands to tokens. A command not listed is a Greek letter, a
// function, ignored, or an error.
var commands = map[string]meaning{
	"cdot": {kOp, "*"}, "times": {kOp, "*"}, "ast": {kOp, "*"}, "bullet": {kOp, "*"}, "div": {kOp, "/"}, "slash": {kOp, "/"},
	"pm": {kOp, "pm"}, "mp": {kOp, "mp"}, "lt": {kOp, "<"}, "gt": {kOp, ">"}, "le": {kOp, "<="}, "leq": {kOp, "<="}, "leqslant": {kOp, "<="},
	"leqq": {kOp, "<="}, "ge": {kOp, ">="}, "geq": {kOp, ">="}, "geqslant": {kOp, ">="}, "geqq": {kOp, ">="}, "ne": {kOp, "!="}, "neq": {kOp, "!="},
	"approx": {kOp, "~"}, "simeq": {kOp, "~"}, "doteq": {kOp, "~"}, "thickapprox": {kOp, "~"}, "approxeq": {kOp, "~"}, "coloneqq": {kOp, "="}, "triangleq": {kOp, "="}, "in": {kOp, "in"}, "notin": {kOp, "notin"}, "cup": {kOp, "union"}, "bigcup": {kOp, "union"},
	"cap": {kOp, "inter"}, "bigcap": {kOp, "inter"}, "setminus": {kOp, "minus"}, "backslash": {kOp, "minus"}, "colon": {kOp, ":"},
	"to": {kOp, "to"}, "rightarrow": {kOp, "to"}, "lor": {kOp, "or"}, "vee": {kOp, "or"}, "land": {kOp, "and"}, "wedge": {kOp, "and"},
	"lfloor": {kOp, "lfloor"}, "rfloor": {kOp, "rfloor"}, "lceil": {kOp, "lceil"}, "rceil": {kOp, "rceil"},
	"lvert": {kOp, "|("}, "rvert": {kOp, ")|"}, "lVert": {kOp, "|("}, "rVert": {kOp, ")|"}, "vert": {kOp, "|"}, "mid": {kOp, "mid"},
	"langle": {kOp, "langle"}, "rangle": {kOp, "rangle"}, "lparen": {kOp, "("}, "rparen": {kOp, ")"}, "lbrace": {kOp, "set{"}, "rbrace": {kOp, "set}"}, "lbrack": {kOp, "["}, "rbrack": {kOp, "]"},
	"circ": {kOp, "deg"}, "degree": {kOp, "deg"}, "prime": {kOp, "'"}, "bmod": {kOp, "mod"}, "mod": {kOp, "mod"}, "over": {kOp, "over"}, "choose": {kOp, "choose"},
	"infty": {kSymbol, "inf"}, "pi": {kSymbol, "pi"}, "emptyset": {kSymbol, "emptyset"}, "varnothing": {kSymbol, "emptyset"},
	"R": {kSymbol, "set R"}, "reals": {kSymbol, "set R"}, "Reals": {kSymbol, "set R"}, "N": {kSymbol, "set N"}, "Z": {kSymbol, "set Z"}, "Q": {kSymbol, "set Q"},
	"frac": {kCmd, "frac"}, "dfrac": {kCmd, "frac"}, "tfrac": {kCmd, "frac"}, "cfrac": {kCmd, "frac"}, "sqrt": {kCmd, "sqrt"},
	"binom": {kCmd, "binom"}, "dbinom": {kCmd, "binom"}, "tbinom": {kCmd, "binom"}, "sum": {kCmd, "sum"}, "prod": {kCmd, "prod"}, "int": {kCmd, "int"}, "lim": {kCmd, "lim"},
	"angle": {kSymbol, "angle"}, "measuredangle": {kSymbol, "angle"}, "triangle": {kSymbol, "triangle"}, "hbar": {kSymbol, "hbar"}, "ell": {kSymbol, "l"}, "cosec": {kFunc, "csc"},
	"varepsilon": {kSymbol, "epsilon"}, "vartheta": {kSymbol, "theta"}, "varphi": {kSymbol, "phi"}, "varrho": {kSymbol, "rho"}, "square": {kSymbol, "square"},
	"ldots": {kOp, "..."}, "dots": {kOp, "..."}, "cdots": {kOp, "..."}, "vdots": {kOp, "..."}, "ddots": {kOp, "..."},
	"dotsc": {kOp, "..."}, "dotsb": {kOp, "..."}, "dotsm": {kOp, "..."}, "dotso": {kOp, "..."}, "hdots": {kOp, "..."},
	"cr": {kOp, `\\`}, "tabularnewline": {kOp, `\\`}, "newline": {kOp, `\\`}, "permil": {kOp, "‰"}, "perthousand": {kOp, "‰"}, "textperthousand": {kOp, "‰"},
	"percent": {kOp, "%"}, "textpercent": {kOp, "%"}, "cdotp": {kOp, "*"}, "centerdot": {kOp, "*"}, "textdegree": {kOp, "deg"}, "longrightarrow": {kOp, "to"},
	"vartriangle": {kSymbol, "triangle"}, "imath": {kSymbol, "i"},
	"uppi": {kSymbol, "pi"}, "root": {kCmd, "root"}, "of": {kOp, "of"}, "deg": {kFunc, "degree"}, "dim": {kFunc, "dim"}, "Pr": {kFunc, "Pr"}, "sup": {kFunc, "sup"},
	"forall": {kOp, "forall"}, "equiv": {kOp, "equiv"}, "pmod": {kOp, "pmod"}, "jmath": {kSymbol, "j"}, "top": {kSymbol, "T"}, "intercal": {kSymbol, "T"}, "sphericalangle": {kSymbol, "angle"},
	"nicefrac": {kCmd, "frac"}, "sfrac": {kCmd, "frac"}, "flatfrac": {kCmd, "frac"}, "surd": {kCmd, "sqrt"},
	"underbrace": {kCmd, "brace"}, "overbrace": {kCmd, "brace"}, "underbracket": {kCmd, "brace"}, "overbracket": {kCmd, "brace"},
}

// greek lists the letters with a command of the same name.
const greek = " alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega" +
	" Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega odot star perp parallel nabla partial "

// accents lists the commands that turn their argument into another variable.
const accents = " overline bar hat vec tilde overrightarrow widehat widetilde dot ddot overarc wideparen overparen "

// worded lists the commands with text as their argument.
const worded = " text textbf textit textrm textnormal textsf texttt mbox hbox mathrm mathsf mathtt operatorname textup emph "

func listed(list, name string) bool { return strings.Contains(list, " "+name+" ") }

// command reads a LaTeX command.
func (l *lexer) command() error {
	rest := l.text[l.at+1:]
	n := 0
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	if n == 0 {
		return l.escaped(rest)
	}
	name := rest[:n]
	l.at += 1 + n
	if name == "operatorname" && strings.HasPrefix(rest[n:], "*") {
		l.at++
	}
	switch {
	case listed(worded, name):
		return l.wording(name)
	case name == "mathbb" || name == "Bbb" || name == "mathds":
		l.letterSet()
	case name == "begin" || name == "end":
		return l.environment(name)
	case name == "left" || name == "right":
		l.side(name)
	default:
		return look{l}.special(name)
	}
	return nil
}

// simple adds the token of a command without an argument of its own.
func (l *lexer) simple(name string) error {
	if isEndMark(name) && len(l.tokens) > 0 && strings.Trim(l.text[l.at:], " .$})]") == "" {
		l.spaced = true
		return nil
	}
	if m, ok := commands[name]; ok {
		l.bracket(m.text)
		l.add(m.kind, m.text)
		return nil
	}
	if f, ok := functions[name]; ok {
		l.add(kFunc, f)
		return nil
	}
	if m, ok := markups[name]; ok {
		return look{l}.dress(m)
	}
	switch {
	case listed(greek, name):
		l.add(kSymbol, name)
	case listed(ignored, name):
		l.spaced = true
	case listed(accents, name):
		l.add(kCmd, name)
	case !listed(wrapped, name):
		return fmt.Errorf(`the command \%.20s is not known`, name)
	}
	return nil
}

// escaped reads a command of one character other than a letter.
func (l *lexer) escaped(rest string) error {
	if rest == "" {
		l.at++
		return nil
	}
	l.at += 2
	switch c := rest[0]; c {
	case '{', '}':
		op := map[byte]string{'{': "set{", '}': "set}"}[c]
		l.bracket(op)
		l.add(kOp, op)
	case '\\':
		if (look{l}).escapedTwice() {
			return l.command()
		}
		look{l}.lineBreak()
		l.add(kOp, `\\`)
	case '%':
		l.add(kOp, "%")
	case '|':
		l.add(kOp, "|")
	case ',', ';', ':', '!', ' ', '>', '\n', '$', '/', '#':
		l.spaced = true
	default:
		if strings.IndexByte("()[]", c) < 0 { // these delimit a formula
			return fmt.Errorf(`the command \%c is not known`, c)
		}
	}
	return nil
}

// side reads the delimiter after \left or \right if it matters.
func (l *lexer) side(name string) {
	rest := l.text[l.at:]
	switch {
	case strings.HasPrefix(rest, "|"), strings.HasPrefix(rest, `\|`), strings.HasPrefix(rest, `\vert`):
		l.at += strings.IndexByte(rest, '|') + 1
		if strings.HasPrefix(rest, `\vert`) {
			l.at += len(`\vert`)
		}
		l.add(kOp, map[string]string{"left": "|(", "right": ")|"}[name])
	case strings.HasPrefix(rest, "."):
		l.at++
	}
}

// argument reads an argument in braces; "" if there is none.
func (l *lexer) argument() (string, error) {
	for l.at < len(l.text) && l.text[l.at] == ' ' {
		l.at++
	}
	if l.at == len(l.text) || l.text[l.at] != '{' {
		return "", nil
	}
	end := Closing(l.text, l.at)
	if end < 0 {
		return "", errors.New("a brace is not closed")
	}
	arg := l.text[l.at+1 : end]
	l.at = end + 1
	return arg, nil
}

// Closing returns the index of the brace that closes the one at open, or -1. It skips
// braces after a backslash.
func Closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// wording reads the argument of \text and the like: a letter, a number, a function, a
// connective, or words.
func (l *lexer) wording(name string) error {
	arg, err := l.argument()
	if err != nil {
		return err
	}
	trimmed := strings.Trim(strings.TrimSpace(arg), `~ $`)
	switch low := strings.ToLower(trimmed); {
	case trimmed == "" || trimmed == `\` || trimmed == "." || trimmed == ",":
		l.spaced = true
	case name == "operatorname" && functions[low] != "", listed(unambiguous, low):
		l.add(kFunc, functions[low])
	case name != "text" && operators[low] != "":
		l.add(kFunc, operators[low])
	case low == "to" && l.ratio():
		l.add(kOp, ":")
	case len(trimmed) == 1 && isLetter(trimmed[0]):
		l.add(kSymbol, trimmed)
	case plain[low].text != "" && (name != "text" || plain[low].kind == kOp || low == "infinity"):
		l.add(plain[low].kind, plain[low].text)
	case functions[low] != "" && name == "mathrm":
		l.add(kFunc, functions[low])
	case strings.Trim(trimmed, "0123456789.,-/()+% ") == "", trimmed == `\%`, trimmed == `\permil`:
		return l.inner(trimmed)
	default:
		l.add(kText, trimmed)
	}
	return nil
}

// inner adds the tokens of numbers in \text.
func (l *lexer) inner(text string) error {
	tokens, err := lex(text)
	if err != nil {
		return err
	}
	l.tokens = append(l.tokens, tokens[:len(tokens)-1]...)
	return nil
}

// letterSet reads \mathbb{R} or \mathbb R.
func (l *lexer) letterSet() {
	rest := strings.TrimLeft(l.text[l.at:], " {")
	if rest == "" || !isLetter(rest[0]) {
		return
	}
	l.at = len(l.text) - len(rest) + 1
	if strings.HasPrefix(rest[1:], "}") {
		l.at++
	}
	if rest[0] == 'I' { // the unit matrix
		l.add(kSymbol, "I")
		return
	}
	l.add(kSymbol, "set "+rest[:1])
}

// environment reads \begin{name} or \end{name}.
func (l *lexer) environment(which string) error {
	name, err := l.argument()
	if err != nil {
		return err
	}
	name = strings.TrimSuffix(name, "*")
	if which == "end" {
		l.depth--
		l.add(kFinish, name)
		return nil
	}
	l.depth++
	if name == "array" || name == "tabular" {
		if _, err := l.argument(); err != nil { // the alignment of the columns
			return err
		}
	}
	l.add(kBegin, name)
	return nil
}
