package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

const (
	maxFloat = math.MaxFloat64
	maxInt32 = math.MaxInt32
	minInt   = math.MinInt64
)

// A place says where a value stands in a body.
type place struct {
	up    *place // nil: the body itself
	name  string // the member; empty: an element
	index int
}

// String is the path to the place, such as messages[3].content.
func (p *place) String() string {
	switch {
	case p.up == nil:
		return p.name
	case p.name == "":
		return p.up.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.up.up == nil:
		return p.name
	}
	return p.up.String() + "." + p.name
}

// A value is one of a body: valid JSON, after [strictjson.Check]. The methods keep the first
// fault of the body in it, and return zero values after it.
type value struct {
	text []byte // part of the body; nil: absent
	at   place
	body *body
}

// A body is what is known of a whole body.
type body struct {
	fault    *Error // the first
	limits   Limits
	elements int // of all lists read so far
}

// fields is an object with its members.
type fields struct {
	value
	members []span
}

// A span is a member as it stands in a body.
type span struct{ name, value []byte }

// readBody reads the body of a request.
func readBody(text []byte, limits Limits) fields {
	b := &body{limits: limits}
	if wrong := strictjson.Check(text, limits.Depth); wrong != nil {
		b.refuse(CodeValue, wrong.Path, wrong.Why)
		return fields{value: value{body: b}}
	}
	return value{text: bytes.TrimSpace(text), body: b}.fields()
}

// refuse notes the fault of a value.
func (v value) refuse(code, format string, args ...any) {
	if !v.failed() {
		v.body.refuse(code, v.at.String(), fmt.Sprintf(format, args...))
	}
}

func (b *body) refuse(code, field, why string) {
	if field == "" {
		why = "the body: " + why
	}
	b.fault = &Error{Status: http.StatusBadRequest, Code: code, Field: field, Message: why}
}

// want notes that a value has the wrong form.
func (v value) want(form string) { v.refuse(CodeValue, "want %s", form) }

// failed reports whether the body has a fault.
func (v value) failed() bool { return v.body.fault != nil }

// given reports whether the value is there, and not null.
func (v value) given() bool { return v.text != nil && string(v.text) != "null" }

// is reports whether the value begins with c, which tells its kind.
func (v value) is(c byte) bool { return len(v.text) > 0 && v.text[0] == c }

// fields reads an object; absent or null: one without members.
func (v value) fields() fields {
	f := fields{value: v}
	switch {
	case v.failed() || !v.given():
		return f
	case !v.is('{'):
		v.want("an object")
		return f
	}
	plain := strictjson.Members(v.text, func(name, text []byte) bool {
		f.members = append(f.members, span{name, text})
		return true
	})
	if !plain { // a name with escapes
		f.members = nil
		var all map[string]json.RawMessage
		if err := strictjson.Unmarshal(v.text, &all); err != nil {
			v.want("an object")
		}
		for name, text := range all {
			f.members = append(f.members, span{[]byte(name), text})
		}
	}
	return f
}

// get returns a member.
func (f *fields) get(name string) value {
	v := value{at: place{&f.at, name, 0}, body: f.body}
	for _, m := range f.members {
		if string(m.name) == name {
			v.text = m.value
			break
		}
	}
	return v
}

// elements calls each with the elements of a list, until there is a fault; absent or null: none.
func (v value) elements(each func(i int, one value)) {
	switch {
	case v.failed() || !v.given():
		return
	case !v.is('['):
		v.want("a list")
		return
	}
	i := 0
	strictjson.Elements(v.text, func(text []byte) bool {
		if v.body.elements++; v.body.elements > v.body.limits.Elements {
			v.refuse(CodeValue, "want at most %d messages, parts and tool calls in all", v.body.limits.Elements)
			return false
		}
		each(i, value{text, place{&v.at, "", i}, v.body})
		i++
		return !v.failed()
	})
}

// string reads a text; absent or null: empty.
func (v value) string() string {
	if v.failed() || !v.given() {
		return ""
	}
	text, ok := strictjson.Text(v.text)
	if !ok {
		v.want("a text")
	}
	return text
}

// bool reads true or false; absent or null: false.
func (v value) bool() bool {
	if v.given() && string(v.text) != "true" && string(v.text) != "false" {
		v.want("true or false")
	}
	return string(v.text) == "true"
}

// number reads a number within limits; nil: absent or null.
func (v value) number(least, most float64) *float64 {
	if v.failed() || !v.given() {
		return nil
	}
	n, err := strconv.ParseFloat(string(v.text), 64)
	if err != nil || n < least || n > most {
		if most == maxFloat {
			v.want(fmt.Sprintf("a number of at least %v", least))
		} else {
			v.want(fmt.Sprintf("a number from %v to %v", least, most))
		}
	}
	return &n
}

// whole reads a whole number, not below least; nil: absent or null.
func (v value) whole(least int64) *int64 {
	if v.failed() || !v.given() {
		return nil
	}
	n, err := strconv.ParseInt(string(v.text), 10, 64)
	if err != nil || n < least {
		v.want(fmt.Sprintf("a whole number of at least %d", least))
	}
	return &n
}

// count reads a positive number that fits an int32; absent or null: 0.
func (v value) count() int {
	n := v.whole(1)
	if n == nil {
		return 0
	}
	return int(min(*n, maxInt32))
}

// compact returns a copy of the value without white space between its parts.
func (v value) compact() json.RawMessage {
	var b bytes.Buffer
	if v.failed() || json.Compact(&b, v.text) != nil {
		return nil
	}
	return b.Bytes()
}
