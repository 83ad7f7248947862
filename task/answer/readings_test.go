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
		{`\boxed{\text{No}}`, []string{"No"}, "a text in a box"},
		{`$\boxed{\mathrm{R U}}$`, []string{"R U"}, "in a formula"},
		{`\boxed{{"a": {"b": 1}}}`, []string{`{"a": {"b": 1}}`}, "an object in a box"},
		{`\boxed{\{"a": 1\}}`, []string{`\{"a": 1\}`, `{"a": 1}`}, "with the escapes of LaTeX"},
		{`\boxed{1} or \boxed{2}`, nil, "two boxes"},
		{`\boxed{1}}`, nil, "a brace too many"},
		{`\boxed{}`, nil, "an empty box"},
		{`\frac{1}{2}`, nil, "a command with a meaning"},
		{"**x**2 + 3*x**", []string{"x**2 + 3*x"}, "a power in bold"},
		{"**-(2*x + 1)**3**", []string{"-(2*x + 1)**3"}, "of brackets"},
		{"**1** **2**", nil, "two in bold"},
		{"*No*", []string{"No"}, "asterisks"},
		{`"No"`, []string{"No"}, "quotes"},
		{"“No.”", []string{"No.", "No"}, "with a full stop"},
		{`"a" or "b"`, nil, "two in quotes"},
		{"7.", []string{"7"}, "a full stop"},
		{"No..", nil, "two of them"},
		{". # .", nil, "a point of a board"},
		{"# #\n. .", nil, "of several lines"},
		{"x .\no.", []string{"x .\no"}, "a full stop, or a cell"},
		{"1 2\n3 4.", []string{"1 2\n3 4"}, "a full stop behind a matrix"},
		{"The answer is 7.", []string{"7.", "7"}, "a sentence"},
		{"So, my final answer is: **1,234**.", []string{"1,234", "1234"}, "a longer one"},
		{"**Answer:** True", []string{"True"}, "a heading"},
		{"**Answer**: No.", []string{"No.", "No"}, ""},
		{"The answer is the dog.", []string{"the dog.", "the dog"}, "whatever it is"},
		{"The answer is not 7", []string{"not 7"}, "a denial stays one"},
		{"The answers are 7", nil, ""},
		{"answering 7", nil, ""},
		{"The answer is", nil, "no answer"},
		{`The answer is $\boxed{\text{No}}$.`, []string{"No"}, "all at once"},
		{"6 * 4 = 24", []string{"6 * 4"}, "the value of an expression"},
		{"6 * 4 = 24.", []string{"6 * 4"}, "with a full stop"},
		{"6 * 4 = 25", nil, "another value"},
		{"24 = 24", nil, "no expression"},
		{"1/0 = 1", nil, "no value"},
		{"7.0", []string{"7"}, "a whole number"},
		{"-1,234.00", []string{"-1234"}, ""},
		{"7.50", nil, "a fraction"},
		{".0", nil, ""},
		{"1,234 + 5,678i", []string{"1234 + 5678i"}, "separators within an expression"},
		{"1,234, 5,678", nil, "a list"},
		{"1,23 + 4", nil, ""},
		{"[[1, 2], [3, 4]]", []string{"1 2\n3 4"}, "a matrix as a list"},
		{"[['#', '.'], ['.', '#']]", []string{`[["#", "."], [".", "#"]]`, "# .\n. #"}, "of Python"},
		{"[[1, 2], [3]]", nil, "rows of two lengths"},
		{"[[1]]", nil, "a single cell"},
		{"[[true, null]]", []string{"true null"}, "neither numbers nor texts"},
		{"`{\"a\":  \"x  −y\",\t\"b\": −1}`", []string{`{"a": "x  −y", "b": -1}`}, "a quoted text keeps its spaces"},
		{`["it's  so",  "a`, []string{`["it's  so", "a`}, "a quoted text without an end"},
	} {
		if got := answer.Readings(test.text, "", nil); !slices.Equal(got, test.want) {
			t.Errorf("Readings(%q) = %q, want %q (%s)", test.text, got, test.want, test.why)
		}
	}
}

// A task that refuses quotes gets no reading without them.
func TestReadingsKeepQuotes(t *testing.T) {
	refuses := map[string]string{answer.InQuotes: "They tell a text from a number."}
	for text, want := range map[string][]string{`"7"`: nil, "'7'": nil, `The answer is "7".`: {`"7".`, `"7"`}, "`\"7\"`": {`"7"`}} {
		if got := answer.Readings(text, "", refuses); !slices.Equal(got, want) {
			t.Errorf("Readings(%q) = %q, want %q", text, got, want)
		}
	}
}

// A text is bared as other answers are, and keeps its brackets, numbers and words.
func TestTextReadings(t *testing.T) {
	for text, want := range map[string][]string{"(a) b": nil, "1,234 b": nil, "true": nil, "**(a)  b**": {"(a) b"}} {
		if got := answer.TextReadings(text, nil); !slices.Equal(got, want) {
			t.Errorf("TextReadings(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzReadings(f *testing.F) {
	f.Add("**{'a': [1, (2, 3,)], b: \"\\\"\"}**")
	f.Add("```text\n−1,000\t 2\r\n```")
	f.Add(`So, the answer is: "$\\boxed{\\text{\\{'a': 1,000.0\\}}}$".`)
	f.Add("**Answer:** *(1,234 + 2)**3 = 7.*")
	f.Add(`[["a  b", 1], [2, "−"]]`)
	f.Fuzz(func(t *testing.T, text string) {
		readings := answer.Readings(text, " ", nil)
		const most = 7
		if len(readings) > most {
			t.Errorf("%q has the readings %q", text, readings)
		}
		for _, reading := range readings {
			if reading == text || len(reading) > 3*len(text) {
				t.Errorf("%q is read as %q", text, reading)
			}
		}
	})
}
