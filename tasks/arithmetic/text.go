package arithmetic

import "strings"

// A text is words with gaps, for a teller to fill.
type text struct {
	source string
	pieces []piece
}

// A piece of a text is words, and an optional gap after them.
type piece struct {
	words string
	gap   gap
}

// A gap appends its content to b.
type gap func(t *teller, b []byte) []byte

// text reads words with gaps in braces.
func (s *scope) text(source string) text {
	read := text{source: source}
	for rest := source; rest != ""; {
		words, after, found := strings.Cut(rest, "{")
		p := piece{words: words}
		if rest = after; found {
			inside, after, closed := strings.Cut(rest, "}")
			if !closed || inside == "" {
				s.fail("a gap is empty or not closed: %s", source)
				break
			}
			p.gap, rest = s.gap(inside), after
		}
		read.pieces = append(read.pieces, p)
	}
	return read
}

// written reads an expression as a text, with a gap for each name.
func (s *scope) written(expression string) text {
	read := text{source: expression}
	for rest := expression; rest != ""; {
		begin := strings.IndexFunc(rest, func(c rune) bool { return nameEnd(string(c)) > 0 })
		if begin < 0 {
			begin = len(rest)
		}
		p := piece{words: rest[:begin]}
		if rest = rest[begin:]; rest != "" {
			end := nameEnd(rest)
			name, at := rest[:end], s.find(rest[:end])
			p.gap = func(t *teller, b []byte) []byte { return appendAmount(b, name, t.values[at].number) }
			rest = rest[end:]
		}
		read.pieces = append(read.pieces, p)
	}
	return read
}

// gap reads the inside of a gap.
func (s *scope) gap(inside string) gap {
	head, tail, _ := strings.Cut(inside, " ")
	over, under, isPart := strings.Cut(head, "/")
	lo, hi, drawn := strings.Cut(head, "..")
	switch {
	case head == "one":
		at := s.find(tail)
		return func(t *teller, b []byte) []byte { return append(b, t.values[at].noun.one...) }
	case head == "an":
		at := s.find(tail)
		return func(t *teller, b []byte) []byte { return append(b, withArticle(t.values[at].noun.one)...) }
	case head[0] >= 'A' && head[0] <= 'Z':
		return s.person(int(head[0]-'A'), tail)
	case isPart:
		k, of := s.expression(over), s.expression(under)
		return func(t *teller, b []byte) []byte { return append(b, t.part(&k, &of)...) }
	case drawn:
		of, counted := span{s.expression(lo), s.expression(hi), 1}, s.counted(head, tail)
		return func(t *teller, b []byte) []byte { return counted(t, b, t.within(&of)) }
	}
	at, counted := s.find(head), s.counted(head, tail)
	return func(t *teller, b []byte) []byte {
		if v := t.values[at]; v.noun == nil {
			return counted(t, b, v.number)
		}
		return append(b, t.values[at].noun.many...)
	}
}

// pronouns maps masculine pronouns to feminine ones.
var pronouns = map[string]string{"he": "she", "He": "She", "His": "Her", "him": "her", "his": "her"}

// person reads the gap for the name of a person, or for a pronoun.
func (s *scope) person(who int, pronoun string) gap {
	hers, known := pronouns[pronoun]
	switch {
	case who >= perStory:
		s.fail("there is no person %c", 'A'+who)
	case pronoun == "":
		return func(t *teller, b []byte) []byte { return append(b, t.people[who].name...) }
	case !known:
		s.fail("%q is no pronoun", pronoun)
	}
	return func(t *teller, b []byte) []byte {
		if t.people[who].female {
			return append(b, hers...)
		}
		return append(b, pronoun...)
	}
}

// counted reads the words after a number: nothing, times, one/many, or the name of a noun.
// name is the variable of the number, or "".
func (s *scope) counted(name, what string) func(t *teller, b []byte, n int64) []byte {
	if what == "" {
		return func(_ *teller, b []byte, n int64) []byte { return appendGrouped(b, name, n) }
	}
	things, at := readNoun(what), -1
	if things.one == things.many && what != "times" {
		at = s.find(what)
	}
	return func(t *teller, b []byte, n int64) []byte {
		if what == "times" && n == 2 {
			return append(b, "twice"...)
		}
		b = append(appendGrouped(b, name, n), ' ')
		of := &things
		if at >= 0 {
			of = t.values[at].noun
		}
		if n == 1 {
			return append(b, of.one...)
		}
		return append(b, of.many...)
	}
}
