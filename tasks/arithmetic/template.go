package arithmetic

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A template is a story with gaps. The head of templates.txt describes its syntax.
type template struct {
	name       string
	vars       []variable // in the order of drawing
	byName     []int      // their indexes, in order of names
	facts      []fact
	question   text
	steps      []step // the last one gives the answer
	operations int    // in all steps
}

// A variable is a random number or noun of a story.
type variable struct {
	name  string // begins with a dollar sign if it is money in cents
	spans []span // by the size of numbers; the last serves all larger sizes
	nouns []noun // if not empty, one of them is drawn
}

// A span is the possible numbers of a variable: lo, lo + by, … up to hi. Without hi, the
// variable is lo.
type span struct {
	lo, hi expression
	by     int64
}

// A noun is the singular and the plural of a thing.
type noun struct{ one, many string }

// A fact is a sentence of a story. A distracting one may be left out.
type fact struct {
	text
	distracts bool
}

// A step of the worked solution defines a named number.
type step struct {
	name string
	expression
	written text // the expression, with numbers in place of names
	label   text
}

//go:embed templates.txt
var templatesText string

// templates returns all templates in the order of the file.
var templates = sync.OnceValues(func() ([]template, error) { return readTemplates(templatesText) })

// readTemplates reads a text in the form of templates.txt.
func readTemplates(all string) (list []template, err error) {
	number, r := 0, templateReader{}
	for line := range strings.Lines(all) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		switch name, begins := strings.CutPrefix(line, "== "); {
		case begins:
			list = append(list, template{name: name})
			r.template, r.names = &list[len(list)-1], nil
		case r.template == nil:
			r.fail("want == and a name first")
		default:
			r.add(line)
		}
		if r.err != nil {
			return nil, fmt.Errorf("templates.txt:%d: %w", number, r.err)
		}
	}
	return list, nil
}

// A templateReader reads the lines of a template.
type templateReader struct {
	*template
	scope
}

// add reads a line of a template.
func (r *templateReader) add(line string) {
	switch c := line[0]; {
	case c == '?':
		r.question = r.text(strings.TrimSpace(line[1:]))
	case c == '~':
		r.facts = append(r.facts, fact{r.text(strings.TrimSpace(line[1:])), true})
	case c == '=':
		r.addStep(line)
	case c == '$' || c >= 'a' && c <= 'z':
		r.addVariable(line)
	default:
		r.facts = append(r.facts, fact{text: r.text(line)})
	}
}

// addStep reads = name: expression; label.
func (r *templateReader) addStep(line string) {
	name, rest, named := strings.Cut(line[1:], ":")
	expression, label, labelled := strings.Cut(rest, ";")
	if !named || !labelled {
		r.fail("%q: want = name: expression; label", line)
	}
	name, expression = strings.TrimSpace(name), strings.TrimSpace(expression)
	r.steps = append(r.steps, step{name, r.expression(expression), r.written(expression), r.text(strings.TrimSpace(label))})
	r.names = append(r.names, name)
	r.operations += len(expression) - len(strings.NewReplacer("+", "", "-", "", "*", "", "/", "").Replace(expression))
}

// addVariable reads name: span | span | …, or name = one/many, one/many, ….
func (r *templateReader) addVariable(line string) {
	end := strings.IndexAny(line, " :")
	if end < 0 {
		r.fail("%q: want a name, and : or =", line)
		return
	}
	v := variable{name: line[:end]}
	if list, ok := strings.CutPrefix(line[end:], " = "); ok {
		for one := range strings.SplitSeq(list, ",") {
			v.nouns = append(v.nouns, readNoun(strings.TrimSpace(one)))
		}
	} else {
		for one := range strings.SplitSeq(line[end+1:], "|") {
			v.spans = append(v.spans, r.span(one))
		}
	}
	at, _ := slices.BinarySearchFunc(r.byName, v.name, func(i int, name string) int { return strings.Compare(r.vars[i].name, name) })
	r.byName = slices.Insert(r.byName, at, len(r.vars))
	r.vars = append(r.vars, v)
	r.names = append(r.names, v.name)
}

// span reads lo, lo..hi or lo..hi by number.
func (s *scope) span(source string) (of span) {
	bounds, by, stepped := strings.Cut(source, " by ")
	if of.by = 1; stepped {
		n, err := strconv.ParseInt(strings.TrimSpace(by), 10, 64)
		if err != nil || n < 1 {
			s.fail("%q: %q is no step", source, by)
		}
		of.by = n
	}
	lo, hi, ranges := strings.Cut(bounds, "..")
	if of.lo = s.expression(strings.TrimSpace(lo)); ranges {
		of.hi = s.expression(strings.TrimSpace(hi))
	}
	return of
}

// readNoun reads one/many. Without a slash the two are the same.
func readNoun(text string) noun {
	one, many, two := strings.Cut(text, "/")
	if !two {
		many = one
	}
	return noun{one, many}
}
