package answer_test

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task/answer"
)

func TestReadings(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
		why  string
	}{
		{"84084", nil, "a bare number"},
		{"-35 + 95i", nil, "nothing to take off"},
		{"", nil, "no answer"},
		{" 84084 \r\n", []string{"84084"}, "space around it"},
		{"84,084", []string{"84084"}, "separators of thousands"},
		{"-1,284,084.25", []string{"-1284084.25"}, "with a sign and a fraction"},
		{"84 084", []string{"84084"}, "a thin one"},
		{`84{,}084`, []string{"84084"}, "as in LaTeX"},
		{"84,08", nil, "a group of two digits"},
		{"8,4084", nil, "a group of four"},
		{"84,084,", nil, "a list"},
		{"1,084_000", nil, "two separators"},
		{"−7", []string{"-7"}, "the minus of Unicode"},
		{"**84,084**", []string{"84,084", "84084"}, "two readings"},
		{"**7** or **8**", nil, "two answers"},
		{"```\n1 0\n0 1\n```", []string{"1 0\n0 1"}, "a code block"},
		{"```json\r\n[1]\r\n```", []string{"[1]"}, "that names its language"},
		{"```1 0```", []string{"1 0"}, "of one line"},
		{"`R U`", []string{"R U"}, "code"},
		{`$\boxed{7}$`, []string{"7"}, "a formula"},
		{"1  0 \r\n0\t1", []string{"1 0\n0 1"}, "a board with spaces"},
		{"TRUE", []string{"True"}, ""},
		{"false", []string{"False"}, ""},
		{"False", nil, ""},
		{"['a', 'b']", []string{`["a", "b"]`}, "a list of Python"},
		{`["it's", 'it\'s', '"']`, []string{`["it's", "it's", "\""]`}, "quotes within quotes"},
		{"{0: 1, 'b': True, c: None}", []string{`{"0": 1, "b": true, "c": null}`}, "an object of Python"},
		{"(1, 2,)", []string{"[1, 2]"}, "a tuple"},
		{"[[1, 2], [3, 4,],\n]", []string{"[[1, 2], [3, 4]]", "1 2\n3 4"}, "commas at the end"},
		{"['a", nil, "a string without an end"},
		{`['a\`, nil, "nor after a backslash"},
		{"(((", []string{"[[["}, "brackets without an end"},
	} {
		if got := answer.Readings(test.text, nil); !slices.Equal(got, test.want) {
			t.Errorf("Readings(%q) = %q, want %q (%s)", test.text, got, test.want, test.why)
		}
	}
}

func FuzzReadings(f *testing.F) {
	f.Add("**{'a': [1, (2, 3,)], b: \"\\\"\"}**")
	f.Add("```text\n−1,000\t 2\r\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, reading := range answer.Readings(text, nil) {
			if reading == text || len(reading) > 3*len(text) {
				t.Errorf("%q is read as %q", text, reading)
			}
		}
	})
}
