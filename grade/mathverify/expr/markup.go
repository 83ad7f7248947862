package expr

import (
	"errors"
	"strings"
)

// A markup is how a command that changes only the look treats its arguments.
type markup struct {
	skip int  // arguments in braces that say nothing: a colour, a length
	keep bool // the next argument stands for the command
}

// markups lists these commands. An argument in square brackets, before the others, never counts.
var markups = map[string]markup{
	"hspace": {1, false}, "vspace": {1, false}, "phantom": {1, false}, "hphantom": {1, false}, "vphantom": {1, false},
	"color": {1, false}, "leftroot": {1, false}, "uproot": {1, false}, "tag": {1, false}, "label": {1, false}, "rule": {2, false}, "pagecolor": {1, false}, "require": {1, false}, "definecolor": {3, false},
	"textcolor": {1, true}, "colorbox": {1, true}, "fcolorbox": {2, true}, "bbox": {0, true}, "smash": {0, true}, "style": {1, true}, "class": {1, true},
	"cssId": {1, true}, "raisebox": {1, true}, "scalebox": {1, true}, "resizebox": {2, true}, "makebox": {0, true}, "framebox": {0, true}, "href": {1, true},
	"overset": {1, true}, "underset": {1, true}, "stackrel": {1, true}, "mathop": {0, true}, "mathrel": {0, true}, "mathbin": {0, true}, "mathord": {0, true},
	"mathopen": {0, true}, "mathclose": {0, true}, "mathpunct": {0, true}, "mathinner": {0, true}, "num": {0, true}, "htmlClass": {1, true}, "enclose": {1, true},
}

// ignored lists the commands without arguments that change only the look.
const ignored = " left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm biggm Biggm middle" +
	" displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits" +
	" quad qquad medspace thickspace thinspace enspace negthinspace negmedspace negthickspace nobreak allowbreak nobreakspace space hfill hfil hss" +
	" rm bf it cal sf tt em sl sc bm boldsymbol pmb mathstrut strut" +
	" tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bfseries itshape rmfamily sffamily ttfamily normalfont mdseries upshape" +
	" nonumber notag noindent centering par hline hdashline relax protect null "

// wrapped lists the commands that stand for their argument, as mathematics.
const wrapped = " boxed fbox mathbf mathit mathnormal mathscr mathfrak mathpzc underline mathcal ensuremath bold "

// isEndMark reports whether a command is a sign that ends a proof.
func isEndMark(name string) bool {
	switch name {
	case "square", "blacksquare", "Box", "qed", "checkmark":
		return true
	}
	return false
}

// A look reads commands that change only the look, and those with a form of their own.
type look struct{ *lexer }

// dress reads a command that changes only the look, with its arguments.
func (l look) dress(m markup) error {
	l.bracketed()
	for range m.skip {
		if _, err := l.argument(); err != nil {
			return err
		}
		l.bracketed()
	}
	if m.keep {
		return l.operator()
	}
	l.spaced = true
	return nil
}

// special reads a command with a form of its own.
func (l look) special(name string) error {
	switch name {
	case "pmatrix", "matrix", "bmatrix", "vmatrix", "cases":
		return l.plainTable(name)
	case "SI", "qty", "si", "unit":
		return l.quantity(name)
	case "kern", "mkern", "hskip", "mskip":
		l.dimension()
	case "not":
		return l.negated()
	case "mathbf", "boldsymbol", "bm", "bold", "pmb":
		if !l.bold() {
			return l.simple(name)
		}
	default:
		return l.simple(name)
	}
	return nil
}

// maxBracketed bounds an argument in square brackets.
const maxBracketed = 100

// bracketed skips an argument in square brackets if one follows at once.
func (l look) bracketed() {
	rest := l.text[l.at:]
	rest = strings.TrimPrefix(rest, "*")
	if !strings.HasPrefix(rest, "[") {
		return
	}
	if n := strings.IndexByte(rest[:min(len(rest), maxBracketed)], ']'); n > 0 {
		l.at = len(l.text) - len(rest) + n + 1
	}
}

// maxOperator bounds an operation in braces.
const maxOperator = 20

// operator reads an argument in braces without the braces if it is an operation, as in
// \mathbin{:}. It leaves any other argument.
func (l look) operator() error {
	rest := l.text[l.at:]
	inner, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "{")
	n := strings.IndexByte(inner[:min(len(inner), maxOperator)], '}')
	if !ok || n < 0 || strings.Trim(inner[:n], " =<>:+-*/\\") != "" {
		return nil
	}
	if err := l.inner(inner[:n]); err != nil {
		return err
	}
	l.at = len(l.text) - len(inner) + n + 1
	return nil
}

// dimension skips the length after \kern and the like.
func (l look) dimension() {
	rest := strings.TrimLeft(l.text[l.at:], " ")
	n := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if n < 0 || len(rest) < n+2 || !isLetter(rest[n]) || !isLetter(rest[n+1]) {
		return
	}
	l.at = len(l.text) - len(rest) + n + 2
	l.spaced = true
}

// lineBreak reads what may follow \\: a star and the space between the lines.
func (l look) lineBreak() {
	l.at += len(l.text[l.at:]) - len(strings.TrimPrefix(l.text[l.at:], "*"))
	rest := l.text[l.at:]
	if !strings.HasPrefix(rest, "[") {
		return
	}
	n := strings.IndexByte(rest[:min(len(rest), maxOperator)], ']')
	if n > 0 && strings.TrimLeft(rest[1:n], "+-.0123456789 ") != "" && listed(lengths, strings.TrimLeft(rest[1:n], "+-.0123456789 ")) {
		l.at += n + 1
	}
}

// lengths lists the units of lengths in LaTeX.
const lengths = " pt em ex mm cm in mu pc bp "

// negated reads the relation after \not.
func (l look) negated() error {
	rest := strings.TrimLeft(l.text[l.at:], " ")
	for _, pair := range [][2]string{{"=", "!="}, {`\in`, "notin"}, {"<", ">="}, {">", "<="}} {
		if after, ok := strings.CutPrefix(rest, pair[0]); ok {
			l.at = len(l.text) - len(after)
			l.add(kOp, pair[1])
			return nil
		}
	}
	return errors.New(`the command \not is not known before this`)
}

// quantity reads \SI{12}{m/s}: the number counts, the unit does not.
func (l look) quantity(name string) error {
	l.bracketed()
	if name == "SI" || name == "qty" {
		number, err := l.argument()
		if err != nil {
			return err
		}
		if strings.Trim(number, "0123456789.,-+e ") != "" || number == "" {
			return errors.New("a quantity has no number")
		}
		if err := l.inner(number); err != nil {
			return err
		}
	}
	if _, err := l.argument(); err != nil {
		return err
	}
	l.add(kText, "unit")
	return nil
}

// plainTable reads a matrix in the form of plain TeX, \pmatrix{1&2\cr3&4}.
func (l look) plainTable(name string) error {
	rest := strings.TrimLeft(l.text[l.at:], " ")
	if !strings.HasPrefix(rest, "{") {
		return errors.New(`the command \` + name + " has no argument")
	}
	l.at = len(l.text) - len(rest) + 1
	l.depth++
	l.braces++
	l.tables = append(l.tables, table{name, l.braces})
	l.add(kBegin, name)
	return nil
}

// A table is an open matrix in the form of plain TeX.
type table struct {
	name   string
	braces int // the open braces within it
}

// brace counts the open braces. A brace that closes a table becomes its end.
func (l *lexer) brace(op string) (end bool) {
	if op == "{" {
		l.braces++
		return false
	}
	l.braces--
	if n := len(l.tables) - 1; n >= 0 && l.tables[n].braces > l.braces {
		l.depth--
		l.add(kFinish, l.tables[n].name)
		l.tables = l.tables[:n]
		return true
	}
	return false
}

// escapedTwice reports whether a command follows a backslash that is itself escaped, as in
// \\\\frac, and reads the command.
func (l look) escapedTwice() bool {
	rest := l.text[l.at:]
	n := 0
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	name := rest[:n]
	_, isMarkup := markups[name]
	if n < 2 || !isMarkup && commands[name].text == "" && functions[name] == "" && !listed(known, name) && !listed(greek, name) {
		return false
	}
	l.at--
	return true
}

// known lists further commands that may follow an escaped backslash.
const known = worded + wrapped + accents + ignored + " mathbb begin end left right "

// bold reads \mathbf i as a unit vector, if that is all.
func (l look) bold() bool {
	rest := strings.TrimLeft(l.text[l.at:], " ")
	inner, braced := strings.CutPrefix(rest, "{")
	after, ok := strings.CutPrefix(strings.TrimLeft(inner, " "), "i")
	if braced {
		end, closes := strings.CutPrefix(strings.TrimLeft(after, " "), "}")
		ok, after = ok && closes, end
	}
	if !ok || !braced && after != "" && isLetter(after[0]) {
		return false
	}
	l.at = len(l.text) - len(after)
	l.add(kSymbol, boldI)
	return true
}
