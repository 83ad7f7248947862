package task

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check reports the first field of v that is out of its bounds, else what v's own method Check
// says. v is a struct, or a pointer to one: the settings of a task or a record. A field, also one of
// a struct within, or of every struct in a list, has its bounds in tags:
//
//	want:"2 to 100"            a number, or the length of a text, a list or a map
//	each:"0 or more"           every number in a list, and in lists within
//	oneof:"plain latex"        a text, or every text in a list; "plain latex, each once" in a list
//	chars:"A-Z"                every byte of a text, or of every text in a list
//
//	want:"the answer"          a record's answer, if it has one: what its Solve returns
//
// A want is "2 to 9", "2 or more", "at least 2", "more than 2", "at most 9", "less than 9" or "2", or
// several of them with "and" between. A limit may also be the JSON name of another field, and a
// colon begins a reason: `want:"more than min_n and at most 36: the bases differ"`; that of a list is its
// length: `each:"0 or more and less than points"`. NaN is never within bounds, and nil always.
func Check(v any) error {
	of := reflect.Indirect(reflect.ValueOf(v))
	if of.Kind() != reflect.Struct {
		of = reflect.ValueOf(struct{}{})
	}
	return checkWithin(boundsOf(of.Type(), nil), of, v)
}

// checkWithin is Check with the bounds of v's type; of is what v is or points to.
func checkWithin(bounds []bound, of reflect.Value, v any) error {
	if err := checkBounds(bounds, of); err != nil {
		return err
	}
	if own, has := v.(checked); has {
		if err := own.Check(); err != nil {
			return err
		}
	}
	if inst, ok := v.(Instance); ok {
		return checkAnswer(bounds, of, inst)
	}
	return nil
}

// checkAnswer refuses a record with another answer than that of Solve.
func checkAnswer(bounds []bound, of reflect.Value, inst Instance) error {
	for i := range bounds {
		if b := &bounds[i]; b.answer {
			if held := appendValue(nil, of.FieldByIndex(b.at), ""); len(held) > 0 && string(held) != inst.Solve() {
				return fmt.Errorf("%s is %.80s, want %.80s", b.name, held, inst.Solve())
			}
		}
	}
	return nil
}

// A bound is what the tags of a field say.
type bound struct {
	name       string // in JSON
	at         []int  // of the field
	want, each limits
	oneOf      []string
	once       bool // each of oneOf
	answer     bool // it is what Solve returns
	chars      string
	inner      []bound // of a struct, or of every struct in a list
}

// limits are those of a number, and their text.
type limits struct {
	text string
	all  []limit
}

// A limit is a number, or the field at a place.
type limit struct {
	upper, strict bool
	to            figure
	at            []int
}

// boundsOf reads the tags of a struct type. Types that are within themselves, as the last of path
// are, have no bounds there.
func boundsOf(of reflect.Type, path []reflect.Type) (all []bound) {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || slices.Contains(path, of) {
		return nil
	}
	places := map[string][]int{}
	fields := reflect.VisibleFields(of)
	for _, f := range fields {
		places[nameOf(f)] = f.Index
	}
	for _, f := range fields {
		if !f.IsExported() {
			continue
		}
		known, once := strings.CutSuffix(f.Tag.Get("oneof"), ", each once")
		b := bound{name: nameOf(f), at: f.Index, oneOf: strings.Fields(known), once: once, chars: spread(f.Tag.Get("chars"))}
		if b.answer = f.Tag.Get("want") == "the answer"; !b.answer {
			b.want, b.each = readLimits(f.Tag.Get("want"), places), readLimits(f.Tag.Get("each"), places)
		}
		if !f.Anonymous {
			b.inner = boundsOf(f.Type, append(path, of))
		}
		if b.answer || b.want.all != nil || b.each.all != nil || len(b.oneOf) > 0 || b.chars != "" || b.inner != nil {
			all = append(all, b)
		}
	}
	return all
}

// nameOf returns the name of a field in JSON.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// spread writes out the ranges of characters in a tag, such as A-Z.
func spread(tag string) string {
	var b strings.Builder
	for i := 0; i < len(tag); i++ {
		b.WriteByte(tag[i])
		if i+2 < len(tag) && tag[i+1] == '-' {
			for c := tag[i] + 1; c < tag[i+2]; c++ {
				b.WriteByte(c)
			}
			i++
		}
	}
	return b.String()
}

// readLimits reads a tag. places are those of the fields that it may name.
func readLimits(tag string, places map[string][]int) limits {
	l := limits{text: tag}
	text, _, _ := strings.Cut(tag, ": ")
	for clause := range strings.SplitSeq(text, " and ") {
		strict := strings.HasPrefix(clause, "more than ") || strings.HasPrefix(clause, "less than ")
		for i, word := range ends(strings.Fields(clause)) {
			if word == "" {
				continue
			}
			at := limit{upper: i == 1, strict: strict, at: places[word]}
			if at.at == nil {
				at.to = readFigure(word)
			}
			l.all = append(l.all, at)
		}
	}
	return l
}

// ends returns the lower and the upper limit in a part of a tag.
func ends(words []string) (limits [2]string) {
	switch {
	case len(words) == 1:
		return [2]string{words[0], words[0]}
	case len(words) == 0:
		return limits
	case words[1] == "to":
		return [2]string{words[0], words[2]}
	case words[1] == "or":
		return [2]string{words[0]}
	case words[1] == "most", words[0] == "less":
		return [2]string{1: words[2]}
	}
	return [2]string{words[2]}
}

// readFigure reads a number in a tag. A wrong one is a fault of the task, and tasktest finds it.
func readFigure(word string) figure {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return figure{whole: n, float: float64(n), exact: true}
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic(fmt.Sprintf("task: the limit %s is no number, and no field", word))
	}
	return figure{float: f}
}

// checkBounds reports the first field of a struct that is out of its bounds.
func checkBounds(bounds []bound, of reflect.Value) error {
	for i := range bounds {
		b := &bounds[i]
		v := of.FieldByIndex(b.at)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		if err := b.check(v, of); err != nil {
			return err
		}
	}
	return nil
}

// check refuses v, a field of a struct, out of its bounds.
func (b *bound) check(v, of reflect.Value) error {
	n, long := figureOf(v)
	switch holds := b.want.hold(n, of); {
	case !holds && long:
		return fmt.Errorf("%s has length %d, want %s", b.name, n.whole, b.want.say(of))
	case !holds:
		return fmt.Errorf("%s is %v, want %s", b.name, v, b.want.say(of))
	}
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); b.refuses(s) {
			return fmt.Errorf("%s is %.80q, want %s", b.name, s, b.texts())
		}
	case reflect.Struct:
		if err := checkBounds(b.inner, v); err != nil {
			return fmt.Errorf("%s.%w", b.name, err)
		}
	case reflect.Slice, reflect.Array:
		if b.each.all != nil || len(b.oneOf) > 0 || b.chars != "" || b.inner != nil {
			return b.checkElements(v, of)
		}
	}
	return nil
}

// checkElements refuses a list with an element out of its bounds.
func (b *bound) checkElements(list, of reflect.Value) error {
	for i := range list.Len() {
		v := list.Index(i)
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			if err := b.checkElements(v, of); err != nil {
				return err
			}
		case reflect.Struct:
			if err := checkBounds(b.inner, v); err != nil {
				return fmt.Errorf("%s: number %d: %w", b.name, i+1, err)
			}
		case reflect.String:
			if s := v.String(); b.refuses(s) || b.once && repeats(list, i) {
				return fmt.Errorf("%s has %.80q, want %s", b.name, s, b.texts())
			}
		default:
			if n, _ := figureOf(v); !b.each.hold(n, of) {
				return fmt.Errorf("%s has %v, want %s", b.name, v, b.each.say(of))
			}
		}
	}
	return nil
}

// refuses reports whether a text is none of the known ones, or has another character.
func (b *bound) refuses(s string) bool {
	return len(b.oneOf) > 0 && !slices.Contains(b.oneOf, s) || b.chars != "" && strings.Trim(s, b.chars) != ""
}

// repeats reports whether a list has its text at i before.
func repeats(list reflect.Value, i int) bool {
	for j := range i {
		if list.Index(j).String() == list.Index(i).String() {
			return true
		}
	}
	return false
}

// texts says which texts are known.
func (b *bound) texts() string {
	switch {
	case b.once:
		return "some of " + strings.Join(b.oneOf, " ") + ", each once"
	case len(b.oneOf) > 0:
		return "one of " + strings.Join(b.oneOf, " ")
	}
	return "only characters of " + b.chars
}

// hold reports whether n is within the limits; of has the fields that they name.
func (l limits) hold(n figure, of reflect.Value) bool {
	for _, at := range l.all {
		low, high := at.to, n
		if at.at != nil {
			low, _ = figureOf(of.FieldByIndex(at.at))
		}
		if at.upper {
			low, high = high, low
		}
		if !low.below(high, at.strict) {
			return false
		}
	}
	return true
}

// say returns the text of the limits, with the values of the fields that it names.
func (l limits) say(of reflect.Value) string {
	words := strings.Fields(l.text)
	for i, word := range words {
		for _, at := range l.all {
			if at.at != nil && word == nameOf(of.Type().FieldByIndex(at.at)) {
				n, _ := figureOf(of.FieldByIndex(at.at))
				words[i] += " (" + strconv.FormatFloat(n.float, 'f', -1, 64) + ")"
			}
		}
	}
	return strings.Join(words, " ")
}

// A figure is a whole number, if it is exact, or a float.
type figure struct {
	whole int64
	float float64
	exact bool
}

// figureOf returns a number, or the length of a text, a list or a map.
func figureOf(v reflect.Value) (n figure, long bool) {
	switch {
	case v.CanInt():
		return figure{whole: v.Int(), float: float64(v.Int()), exact: true}, false
	case v.CanFloat():
		return figure{float: v.Float()}, false
	}
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return figure{whole: int64(v.Len()), float: float64(v.Len()), exact: true}, true
	}
	return figure{}, false
}

// below reports whether n is at most m, or less if that is strict.
func (n figure) below(m figure, strict bool) bool {
	if n.exact && m.exact {
		return n.whole < m.whole || n.whole == m.whole && !strict
	}
	return n.float < m.float || n.float == m.float && !strict
}

// Within refuses a setting or a number of a record out of bounds that a tag cannot say ([Check]).
func Within[N int | int64 | float64](name string, n, low, high N) error {
	if n >= low && n <= high {
		return nil
	}
	return fmt.Errorf("%s is %v, want %v to %v", name, n, low, high)
}

// Want refuses a record that holds got where a computation gives want.
func Want[T comparable](name string, got, want T) error {
	if got == want {
		return nil
	}
	if text, ok := any(got).(string); ok {
		return fmt.Errorf("%s is %.80q, want %.80q", name, text, any(want))
	}
	return fmt.Errorf("%s is %v, want %v", name, got, want)
}
