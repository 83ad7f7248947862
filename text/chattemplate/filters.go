package chattemplate

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// filters holds the filters of jinja2, with transformers' tojson; sequences.go has those of
// sequences.
var filters = map[string]*routine{
	"abs":        {call: func(_ *rendering, v value, _ []value) (value, error) { return pyvalue.Unary("abs", v) }},
	"attr":       {params: []string{"name"}, need: 1, call: attr},
	"capitalize": soft("capitalize"),
	"center":     {params: []string{"width"}, call: center},
	"d":          {params: []string{"default_value", "boolean"}, call: defaulted},
	"default":    {params: []string{"default_value", "boolean"}, call: defaulted},
	"e":          {call: func(r *rendering, v value, _ []value) (value, error) { return r.Escape(v) }},
	"escape":     {call: func(r *rendering, v value, _ []value) (value, error) { return r.Escape(v) }},
	"float":      {params: []string{"default"}, call: toFloat},
	"forceescape": {call: func(r *rendering, v value, _ []value) (value, error) {
		s, err := r.Str(v)
		if err != nil {
			return nil, err
		}
		return r.Escape(s)
	}},
	"format":  {raw: formatFilter},
	"indent":  {params: []string{"width", "first", "blank"}, call: indent},
	"int":     {params: []string{"default", "base"}, call: toInt},
	"lower":   soft("lower"),
	"replace": {params: []string{"old", "new", "count"}, need: 2, call: replaceFilter},
	"round":   {params: []string{"precision", "method"}, call: round},
	"safe": {call: func(r *rendering, v value, _ []value) (value, error) {
		s, err := r.Str(v)
		return pyvalue.Markup(s), err
	}},
	"string":    {call: func(r *rendering, v value, _ []value) (value, error) { return r.softText(v) }},
	"title":     {call: titleWords},
	"tojson":    {raw: toJSON},
	"trim":      {params: []string{"chars"}, call: trim},
	"truncate":  {params: []string{"length", "killwords", "end", "leeway"}, call: truncate},
	"upper":     soft("upper"),
	"urlencode": {call: urlEncode},
	"wordcount": {call: wordCount},

	"batch":      {params: []string{"linecount", "fill_with"}, need: 1, call: lazily(batch)},
	"count":      {call: length},
	"dictsort":   {params: []string{"case_sensitive", "by", "reverse"}, call: dictSort},
	"first":      {call: first},
	"groupby":    {params: []string{"attribute", "default", "case_sensitive"}, need: 1, call: groupBy},
	"items":      {call: lazily(pairs)},
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

// unsupported lists the filters and functions of jinja2 that we reject.
var unsupported = map[string]bool{
	"filesizeformat": true, "pprint": true, "random": true, "striptags": true,
	"urlize": true, "wordwrap": true, "xmlattr": true, "lipsum": true,
}

// softText returns v as text, and markup as it is.
func (r *rendering) softText(v value) (value, error) {
	if m, ok := v.(pyvalue.Markup); ok {
		return m, nil
	}
	return r.Str(v)
}

// soft returns a filter that calls a method of text.
func soft(method string) *routine {
	return &routine{call: func(r *rendering, v value, _ []value) (value, error) {
		return r.ofText(v, method)
	}}
}

// ofText calls a method of v as text.
func (r *rendering) ofText(v value, method string, a ...value) (value, error) {
	s, err := r.softText(v)
	if err != nil {
		return nil, err
	}
	return r.method(s, method, a...)
}

// attr is attribute access, without items.
func attr(r *rendering, v value, a []value) (value, error) {
	name, err := r.Str(a[0])
	if err != nil {
		return nil, err
	}
	return r.own(v, name)
}

func center(r *rendering, v value, a []value) (value, error) {
	return r.ofText(v, "center", pyvalue.Or(a[0], int64(80)))
}

// formatFilter is the operator % of text.
func formatFilter(r *rendering, v value, a pyvalue.Args) (value, error) {
	s, err := r.softText(v)
	if err != nil {
		return nil, err
	}
	if len(a.Names) == 0 {
		return r.Operate("%", s, pyvalue.NewTuple(a.Pos...))
	}
	if len(a.Pos) > 0 {
		return nil, errors.New("can't handle positional and keyword arguments at the same time")
	}
	d, err := r.Dict(a)
	if err != nil {
		return nil, err
	}
	return r.Operate("%", s, d)
}

// toJSON is the filter tojson of transformers.
func toJSON(r *rendering, v value, a pyvalue.Args) (value, error) {
	return r.JSON(v, a)
}

func defaulted(_ *rendering, v value, a []value) (value, error) {
	if _, ok := v.(*pyvalue.Undefined); ok || pyvalue.Truth(pyvalue.Or(a[1], false)) && !pyvalue.Truth(v) {
		return pyvalue.Or(a[0], ""), nil
	}
	return v, nil
}

func toFloat(_ *rendering, v value, a []value) (value, error) {
	if f, is, err := pyvalue.Float(v); is || err != nil {
		return f, err
	}
	return pyvalue.Or(a[0], 0.0), nil
}

// toInt is int(v), or else int(float(v)).
func toInt(_ *rendering, v value, a []value) (value, error) {
	base, err := pyvalue.Index(pyvalue.Or(a[1], int64(10)))
	if err != nil {
		base = -1 // no text parses in it
	}
	if n, is, err := pyvalue.Int(v, base); is || err != nil {
		return n, err
	}
	f, is, err := pyvalue.Float(v)
	if err != nil {
		return nil, err
	}
	n, whole, err := pyvalue.Int(f, 10)
	if err != nil || !is || !whole {
		return pyvalue.Or(a[0], int64(0)), nil //nolint:nilerr // as in jinja2, infinity gives the default
	}
	return n, nil
}

func indent(r *rendering, v value, a []value) (value, error) {
	s, ok := pyvalue.Text(v)
	if !ok {
		return nil, fmt.Errorf("indent wants a str, has '%s'", pyvalue.TypeName(v))
	}
	space, ok := pyvalue.Text(pyvalue.Or(a[0], int64(4)))
	if !ok {
		n, err := pyvalue.Index(pyvalue.Or(a[0], int64(4)))
		if err != nil {
			return nil, err
		}
		if err := r.Room(int(min(max(n, 0), math.MaxInt32))); err != nil {
			return nil, err
		}
		space = strings.Repeat(" ", int(max(n, 0)))
	}
	parts, err := r.lines(s)
	if err != nil {
		return nil, err
	}
	if grown := int64(len(parts)) * int64(len(space)+1); grown > int64(r.Bytes) {
		return nil, r.Room(r.Bytes + 1)
	}
	blank := pyvalue.Truth(pyvalue.Or(a[2], false))
	for i, line := range parts {
		if i == 0 && pyvalue.Truth(pyvalue.Or(a[1], false)) || i > 0 && (blank || line != "") {
			parts[i] = space + line
		}
	}
	return pyvalue.Like(v, strings.Join(parts, "\n")), nil
}

// lines returns the lines of s; the last may be empty.
func (r *rendering) lines(s string) ([]string, error) {
	split, err := r.method(s+"\n", "splitlines")
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, line := range split.(*pyvalue.List).Items {
		lines = append(lines, line.(string))
	}
	return lines, nil
}

func replaceFilter(r *rendering, v value, a []value) (value, error) {
	var texts [3]string
	for i, part := range []value{v, a[0], a[1]} {
		var err error
		if texts[i], err = r.Str(part); err != nil {
			return nil, err
		}
	}
	given := []value{texts[1], texts[2]}
	if count := pyvalue.Or(a[2], nil); count != nil {
		given = append(given, count)
	}
	return r.method(texts[0], "replace", given...)
}

func round(r *rendering, v value, a []value) (value, error) {
	places, err := pyvalue.Index(pyvalue.Or(a[0], int64(0)))
	if err != nil {
		return nil, err
	}
	method, _ := pyvalue.Text(pyvalue.Or(a[1], "common"))
	if method == "common" || !pyvalue.IsNumber(v) {
		return pyvalue.Round(v, places)
	}
	towards := map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor}[method]
	if towards == nil {
		return nil, errors.New("method must be common, ceil or floor")
	}
	scale, err := r.Operate("**", int64(10), places)
	if err != nil {
		return nil, err
	}
	scaled, err := r.Operate("*", v, scale)
	if err != nil {
		return nil, err
	}
	f, _, err := pyvalue.Float(scaled)
	if err != nil {
		return nil, err
	}
	whole, is, err := pyvalue.Int(towards(f), 10)
	if err != nil {
		return nil, err
	}
	if !is {
		return nil, errors.New("cannot convert float NaN to integer")
	}
	return r.Operate("/", whole, scale)
}

// titleWords is the filter title: words begin only after white space or one of -({[<; always
// text.
func titleWords(r *rendering, v value, _ []value) (value, error) {
	s, err := r.Str(v)
	if err != nil {
		return nil, err
	}
	between := func(c rune) bool { return pyvalue.IsSpace(c) || strings.ContainsRune("-({[<", c) }
	var b strings.Builder
	for s != "" {
		begin := strings.IndexFunc(s, func(c rune) bool { return !between(c) })
		if begin < 0 {
			break
		}
		b.WriteString(s[:begin])
		s = s[begin:]
		end := strings.IndexFunc(s, between)
		if end < 0 {
			end = len(s)
		}
		_, first := utf8.DecodeRuneInString(s)
		head, err := r.method(s[:first], "upper")
		if err != nil {
			return nil, err
		}
		rest, err := r.method(s[first:end], "lower")
		if err != nil {
			return nil, err
		}
		b.WriteString(head.(string) + rest.(string))
		s = s[end:]
	}
	b.WriteString(s)
	return b.String(), nil
}

func trim(r *rendering, v value, a []value) (value, error) {
	return r.ofText(v, "strip", pyvalue.Or(a[0], nil))
}

func truncate(r *rendering, v value, a []value) (value, error) {
	n, has := pyvalue.Len(v)
	end, isText := pyvalue.Text(pyvalue.Or(a[2], "..."))
	if !has || !isText {
		return nil, fmt.Errorf("truncate wants a str, has '%s'", pyvalue.TypeName(v))
	}
	most, err := pyvalue.Index(pyvalue.Or(a[0], int64(255)))
	if err != nil {
		return nil, err
	}
	leeway := int64(5)
	if given := pyvalue.Or(a[3], nil); given != nil {
		if leeway, err = pyvalue.Index(given); err != nil {
			return nil, err
		}
	}
	least, _ := pyvalue.Len(end)
	if most < least || leeway < 0 {
		return nil, fmt.Errorf("truncate: length is %d and leeway is %d, want length at least %d and leeway at least 0", most, leeway, least)
	}
	if n <= most+leeway {
		return v, nil
	}
	s, ok := pyvalue.Text(v)
	if !ok {
		return nil, fmt.Errorf("truncate wants a str, has '%s'", pyvalue.TypeName(v))
	}
	head, err := r.Slice(s, nil, most-least, nil)
	if err != nil {
		return nil, err
	}
	text := head.(string)
	if at := strings.LastIndex(text, " "); at >= 0 && !pyvalue.Truth(pyvalue.Or(a[1], false)) {
		text = text[:at]
	}
	return pyvalue.Like(v, text+end), nil
}

func wordCount(r *rendering, v value, _ []value) (value, error) {
	s, err := r.Str(v)
	words := strings.FieldsFunc(s, func(c rune) bool { return c != '_' && !unicode15.IsLetter(c) && !unicode15.IsNumber(c) })
	return int64(len(words)), err
}

// urlEncode quotes a text or a number, or the keys and values of a dict, or of pairs.
func urlEncode(r *rendering, v value, _ []value) (value, error) {
	var items []value
	var err error
	_, isText := pyvalue.Text(v)
	switch _, isDict := v.(*pyvalue.Dict); {
	case isText, v == nil, pyvalue.IsNumber(v):
		s, err := r.Str(v)
		return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(s)), err
	case isDict:
		items, err = pairs(r, v, nil)
	default:
		items, err = r.Items(v)
	}
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, item := range items {
		pair, err := r.Items(item)
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("urlencode wants pairs, has '%s'", pyvalue.TypeName(item))
		}
		var texts [2]string
		for i := range pair {
			if texts[i], err = r.Str(pair[i]); err != nil {
				return nil, err
			}
		}
		parts = append(parts, url.QueryEscape(texts[0])+"="+url.QueryEscape(texts[1]))
	}
	return strings.Join(parts, "&"), nil
}
