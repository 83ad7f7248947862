package toolcall

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// value finds the end of the JSON value that begins at text[at]. why says what is wrong
// with it, and end is then the place of the fault.
func value(text string, at, depth int) (end int, why string) {
	if at >= len(text) {
		return at, "the JSON ends early"
	}
	switch c := text[at]; {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return at, fmt.Sprintf("JSON nested deeper than %d", maxDepth)
		}
		return items(text, at, depth+1)
	case c == '"':
		return stringEnd(text, at)
	case c == '-' || c >= '0' && c <= '9':
		return number(text, at)
	}
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(text[at:], word) {
			return at + len(word), ""
		}
	}
	return at, notJSON(text, at)
}

func notJSON(text string, at int) string {
	if at >= len(text) {
		return "the JSON ends early"
	}
	return fmt.Sprintf("invalid JSON at byte %d of the reply", at)
}

// items finds the end of an object or array.
func items(text string, at, depth int) (end int, why string) {
	object, closing := text[at] == '{', byte(']')
	if object {
		closing = '}'
	}
	at = skipSpace(text, at+1)
	if at < len(text) && text[at] == closing {
		return at + 1, ""
	}
	for {
		if object {
			if at, why = key(text, at); why != "" {
				return at, why
			}
		}
		if at, why = value(text, skipSpace(text, at), depth); why != "" {
			return at, why
		}
		at = skipSpace(text, at)
		if at < len(text) && text[at] == closing {
			return at + 1, ""
		}
		if at >= len(text) || text[at] != ',' {
			return at, notJSON(text, at)
		}
		at = skipSpace(text, at+1)
	}
}

// key moves behind the name and the colon of a member.
func key(text string, at int) (end int, why string) {
	if at >= len(text) || text[at] != '"' {
		return at, notJSON(text, at)
	}
	if at, why = stringEnd(text, at); why != "" {
		return at, why
	}
	at = skipSpace(text, at)
	if at >= len(text) || text[at] != ':' {
		return at, notJSON(text, at)
	}
	return at + 1, ""
}

func stringEnd(text string, at int) (end int, why string) {
	for at++; at < len(text); {
		n := 1
		switch c := text[at]; {
		case c == '"':
			return at + 1, ""
		case c == '\\':
			n = escapeLen(text[at:])
		case c < ' ':
			n = 0
		}
		if n == 0 {
			return at, notJSON(text, at)
		}
		at += n
	}
	return at, notJSON(text, at)
}

// escapeLen returns the length of the escape at the start of a text; 0: it is invalid.
func escapeLen(text string) int {
	switch {
	case len(text) >= 6 && text[1] == 'u' && strings.Trim(text[2:6], "0123456789abcdefABCDEF") == "":
		return 6
	case len(text) >= 2 && strings.IndexByte(`"\/bfnrt`, text[1]) >= 0:
		return 2
	}
	return 0
}

func number(text string, at int) (end int, why string) {
	digits := func() bool {
		begun := at
		for at < len(text) && text[at] >= '0' && text[at] <= '9' {
			at++
		}
		return at > begun
	}
	is := func(set string) bool {
		has := at < len(text) && strings.IndexByte(set, text[at]) >= 0
		if has {
			at++
		}
		return has
	}
	is("-")
	if !is("0") && !digits() {
		return at, notJSON(text, at)
	}
	if is(".") && !digits() {
		return at, notJSON(text, at)
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return at, notJSON(text, at)
		}
	}
	return at, ""
}

// notObject says why a text is not one JSON object; empty: it is.
func notObject(text string) string {
	why := whole(text)
	if why == "" && !strings.HasPrefix(text, "{") {
		return "not a JSON object"
	}
	return why
}

// whole says why a text is not one JSON value; empty: it is.
func whole(text string) (why string) {
	end, why := value(text, 0, 0)
	if why == "" && end < len(text) {
		why = notJSON(text, end)
	}
	if why != "" && end < len(text) {
		why = fmt.Sprintf("invalid JSON at byte %d of them", end)
	}
	return why
}

// A written call is a JSON object with a name and arguments, as far as it can be read.
type written struct {
	call quintain.ToolCall
	from int    // where it begins
	args [2]int // where the arguments are; zero: there are none
	more bool   // it has other members
	end  int    // of the object
	why  string // it is broken, and end is the place of the fault
}

// object reads the object that stands here, and does not move.
func (r *reader) object() (w written) {
	at := skipSpace(r.text, r.at)
	defer func() { r.worked(w.end - r.at) }()
	if !strings.HasPrefix(r.text[at:], "{") {
		return written{end: at, why: "want a JSON object"}
	}
	w.from = at
	at = skipSpace(r.text, at+1)
	if strings.HasPrefix(r.text[at:], "}") {
		w.end = at + 1
		return w
	}
	for {
		if at = w.member(r.text, at); w.why != "" {
			w.end = at
			return w
		}
		at = skipSpace(r.text, at)
		if strings.HasPrefix(r.text[at:], "}") {
			if w.end = at + 1; w.more && w.args[1] == 0 {
				w.why = "it has no arguments"
			}
			return w
		}
		if !strings.HasPrefix(r.text[at:], ",") {
			w.end, w.why = at, notJSON(r.text, at)
			return w
		}
		at = skipSpace(r.text, at+1)
	}
}

// member reads one member of the object, and returns its end.
func (w *written) member(text string, at int) int {
	named := at
	at, w.why = key(text, at)
	if w.why != "" {
		return at
	}
	name := text[named:at]
	name = name[1:strings.LastIndexByte(name, '"')]
	from := skipSpace(text, at)
	isArgs := name == "arguments" || name == "parameters"
	if isArgs {
		w.args = [2]int{from, len(text)}
	}
	at, w.why = value(text, from, 1)
	if w.why != "" {
		return at
	}
	switch {
	case isArgs:
		w.args[1] = at
	case name == "name":
		w.call.Name = unquoted(text[from:at])
	case name == "id":
		w.call.ID = unquoted(text[from:at])
	case name != "type":
		w.more = true
	}
	return at
}

// unquoted returns the text of a JSON string; empty for any other value.
func unquoted(literal string) (text string) {
	if strings.HasPrefix(literal, `"`) {
		_ = strictjson.Unmarshal([]byte(literal), &text) // it was checked by value
	}
	return text
}

// writtenEnd returns where an object of a list ends, and whether the list may go on behind it. A
// broken one reaches to the bracket before one of the signs, or else to the mark.
func (r *reader) writtenEnd(w written, signs, mark string) (end int, goesOn bool) {
	if w.why == "" {
		return w.end, true
	}
	end = r.ends(mark)
	if from := skipSpace(r.text, r.at); strings.HasPrefix(r.text[from:], "{") {
		if near := r.balanced(from, end, `"`, signs); near >= 0 {
			return near, true
		}
	}
	return end, false
}

// take adds a written call that ends at end, and moves there. It reports false for one
// without a name, whose text then stays content. A broken one has as arguments all that
// was written from their beginning, or from its own.
func (r *reader) take(w written, end int) bool {
	defer func() { r.at = end }()
	if w.call.Name == "" {
		r.fault("%s", orElse(w.why, "it has no name"))
		return false
	}
	switch {
	case w.why != "":
		r.fault("%s", w.why)
		if w.args[1] > 0 {
			w.from = w.args[0]
		}
		w.call.Arguments = trim(r.text[w.from:end])
	case w.args[1] == 0:
		w.call.Arguments = "{}"
	default:
		w.call.Arguments = r.text[w.args[0]:w.args[1]]
		if text := unquoted(w.call.Arguments); notObject(text) == "" {
			w.call.Arguments = text // an object, written as the text of one
		}
		if why := notObject(w.call.Arguments); why != "" {
			r.fault("the arguments of %s: %s", w.call.Name, why)
		}
	}
	r.call(w.call)
	return true
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
