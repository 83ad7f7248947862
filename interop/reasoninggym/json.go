package reasoninggym

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// noNumber stands for NaN, which Python's JSON may have and ours may not.
const noNumber = "-0.0e-777777"

// pyReadJSON reads text as Python's json.loads does: NaN and Infinity are numbers. The values
// are those of [answer.ReadJSON].
func pyReadJSON(text string) (v any, ok bool) {
	v, err := answer.ReadJSON(text)
	if err != nil && strings.ContainsAny(text, "NI") {
		v, err = answer.ReadJSON(plainNumbers(text))
	}
	return v, err == nil
}

// plainNumbers writes NaN and Infinity outside of strings as numbers of JSON.
func plainNumbers(text string) string {
	parts := strings.Split(text, `"`)
	quoted := false
	for i, p := range parts {
		if !quoted {
			parts[i] = strings.NewReplacer("NaN", noNumber, "Infinity", "1e999999").Replace(p)
			quoted = true
			continue
		}
		quoted = (len(p)-len(strings.TrimRight(p, `\`)))%2 == 1 // an escaped quote
	}
	return strings.Join(parts, `"`)
}

// pyNumber returns a JSON number or truth value as a float, as Python's float does.
func pyNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case json.Number:
		if v == noNumber {
			return math.NaN(), true
		}
		x, _ := strconv.ParseFloat(v.String(), 64) // out of range is an infinity
		return x, true
	}
	return 0, false
}

// pySame reports whether two JSON values are equal in Python: 1, 1.0 and true are.
func pySame(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, pySame)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, has := y[name]; !has || !pySame(v, w) {
				return false
			}
		}
		return true
	case json.Number, bool:
		return sameNumbers(a, b)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// sameNumbers compares numbers and truth values; long whole numbers exactly.
func sameNumbers(a, b any) bool {
	x, isX := pyNumber(a)
	y, isY := pyNumber(b)
	if !isX || !isY || x != y {
		return false
	}
	m, isM := integer(a)
	n, isN := integer(b)
	return !isM || !isN || m.Cmp(n) == 0
}

// integer returns a JSON number written without a point and an exponent.
func integer(v any) (*big.Int, bool) {
	n, ok := v.(json.Number)
	if !ok || strings.ContainsAny(n.String(), ".eE") {
		return nil, false
	}
	return new(big.Int).SetString(n.String(), 10)
}

// pyWriteFloat writes a float as Python does.
func pyWriteFloat(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return map[bool]string{true: "inf", false: "-inf"}[x > 0]
	}
	if size := math.Abs(x); x != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// pyWriteScalar writes a value that is no list or object as Python's str does.
func pyWriteScalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case string:
		return v
	case json.Number:
		if n, ok := integer(v); ok {
			return n.String()
		}
		x, _ := pyNumber(v)
		return pyWriteFloat(x)
	}
	return ""
}

// pyDumped returns the length of a value as Python writes it in JSON.
func pyDumped(v any) int {
	switch v := v.(type) {
	case []any:
		n := 2 + 2*max(0, len(v)-1)
		for _, one := range v {
			n += pyDumped(one)
		}
		return n
	case map[string]any:
		n := 2 + 2*max(0, len(v)-1)
		for name, one := range v {
			n += pyDumped(name) + 2 + pyDumped(one)
		}
		return n
	case string:
		n := 2
		for _, r := range v {
			switch {
			case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
				n += 2
			case r > 0xffff:
				n += 12
			case r < ' ' || r > '~':
				n += 6
			default:
				n++
			}
		}
		return n
	case nil:
		return len("null")
	case json.Number:
		if x, _ := pyNumber(v); math.IsInf(x, 0) {
			return len("Infinity") + len(pyWriteFloat(x)) - len("inf")
		}
	}
	return len(pyWriteScalar(v))
}
