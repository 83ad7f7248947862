package tokenizer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// maxPattern is the greatest length of a regular expression, in bytes.
const maxPattern = 4096

// parsePattern parses a regular expression in Oniguruma's syntax. It rejects any that it would
// not match exactly like Oniguruma, and any that may match the empty text.
func parsePattern(text string) (*pattern, error) {
	if len(text) > maxPattern || !utf8.ValidString(text) {
		return nil, fmt.Errorf("a pattern of %d bytes: want at most %d, of valid UTF-8", len(text), maxPattern)
	}
	s := &syntax{text: text, pattern: &pattern{text: text}, sets: map[string]runeSet{}}
	whole, err := s.alternatives(0)
	if err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.errorf("an unmatched )")
	}
	s.pattern.start = s.link(whole, nil)
	s.pattern.finish()
	if slices.ContainsFunc(s.pattern.start.branches, func(b *node) bool { return s.pattern.about(b).empty }) {
		return nil, fmt.Errorf("pattern %q: a match of the empty text is not supported", text)
	}
	return s.pattern, nil
}

// A syntax parses a regular expression.
type syntax struct {
	text    string
	at      int
	fold    bool // in a group that ignores case
	pattern *pattern
	sets    map[string]runeSet // of categories and the like, since they are large
}

// set returns the named set and builds it only once.
func (s *syntax) set(name string, fresh func() runeSet) runeSet {
	set, made := s.sets[name]
	if !made {
		set = fresh()
		s.sets[name] = set
	}
	return set
}

// An alternation is parsed but not yet linked.
type alternation [][]part

// A part is one element of a sequence: a group, or a node by itself.
type part struct {
	group    alternation
	optional bool // of the group
	node     node
}

// errorf returns an error at the current position.
func (s *syntax) errorf(format string, args ...any) error {
	return fmt.Errorf("pattern %q: at byte %d: %s is not supported", s.text, s.at, fmt.Sprintf(format, args...))
}

// accept skips a literal text if it comes next.
func (s *syntax) accept(literal string) bool {
	if strings.HasPrefix(s.text[s.at:], literal) {
		s.at += len(literal)
		return true
	}
	return false
}

// maxPatternDepth is how deep groups and classes may nest.
const maxPatternDepth = 16

// alternatives reads up to an unmatched parenthesis, or to the end.
func (s *syntax) alternatives(depth int) (alternation, error) {
	if depth > maxPatternDepth {
		return nil, s.errorf("nesting of more than %d groups", maxPatternDepth)
	}
	all := alternation{nil}
	for s.at < len(s.text) && s.text[s.at] != ')' {
		if s.accept("|") {
			all = append(all, nil)
			continue
		}
		one, err := s.part(depth)
		if err != nil {
			return nil, err
		}
		all[len(all)-1] = append(all[len(all)-1], one)
	}
	return all, nil
}

// part reads a part and its repeat.
func (s *syntax) part(depth int) (one part, err error) {
	begin := s.at
	if s.text[s.at] == '(' {
		one, err = s.group(depth)
	} else {
		one.node, err = s.single()
	}
	if err != nil {
		return part{}, err
	}
	least, most, err := s.repeat()
	if err != nil {
		return part{}, err
	}
	switch {
	case least == 1 && most == 1:
		return one, nil
	case one.group != nil && least == 0 && most == 1:
		one.optional = true
	case one.group != nil || one.node.look:
		s.at = begin
		return part{}, s.errorf("a repeated group")
	default:
		one.node.least, one.node.most = least, most
	}
	return one, nil
}

// group reads a group or a look ahead.
func (s *syntax) group(depth int) (one part, err error) {
	switch {
	case s.accept("(?!"), s.accept("(?="):
		not := s.text[s.at-1] == '!'
		if s.at == len(s.text) {
			return part{}, s.errorf("a group without an end")
		}
		if one.node, err = s.single(); err != nil {
			return part{}, err
		}
		one.node.look, one.node.not = true, not
	case s.accept("(?i:"):
		before := s.fold
		s.fold = true
		one.group, err = s.alternatives(depth + 1)
		s.fold = before
	case s.accept("(?:"):
		one.group, err = s.alternatives(depth + 1)
	case strings.HasPrefix(s.text[s.at:], "(?"):
		return part{}, s.errorf("%.4q", s.text[s.at:])
	default:
		s.at++
		one.group, err = s.alternatives(depth + 1)
	}
	if err != nil {
		return part{}, err
	}
	if !s.accept(")") {
		return part{}, s.errorf("a longer look ahead, or a group without an end,")
	}
	return one, nil
}

// repeat reads how often a part repeats.
func (s *syntax) repeat() (least, most int, err error) {
	least, most = 1, 1
	switch {
	case s.accept("*"):
		least, most = 0, endless
	case s.accept("+"):
		most = endless
	case s.accept("?"):
		least = 0
	case s.accept("{"):
		if least, most, err = s.counts(); err != nil {
			return 0, 0, err
		}
	default:
		return 1, 1, nil
	}
	if s.at < len(s.text) && strings.IndexByte("*+?{", s.text[s.at]) >= 0 {
		return 0, 0, s.errorf("a lazy, possessive or double repeat")
	}
	return least, most, nil
}

// counts reads {n}, {n,}, {,m} or {n,m} after the brace.
func (s *syntax) counts() (least, most int, err error) {
	inner, _, closed := strings.Cut(s.text[s.at:], "}")
	low, high, two := strings.Cut(inner, ",")
	if !two {
		high = low
	}
	least, most = count(low, 0), count(high, endless)
	if !closed || low+high == "" || least < 0 || least > 1000 || most < max(least, 1) {
		return 0, 0, s.errorf("the repeat {%.10s", inner)
	}
	s.at += len(inner) + 1
	return least, most, nil
}

// count returns the number in a text, or missing for an empty text; -1: invalid.
func count(text string, missing int) int {
	if text == "" {
		return missing
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// single reads one character or class, as a node that matches one character.
func (s *syntax) single() (node, error) {
	var set runeSet
	var err error
	c := s.text[s.at]
	switch {
	case c == '[':
		set, err = s.class(0)
	case c == '\\':
		set, err = s.escape()
	case c == '.':
		s.at++
		set = runeSet{'\n', '\n'}.Not()
	case strings.IndexByte("^$*+?{)", c) >= 0:
		err = s.errorf("%q", c)
	default:
		r, width := utf8.DecodeRuneInString(s.text[s.at:])
		set, err = s.literal(r, width)
	}
	if err != nil {
		return node{}, err
	}
	if c == '[' && s.fold {
		return node{}, s.errorf("a class in a group that ignores case")
	}
	bit := s.pattern.bit(set)
	if bit == 0 {
		return node{}, s.errorf("a pattern with more than %d classes", maxSets)
	}
	return node{bit: bit, least: 1, most: 1}, nil
}

// literal reads a character. In a group that ignores case it accepts ASCII only, and no
// pair of letters that Oniguruma also finds within a ligature.
func (s *syntax) literal(r rune, width int) (runeSet, error) {
	if !s.fold {
		s.at += width
		return runeSet{r, r}, nil
	}
	if r >= utf8.RuneSelf {
		return nil, s.errorf("%q in a group that ignores case", r)
	}
	rest := strings.ToLower(s.text[s.at:])
	for _, pair := range []string{"ss", "ff", "fi", "fl", "st"} {
		if strings.HasPrefix(rest, pair) {
			return nil, s.errorf("%q in a group that ignores case", pair)
		}
	}
	s.at += width
	set := runeSet{r, r}
	for other := unicode15.SimpleFold(r); other != r; other = unicode15.SimpleFold(other) {
		set = append(set, other, other)
	}
	return set.sorted(), nil
}

// escape reads a backslash sequence.
func (s *syntax) escape() (runeSet, error) {
	if s.at+1 == len(s.text) {
		return nil, s.errorf("a backslash at the end")
	}
	c := s.text[s.at+1]
	if set := s.set(s.text[s.at:s.at+2], func() runeSet { return classEscape(c) }); set != nil {
		s.at += 2
		return set, nil
	}
	switch c {
	case 'p', 'P':
		return s.property()
	case 'x', 'u':
		return s.codePoint()
	}
	if i := strings.IndexByte("rntfvae", c); i >= 0 {
		s.at += 2
		r := rune("\r\n\t\f\v\a\x1b"[i])
		return runeSet{r, r}, nil
	}
	if c < utf8.RuneSelf && !unicode15.IsLetter(rune(c)) && !unicode15.IsDigit(rune(c)) {
		s.at++
		return s.literal(rune(c), 1)
	}
	return nil, s.errorf("%.2q", s.text[s.at:])
}

// classEscape returns the set of \s and the like; nil for others.
func classEscape(c byte) runeSet {
	switch c {
	case 's':
		return spaces()
	case 'S':
		return spaces().Not()
	case 'd':
		return mustCategory("Nd")
	case 'D':
		return mustCategory("Nd").Not()
	case 'w':
		return onigWordRunes()
	case 'W':
		return onigWordRunes().Not()
	}
	return nil
}

// property reads \p{L} and the like.
func (s *syntax) property() (runeSet, error) {
	name, _, closed := strings.Cut(s.text[s.at+2:], "}")
	name, opened := strings.CutPrefix(name, "{")
	not := s.text[s.at+1] == 'P'
	if inner, caret := strings.CutPrefix(name, "^"); caret {
		name, not = inner, !not
	}
	set := s.set(fmt.Sprint(name, not), func() runeSet {
		set, known := categoryRunes(name)
		if known && not {
			set = set.Not()
		}
		return set
	})
	if set == nil || !opened || !closed {
		return nil, s.errorf("the property %.16q", s.text[s.at:])
	}
	s.at += strings.IndexByte(s.text[s.at:], '}') + 1
	return set, nil
}

// codePoint reads \x2f, \x{2f} or \u002f.
func (s *syntax) codePoint() (runeSet, error) {
	rest := s.text[s.at+2:]
	digits, length := "", 0
	switch {
	case strings.HasPrefix(rest, "{") && s.text[s.at+1] == 'x':
		inner, _, _ := strings.Cut(rest[1:], "}")
		digits, length = inner, len(inner)+2
	case s.text[s.at+1] == 'x' && len(rest) >= 2:
		digits, length = rest[:2], 2
	case s.text[s.at+1] == 'u' && len(rest) >= 4:
		digits, length = rest[:4], 4
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || length > len(rest) || n > utf8.MaxRune || length == 2 && n >= utf8.RuneSelf {
		return nil, s.errorf("%.8q", s.text[s.at:])
	}
	if s.fold {
		return nil, s.errorf("%.8q in a group that ignores case", s.text[s.at:])
	}
	s.at += 2 + length
	return runeSet{rune(n), rune(n)}, nil
}

// class reads a class in brackets: characters, ranges, escapes and classes; && intersects
// the parts beside it.
func (s *syntax) class(depth int) (runeSet, error) {
	if depth > maxPatternDepth {
		return nil, s.errorf("nesting of more than %d classes", maxPatternDepth)
	}
	s.at++
	not := s.accept("^")
	all := runeSet{0, utf8.MaxRune}
	set := runeSet{}
	for first := true; ; first = false {
		switch {
		case s.at == len(s.text):
			return nil, s.errorf("a class without an end")
		case s.text[s.at] == ']' && first:
			return nil, s.errorf("a ] at the start of a class")
		case s.accept("]"):
			if set = set.sorted().And(all); not {
				set = set.Not()
			}
			return set, nil
		case s.accept("&&"):
			all, set = all.And(set.sorted()), runeSet{}
			continue
		}
		item, err := s.classItem(depth)
		if err != nil {
			return nil, err
		}
		set = append(set, item...)
	}
}

// classItem reads one item of a class.
func (s *syntax) classItem(depth int) (runeSet, error) {
	if strings.HasPrefix(s.text[s.at:], "[:") {
		return nil, s.errorf("a class such as [:alpha:]")
	}
	if s.text[s.at] == '[' {
		return s.class(depth + 1)
	}
	low, err := s.classChar()
	if err != nil || len(low) != 2 || low[0] != low[1] {
		return low, err
	}
	rest := s.text[s.at:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		return low, nil
	}
	s.at++
	if rest[1] == '[' || strings.HasPrefix(rest[1:], "&&") {
		return nil, s.errorf("this range")
	}
	high, err := s.classChar()
	if err != nil {
		return nil, err
	}
	if len(high) != 2 || high[0] != high[1] || high[0] < low[0] {
		return nil, s.errorf("this range")
	}
	return runeSet{low[0], high[0]}, nil
}

// classChar reads a character or an escape in a class.
func (s *syntax) classChar() (runeSet, error) {
	if s.text[s.at] == '\\' {
		return s.escape()
	}
	r, width := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += width
	return runeSet{r, r}, nil
}

// link turns an alternation into nodes followed by next.
func (s *syntax) link(all alternation, next *node) *node {
	if len(all) == 1 {
		return s.chain(all[0], next)
	}
	n := &node{next: next}
	for _, sequence := range all {
		n.branches = append(n.branches, s.chain(sequence, next))
	}
	return n
}

// chain turns a sequence into nodes followed by next.
func (s *syntax) chain(sequence []part, next *node) *node {
	for _, one := range slices.Backward(sequence) {
		switch {
		case one.group == nil:
			n := one.node
			n.next = next
			next = &n
		case one.optional:
			next = &node{next: next, branches: []*node{s.link(one.group, next), next}}
		default:
			next = s.link(one.group, next)
		}
	}
	return next
}
