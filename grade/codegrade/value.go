package codegrade

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// deepest is how many values may stand within each other. The form of driver.py needs up to three for
// one of Python, and driver.py goes 150 deep.
const deepest = 500

// decode reads one JSON value: numbers as json.Number, the rest as package encoding/json has it.
func decode(text []byte) (value any, err error) {
	if fault := strictjson.Check(text, deepest); fault != nil {
		return nil, fault
	}
	err = strictjson.UnmarshalNumbers(text, &value)
	return value, err
}

// A set is a set of Python, in no order.
type set []any

// errForm says that a text is no value as the driver writes them.
var errForm = errors.New("no value of a plain type")

// unpack makes a value of the form in which driver.py writes those of Python: a list is a list; an
// object has one member, whose name is the type.
func unpack(packed any) (any, error) {
	switch v := packed.(type) {
	case []any:
		return unpackAll(v)
	case map[string]any:
		for kind, inner := range v {
			if len(v) == 1 {
				return unpackTyped(kind, inner)
			}
		}
		return nil, errForm
	}
	return packed, nil
}

// unpackAll unpacks the members of a list.
func unpackAll(packed []any) ([]any, error) {
	all := make([]any, len(packed))
	for i, one := range packed {
		v, err := unpack(one)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}

// unpackTyped unpacks a value other than a list.
func unpackTyped(kind string, inner any) (any, error) {
	if text, ok := inner.(string); ok && kind == "float" {
		return strconv.ParseFloat(text, 64)
	} else if ok && kind == "complex" {
		n, err := complexOf(text)
		if imag(n) == 0 { // as Python sees it, the real number
			return real(n), err
		}
		return n, err
	} else if ok && kind == "none" {
		return nil, errors.New(shown(text))
	}
	list, ok := inner.([]any)
	if !ok {
		return nil, errForm
	}
	switch kind {
	case "tuple":
		return unpackAll(list)
	case "set", "frozenset":
		all, err := unpackAll(list)
		return set(all), err
	case "dict":
		return unpackDict(list)
	}
	return nil, errForm
}

// complexOf reads a complex number as Python writes it, such as (1-2j).
func complexOf(text string) (complex128, error) {
	return strconv.ParseComplex(strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "j", "i"), 128)
}

// unpackDict makes an object of a list of pairs. The keys are texts, or whole numbers.
func unpackDict(pairs []any) (any, error) {
	object := map[string]any{}
	for _, one := range pairs {
		pair, ok := one.([]any)
		if !ok || len(pair) != 2 {
			return nil, errForm
		}
		key, ok := pair[0].(string)
		if n, number := pair[0].(json.Number); number {
			key, ok = n.String(), true
		}
		if _, twice := object[key]; !ok || twice {
			return nil, errForm
		}
		v, err := unpack(pair[1])
		if err != nil {
			return nil, err
		}
		object[key] = v
	}
	return object, nil
}

// equal reports whether a result equals the expected JSON value, as Python sees it: True is 1, a set
// equals a list of its members, and a complex number the text that Python writes of it. Whole numbers are exact; beside an expected fraction, a number
// may differ by a millionth of it.
func equal(want, got any) bool {
	switch want := want.(type) {
	case []any:
		return equalLists(want, got)
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for name, w := range want {
			if g, there := got[name]; !there || !equal(w, g) {
				return false
			}
		}
		return true
	case string:
		if got, ok := got.(complex128); ok { // JSON has no other form of it
			n, err := complexOf(want)
			return err == nil && near(real(n), real(got)) && near(imag(n), imag(got))
		}
		return want == got
	case nil:
		return got == nil
	}
	w, isNumber := numeral(want)
	g, ok := numeral(got)
	return isNumber && ok && equalNumbers(w, g)
}

// equalLists compares a list with a list or a set.
func equalLists(want []any, got any) bool {
	list, ok := got.([]any)
	if all, isSet := got.(set); isSet {
		list, ok = sorted(all), true
		want = sorted(want)
	}
	return ok && slices.EqualFunc(want, list, equal)
}

// sorted returns values in the order of their JSON forms.
func sorted(values []any) []any {
	type keyed struct {
		key   string
		value any
	}
	all := make([]keyed, len(values))
	for i, v := range values {
		form, err := json.Marshal(v)
		if err != nil { // a number that JSON lacks
			form = []byte(`"NaN"`)
		}
		all[i] = keyed{string(form), v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	list := make([]any, len(all))
	for i, one := range all {
		list[i] = one.value
	}
	return list
}

// A numberOf is a number as it is written: whole, or as a fraction or with an exponent.
type numberOf struct {
	whole    string // its digits; empty: it is a fraction
	fraction float64
}

// numeral returns a value as a number.
func numeral(value any) (numberOf, bool) {
	switch v := value.(type) {
	case bool:
		if v {
			return numberOf{whole: "1"}, true
		}
		return numberOf{whole: "0"}, true
	case float64:
		return numberOf{fraction: v}, true
	case json.Number:
		text := v.String()
		if text == "-0" {
			text = "0"
		}
		if strings.ContainsAny(text, ".eE") {
			n, err := strconv.ParseFloat(text, 64)
			return numberOf{fraction: n}, err == nil
		}
		return numberOf{whole: text}, true
	}
	return numberOf{}, false
}

// nearness is the largest relative difference of a result and an expected fraction.
const nearness = 1e-6

// equalNumbers compares a number with the expected one.
func equalNumbers(want, got numberOf) bool {
	switch {
	case want.whole != "" && got.whole != "":
		return want.whole == got.whole
	case want.whole != "":
		return isWhole(got.fraction, want.whole)
	}
	n := got.fraction
	if got.whole != "" {
		if len(got.whole) > mostDigits {
			return false
		}
		n, _ = strconv.ParseFloat(got.whole, 64)
	}
	return near(want.fraction, n)
}

// near reports whether a fraction is near the expected one.
func near(want, got float64) bool {
	return math.Abs(got-want) <= max(1e-9, nearness*math.Abs(want)) && !math.IsInf(got, 0)
}

// isWhole reports whether a float is a whole number.
func isWhole(n float64, digits string) bool {
	if math.IsInf(n, 0) || n != math.Trunc(n) || len(digits) > mostDigits {
		return false
	}
	exact, _ := big.NewFloat(n).Int(nil)
	return exact.String() == digits
}
