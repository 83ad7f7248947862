package reasoninggym

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// pyReadLiteral reads all of text as one literal: reasoning-gym evaluates some answers; whatever is no
// literal counts here as an error there. A list, tuple or set is an []any, a string a
// string, and everything else a json.Number with the text that Python prints.
func pyReadLiteral(text string) (v any, ok bool) {
	r := &pyvalue.LiteralReader{Text: strings.TrimLeft(text, " \t\f\r\n"), Number: number}
	literal, err := r.Value()
	if err == nil && r.Skip(",") {
		items := []pyvalue.Value{literal}
		for more := true; more && err == nil && !r.Ended(); more = r.Skip(",") {
			literal, err = r.Value()
			items = append(items, literal)
		}
		literal = pyvalue.NewTuple(items...)
	}
	if err != nil || !r.Ended() {
		return nil, false
	}
	return plain(literal)
}

// number returns how Python prints a number.
func number(spelled string) (v pyvalue.Value, ok bool) {
	if n, ok := answer.ReadInteger(spelled); ok {
		return json.Number(n.String()), true
	}
	x, ok := answer.ReadFloat(spelled)
	return json.Number(pyWriteFloat(x)), ok && strings.ContainsAny(spelled, ".eE")
}

// plain returns a literal in the types of [pyReadLiteral].
func plain(v pyvalue.Value) (_ any, ok bool) {
	switch v := v.(type) {
	case nil:
		return json.Number("None"), true
	case bool:
		return json.Number(map[bool]string{true: "True", false: "False"}[v]), true
	case *pyvalue.List:
		return plainList(v.Items)
	case pyvalue.Set:
		return plainList(v)
	case *pyvalue.Dict:
		return nil, false
	}
	return v, true
}

func plainList(items []pyvalue.Value) (list any, ok bool) {
	all := make([]any, len(items))
	for i, item := range items {
		if all[i], ok = plain(item); !ok {
			return nil, false
		}
	}
	return all, true
}

// pyASCII reports whether a text has only ASCII characters.
func pyASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

// pyJoined returns the text of a list whose elements Python prints, or of a text's characters.
func pyJoined(v any, between string) (string, bool) {
	list, ok := items(v)
	parts := make([]string, len(list))
	for i, one := range list {
		switch one := one.(type) {
		case string:
			parts[i] = one
		case json.Number:
			parts[i] = one.String()
		default:
			return "", false
		}
	}
	return strings.Join(parts, between), ok
}

// items returns the items of a list, or the characters of a text.
func items(v any) (list []any, ok bool) {
	list, ok = v.([]any)
	if text, is := v.(string); is {
		for _, r := range text {
			list = append(list, string(r))
		}
		ok = true
	}
	return list, ok
}

// pyRows returns the text of a list of lists, a line each.
func pyRows(v any) (string, bool) {
	list, ok := items(v)
	if !ok {
		return "", false
	}
	text := make([]string, len(list))
	for i, row := range list {
		if text[i], ok = pyJoined(row, " "); !ok {
			return "", false
		}
	}
	return strings.Join(text, "\n"), true
}

// pyCutText cuts a string, or several without a comma between them, off the front of text.
func pyCutText(text string) (whole, rest string, ok bool) {
	r := pyvalue.LiteralReader{Text: text}
	v, err := r.Value()
	whole, ok = v.(string)
	return whole, r.Text[r.At:], ok && err == nil
}
