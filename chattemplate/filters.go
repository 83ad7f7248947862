package chattemplate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// filters are the filters of jinja2, with the tojson of transformers. Those of sequences
// are in sequences.go.
var filters = map[string]*routine{
	"abs":        {call: func(_ *run, v value, _ []value) (value, error) { return absolute(v) }},
	"attr":       {params: []string{"name"}, need: 1, call: attr},
	"capitalize": soft(capitalize),
	"center":     {params: []string{"width"}, call: center},
	"d":          {params: []string{"default_value", "boolean"}, call: defaulted},
	"default":    {params: []string{"default_value", "boolean"}, call: defaulted},
	"e":          {call: func(r *run, v value, _ []value) (value, error) { return r.escaped(v) }},
	"escape":     {call: func(r *run, v value, _ []value) (value, error) { return r.escaped(v) }},
	"float":      {params: []string{"default"}, call: toFloatFilter},
	"forceescape": {call: func(r *run, v value, _ []value) (value, error) {
		s, err := r.str(v)
		if err != nil {
			return nil, err
		}
		return r.escaped(s)
	}},
	"format":    {raw: formatFilter},
	"indent":    {params: []string{"width", "first", "blank"}, call: indent},
	"int":       {params: []string{"default", "base"}, call: toIntFilter},
	"lower":     soft(lower),
	"replace":   {params: []string{"old", "new", "count"}, need: 2, call: replaceFilter},
	"round":     {params: []string{"precision", "method"}, call: round},
	"safe":      {call: func(r *run, v value, _ []value) (value, error) { s, err := r.str(v); return markup(s), err }},
	"string":    {call: func(r *run, v value, _ []value) (value, error) { return r.softText(v) }},
	"title":     soft(titleWords),
	"tojson":    {params: []string{"ensure_ascii", "indent", "separators", "sort_keys"}, call: toJSON},
	"trim":      {params: []string{"chars"}, call: trim},
	"truncate":  {params: []string{"length", "killwords", "end", "leeway"}, call: truncate},
	"upper":     soft(upper),
	"urlencode": {call: urlEncode},
	"wordcount": {call: wordCount},

	"batch":      {params: []string{"linecount", "fill_with"}, need: 1, call: lazily(batch)},
	"count":      {call: length},
	"dictsort":   {params: []string{"case_sensitive", "by", "reverse"}, call: dictSort},
	"first":      {call: first},
	"groupby":    {params: []string{"attribute", "default", "case_sensitive"}, need: 1, call: groupBy},
	"items":      {call: lazily(pairsOf)},
	"join":       {params: []string{"d", "attribute"}, call: joinFilter},
	"last":       {call: last},
	"length":     {call: length},
	"list":       {call: listOf},
	"map":        {raw: lazilyRaw(mapped)},
	"max":        {params: []string{"case_sensitive", "attribute"}, call: extreme(">")},
	"min":        {params: []string{"case_sensitive", "attribute"}, call: extreme("<")},
	"reject":     {raw: lazilyRaw(chosen(false, false))},
	"rejectattr": {raw: lazilyRaw(chosen(true, false))},
	"reverse":    {call: reverse},
	"select":     {raw: lazilyRaw(chosen(false, true))},
	"selectattr": {raw: lazilyRaw(chosen(true, true))},
	"slice":      {params: []string{"slices", "fill_with"}, need: 1, call: lazily(columns)},
	"sort":       {params: []string{"reverse", "case_sensitive", "attribute"}, call: sorted},
	"sum":        {params: []string{"attribute", "start"}, call: sum},
	"unique":     {params: []string{"case_sensitive", "attribute"}, call: lazily(unique)},
}

// unsupported are the filters and functions of jinja2 that are refused.
var unsupported = map[string]bool{
	"filesizeformat": true, "pprint": true, "random": true, "striptags": true,
	"urlize": true, "wordwrap": true, "xmlattr": true, "lipsum": true,
}

// softText returns v as text, or as markup if it is that.
func (r *run) softText(v value) (value, error) {
	if m, is := v.(markup); is {
		return m, nil
	}
	return r.str(v)
}

// soft is a filter that makes one text of another, and markup of markup.
func soft(f func(string) string) *routine {
	return &routine{call: func(r *run, v value, _ []value) (value, error) {
		s, err := r.str(v)
		if err != nil {
			return nil, err
		}
		return like(v, f(s)), nil
	}}
}

// like returns s as markup if v is markup.
func like(v value, s string) value {
	if _, is := v.(markup); is {
		return markup(s)
	}
	return s
}

func absolute(v value) (value, error) {
	switch v := v.(type) {
	case float64:
		return math.Abs(v), nil
	case *undefined:
		return nil, v.fault()
	}
	n, is := toInt(v)
	if !is {
		return nil, fmt.Errorf("bad operand type for abs(): '%s'", typeName(v))
	}
	return fromBig(new(big.Int).Abs(n)), nil
}

// attr is attribute access that never takes an item.
func attr(r *run, v value, a []value) (value, error) {
	name, err := r.str(a[0])
	if err != nil {
		return nil, err
	}
	own, has, err := r.own(v, name)
	if has || err != nil {
		return own, err
	}
	return absent(v, name), nil
}

func center(r *run, v value, a []value) (value, error) {
	s, err := r.str(v)
	if err != nil {
		return nil, err
	}
	centered, err := textMethods["center"].call(r, s, []value{or(a[0], int64(80)), missing{}})
	if err != nil {
		return nil, err
	}
	return like(v, centered.(string)), nil
}

func defaulted(_ *run, v value, a []value) (value, error) {
	if _, is := v.(*undefined); is || truth(or(a[1], false)) && !truth(v) {
		return or(a[0], ""), nil
	}
	return v, nil
}

// number is int() or float() of Python. ok is false if v is not a number.
func number(v value) (f value, ok bool, err error) {
	if s, is := plain(v); is {
		f, ok := parseFloat(s)
		return f, ok, nil
	}
	if u, is := v.(*undefined); is {
		return nil, false, u.fault()
	}
	return v, isNumber(v), nil
}

func toFloatFilter(_ *run, v value, a []value) (value, error) {
	n, ok, err := number(v)
	if err != nil {
		return nil, err
	}
	if !ok {
		return or(a[0], 0.0), nil
	}
	f, err := toFloat(n)
	return f, err
}

func toIntFilter(_ *run, v value, a []value) (value, error) {
	if s, is := plain(v); is {
		base, isInt := toInt64(or(a[1], int64(10)))
		if n, err := parseInt(s, base); err == nil && isInt {
			return n, nil
		}
	}
	n, ok, err := number(v)
	if err != nil {
		return nil, err
	}
	if !ok {
		return or(a[0], int64(0)), nil
	}
	f, isFloat := n.(float64)
	if !isFloat {
		return plus(n), nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if math.IsInf(f, 0) && isNumber(v) {
			return nil, errors.New("cannot convert float infinity to integer")
		}
		return or(a[0], int64(0)), nil
	}
	z, _ := big.NewFloat(f).Int(nil)
	return fromBig(z), nil
}

func indent(r *run, v value, a []value) (value, error) {
	s, is := plain(v)
	if !is {
		return nil, fmt.Errorf("indent wants a str, has '%s'", typeName(v))
	}
	space, is := plain(or(a[0], int64(4)))
	if !is {
		n, err := toIndex(or(a[0], int64(4)))
		if err != nil {
			return nil, err
		}
		if err := r.room(int(min(max(n, 0), math.MaxInt32))); err != nil {
			return nil, err
		}
		space = strings.Repeat(" ", int(max(n, 0)))
	}
	parts := lines(s+"\n", false)
	if grown := int64(len(parts)) * int64(len(space)+1); grown > int64(r.maxBytes) {
		return nil, r.room(r.maxBytes + 1)
	}
	blank := truth(or(a[2], false))
	for i, line := range parts {
		if i == 0 && truth(or(a[1], false)) || i > 0 && (blank || line != "") {
			parts[i] = space + line
		}
	}
	return like(v, strings.Join(parts, "\n")), nil
}

func replaceFilter(r *run, v value, a []value) (value, error) {
	var parts [3]string
	for i, arg := range []value{v, a[0], a[1]} {
		var err error
		if parts[i], err = r.str(arg); err != nil {
			return nil, err
		}
	}
	most := int64(-1)
	if count := or(a[2], nil); count != nil {
		var err error
		if most, err = toIndex(count); err != nil {
			return nil, err
		}
	}
	return r.replace(parts[0], parts[1], parts[2], most)
}

func round(_ *run, v value, a []value) (value, error) {
	places, err := toIndex(or(a[0], int64(0)))
	if err != nil {
		return nil, err
	}
	if places < -400 || places > 400 {
		return nil, fmt.Errorf("precision is %d, want -400 to 400", places)
	}
	if u, is := v.(*undefined); is {
		return nil, u.fault()
	}
	if !isNumber(v) {
		return nil, fmt.Errorf("round wants a number, has '%s'", typeName(v))
	}
	method, _ := plain(or(a[1], "common"))
	if method == "common" {
		return roundHalfEven(v, places)
	}
	towards := map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor}[method]
	if towards == nil {
		return nil, errors.New("method must be common, ceil or floor")
	}
	scale, err := calculate("**", int64(10), places)
	if err != nil {
		return nil, err
	}
	scaled, err := calculate("*", v, scale)
	if err != nil {
		return nil, err
	}
	f, err := toFloat(scaled)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("cannot convert the float to an integer")
	}
	z, _ := big.NewFloat(towards(f)).Int(nil)
	return calculate("/", fromBig(z), scale)
}

// roundHalfEven rounds to the nearest number with so many places; of two, to the even one.
func roundHalfEven(v value, places int64) (value, error) {
	f, is := v.(float64)
	if is && places >= 0 {
		f, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(places), 64), 64)
		return f, err
	}
	if !is && places >= 0 {
		return plus(v), nil
	}
	if is && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return f, nil
	}
	exactly := new(big.Rat)
	if n, isInt := toInt(v); isInt {
		exactly.SetInt(n)
	} else {
		exactly.SetFloat64(f)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-places), nil)
	exactly.Quo(exactly, new(big.Rat).SetInt(unit))
	whole, _ := new(big.Int).SetString(exactly.FloatString(0), 10) // halves away from zero
	twice := new(big.Rat).Mul(exactly, big.NewRat(2, 1))
	if twice.IsInt() && !exactly.IsInt() && whole.Bit(0) == 1 {
		whole.Sub(whole, big.NewInt(int64(whole.Sign())))
	}
	whole.Mul(whole, unit)
	if is {
		g, _ := new(big.Float).SetInt(whole).Float64()
		return math.Copysign(g, f), nil
	}
	return bounded(whole)
}

// titleWords is the filter title, which begins words at fewer places than str.title.
func titleWords(s string) string {
	var b strings.Builder
	starts := true
	for i, c := range s {
		ch := s[i : i+len(string(c))]
		switch {
		case isSpace(c) || strings.ContainsRune("-({[<", c):
			starts = true
			b.WriteString(ch)
			continue
		case starts:
			b.WriteString(upper(ch))
		default:
			b.WriteString(lower(ch))
		}
		starts = false
	}
	return b.String()
}

func trim(r *run, v value, a []value) (value, error) {
	s, err := r.str(v)
	if err != nil {
		return nil, err
	}
	stripped, err := stripText(s, or(a[0], nil), true, true)
	if err != nil {
		return nil, err
	}
	return like(v, stripped.(string)), nil
}

func truncate(r *run, v value, a []value) (value, error) {
	n, has := size(v)
	end, isText := plain(or(a[2], "..."))
	if !has || !isText {
		return nil, fmt.Errorf("truncate wants a str, has '%s'", typeName(v))
	}
	most, err := toIndex(or(a[0], int64(255)))
	if err != nil {
		return nil, err
	}
	leeway := int64(5)
	if given := or(a[3], nil); given != nil {
		if leeway, err = toIndex(given); err != nil {
			return nil, err
		}
	}
	kept := most - int64(runeCount(end))
	if kept < 0 || leeway < 0 {
		return nil, fmt.Errorf("truncate: length is %d and leeway is %d, want length at least %d and leeway at least 0", most, leeway, runeCount(end))
	}
	if n <= most+leeway {
		return v, nil
	}
	s, is := plain(v)
	if !is {
		return nil, fmt.Errorf("truncate wants a str, has '%s'", typeName(v))
	}
	head, err := r.slice(s, nil, kept, nil)
	if err != nil {
		return nil, err
	}
	text := head.(string)
	if at := strings.LastIndex(text, " "); at >= 0 && !truth(or(a[1], false)) {
		text = text[:at]
	}
	return like(v, text+end), nil
}

// words finds what the filter wordcount counts.
var words = regexp.MustCompile(`[\p{L}\p{N}_]+`)

func wordCount(r *run, v value, _ []value) (value, error) {
	s, err := r.str(v)
	return int64(len(words.FindAllStringIndex(s, -1))), err
}

// urlEncode quotes text, or the keys and values of a dict.
func urlEncode(r *run, v value, _ []value) (value, error) {
	if d, is := v.(*dict); is {
		v = &list{items: d.pairs()}
	}
	if _, is := v.(*list); !is {
		s, err := r.str(v)
		return urlQuote(s, "/"), err
	}
	var parts []string
	for _, item := range v.(*list).items {
		pair, err := r.items(item)
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("urlencode wants pairs, has '%s'", typeName(item))
		}
		var texts [2]string
		for i := range pair {
			if texts[i], err = r.str(pair[i]); err != nil {
				return nil, err
			}
		}
		parts = append(parts, strings.ReplaceAll(urlQuote(texts[0], "")+"="+urlQuote(texts[1], ""), "%20", "+"))
	}
	return strings.Join(parts, "&"), nil
}

// urlQuote quotes all but letters, digits, a few signs and the safe ones.
func urlQuote(s, safe string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < 0x80 && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))) || strings.IndexByte("_.-~"+safe, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
