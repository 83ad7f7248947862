package harbor_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/harbor"
)

// text and object are files with rewards.
func text(s string) harbor.Verdict   { return harbor.Verdict{Text: &harbor.Left{Text: []byte(s)}} }
func object(s string) harbor.Verdict { return harbor.Verdict{JSON: &harbor.Left{Text: []byte(s)}} }

// both is both files.
func both(txt, json string, named bool) harbor.Verdict {
	return harbor.Verdict{Text: text(txt).Text, JSON: object(json).JSON, NamesBoth: named}
}

// keyed names the reward of a file.
func keyed(v harbor.Verdict, key string) harbor.Verdict {
	v.Key = key
	return v
}

func TestRewards(t *testing.T) {
	t.Parallel()
	link := &harbor.Left{Err: errors.New("it is a link")}
	for _, test := range []struct {
		why  string
		left harbor.Verdict
		want any // a number, or the kind of the fault
	}{
		{"a number", text("1"), 1.0},
		{"space around", text(" \t0.5\r\n\n"), 0.5},
		{"a sign", text("+1"), 1.0},
		{"below 0 and above 1", text("-2.5e1"), -25.0},
		{"digits alone before or after the point", text("1."), 1.0},
		{"no digit before the point", text(".5"), 0.5},
		{"an exponent", text("1e3"), 1000.0},
		{"too small to tell from 0", text("1e-999"), 0.0},
		{"an underscore", text("1_0"), harbor.Unreadable},
		{"wide digits", text("１"), harbor.Unreadable},
		{"Arabic digits", text("٣"), harbor.Unreadable},
		{"hexadecimal", text("0x1"), harbor.Unreadable},
		{"two numbers", text("1 0"), harbor.Unreadable},
		{"two lines", text("1\n0"), harbor.Unreadable},
		{"a fraction", text("1/2"), harbor.Unreadable},
		{"a comment", text("1 # ok"), harbor.Unreadable},
		{"nothing in it", text(""), harbor.Unreadable},
		{"space alone", text("\n"), harbor.Unreadable},
		{"no digits", text("."), harbor.Unreadable},
		{"nan", text("nan"), harbor.Unreadable},
		{"inf", text("-inf"), harbor.Unreadable},
		{"beyond all numbers", text("1e999"), harbor.Unreadable},
		{"a NUL", text("1\x00"), harbor.Unreadable},
		{"a byte order mark", text("\ufeff1"), harbor.Unreadable},
		{"a no-break space", text("\u00a01"), harbor.Unreadable},
		{"a link", harbor.Verdict{Text: link}, harbor.Unreadable},

		{"a JSON object", object(`{"reward": 0.25}`), 0.25},
		{"more keys", object(`{"a": 0, "reward": 1, "b": 2}`), 1.0},
		{"the only key", object(`{"score": 0.75}`), 0.75},
		{"a key that is set", keyed(object(`{"a": 0.5, "b": 1}`), "a"), 0.5},
		{"a key that is set, and another of the usual name", keyed(object(`{"a": 0.5, "reward": 1}`), "a"), 0.5},
		{"a key that is not there", keyed(object(`{"reward": 1}`), "a"), 1.0},
		{"several keys, and none is known", object(`{"a": 0.5, "b": 1}`), harbor.NoKey},
		{"true", object(`{"reward": true}`), 1.0},
		{"false", object(`{"reward": false}`), 0.0},
		{"a text", object(`{"reward": "1"}`), harbor.Unreadable},
		{"null", object(`{"reward": null}`), harbor.Unreadable},
		{"a list", object(`{"reward": [1]}`), harbor.Unreadable},
		{"an object within", object(`{"reward": {"x": 1}}`), harbor.Unreadable},
		{"another value that is no number", object(`{"reward": 1, "why": "x"}`), harbor.Unreadable},
		{"a bare number", object(`1`), harbor.Unreadable},
		{"a list of all", object(`[1]`), harbor.Unreadable},
		{"null for all", object(`null`), harbor.Unreadable},
		{"no JSON", object(`{"reward": 1`), harbor.Unreadable},
		{"something behind", object(`{"reward": 1} x`), harbor.Unreadable},
		{"NaN in JSON", object(`{"reward": NaN}`), harbor.Unreadable},
		{"Infinity in JSON", object(`{"reward": -Infinity}`), harbor.Unreadable},
		{"beyond all numbers in JSON", object(`{"reward": 1e999}`), harbor.Unreadable},
		{"a byte order mark before JSON", object("\ufeff{\"reward\": 1}"), harbor.Unreadable},
		{"nothing in JSON", object(``), harbor.Unreadable},
		{"an empty object", object(`{}`), harbor.NoReward},
		{"the same key twice", object(`{"reward": 0, "reward": 1}`), harbor.Unreadable},
		{"the same key twice, escaped", object(`{"reward": 0, "rewar\u0064": 1}`), harbor.Unreadable},
		{"depth", object(strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)), harbor.Unreadable},
		{"JSON that is a folder", harbor.Verdict{JSON: link}, harbor.Unreadable},

		{"both, and the tests name both", both("0", `{"reward": 1}`, true), 1.0},
		{"both, and the tests name one", both("0", `{"reward": 1}`, false), harbor.Forged},
		{"both alike, and the tests name one", both("1", `{"reward": 1}`, false), harbor.Forged},
		{"both, named, the second broken", both("1", `x`, true), harbor.Unreadable},
		{"a link beside a number", harbor.Verdict{Text: text("1").Text, JSON: link}, harbor.Forged},
		{"nothing", harbor.Verdict{}, harbor.NoReward},
	} {
		got, err := test.left.Reward()
		fault, _ := errors.AsType[*harbor.Fault](err)
		switch want := test.want.(type) {
		case float64:
			if err != nil || got.Value != want {
				t.Errorf("%s: %v, error %v, want %v", test.why, got.Value, err, want)
			}
		case harbor.Kind:
			if fault == nil || fault.Kind != want || got.Value != 0 {
				t.Errorf("%s: %v, error %v, want %s", test.why, got, err, want)
			}
		}
	}
}

func TestOtherNumbersAreKept(t *testing.T) {
	t.Parallel()
	got, err := object(`{"a": 0.5, "reward": 1, "b": true}`).Reward()
	if want := map[string]float64{"a": 0.5, "b": 1}; err != nil || !maps.Equal(got.Metrics, want) {
		t.Errorf("%v, error %v, want %v", got.Metrics, err, want)
	}
}

func TestAFaultShowsTheBytes(t *testing.T) {
	t.Parallel()
	_, err := text("1\x00" + strings.Repeat("x", 500)).Reward()
	if err == nil || !strings.Contains(err.Error(), `reward_unreadable: reward.txt: want a number: "1\x00xx`) || !strings.Contains(err.Error(), "of 502 bytes") {
		t.Error(err)
	}
}

// FuzzReward holds what is read to a number that is finite, and to a fault else.
func FuzzReward(f *testing.F) {
	for _, s := range []string{"1", "1_0", " .5e3\n", `{"reward": 1}`, `{"a":1,"b":2}`, `{"reward":1,"reward":2}`, "\ufeff1", `{"a":true}`, "１"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, json bool) {
		v := harbor.Verdict{Text: &harbor.Left{Text: data}}
		if json {
			v = harbor.Verdict{JSON: &harbor.Left{Text: data}}
		}
		got, err := v.Reward()
		if fault, is := errors.AsType[*harbor.Fault](err); err != nil && (!is || fault.Why == "") {
			t.Fatalf("%q: error %v", data, err)
		}
		if err == nil && (math.IsNaN(got.Value) || math.IsInf(got.Value, 0)) {
			t.Fatalf("%q: %v", data, got)
		}
		for _, c := range data {
			if !json && err == nil && (c >= 0x80 || c == '_') {
				t.Fatalf("%q is a number", data)
			}
		}
		if err == nil && json {
			again, err := (harbor.Verdict{JSON: &harbor.Left{Text: fmt.Appendf(nil, ` %s `, data)}}).Reward()
			if err != nil || again.Value != got.Value {
				t.Fatalf("%q with space around: %v, error %v", data, again, err)
			}
		}
	})
}
