package replies

import (
	"strings"
	"testing"
)

func TestRenderings(t *testing.T) {
	want := map[string][2]string{ // of a solution
		"in bold":                             {"x**2 + 1", "**x**2 + 1**"},
		"in italics":                          {"No", "*No*"},
		"in quotes":                           {"No", `"No"`},
		"in a box":                            {`{"a": 1}`, `\boxed{{"a": 1}}`},
		"in a box, as a text":                 {"No", `\boxed{\text{No}}`},
		"in a box, with its braces escaped":   {`{"a": 1}`, `\boxed{\{"a": 1\}}`},
		"with a full stop":                    {"No", "No."},
		"in a sentence":                       {"No", "The answer is No."},
		"after the word answer":               {"No", "**Answer:** No"},
		"in a sentence, in a box":             {"No", `The final answer is $\boxed{No}$.`},
		"with separators of thousands within": {"1234 + 5i", "1,234 + 5i"},
		"as a decimal number":                 {"7", "7.0"},
		"with its value":                      {"6 * 4", "6 * 4 = 24"},
		"as a list of rows":                   {"1 2\n3 4", "[[1,2],[3,4]]"},
	}
	for _, r := range renderings {
		if test, listed := want[r.Name]; listed {
			if got := r.Of(test[0]); got != test[1] {
				t.Errorf("%s: %q, want %q", r.Name, got, test[1])
			}
			delete(want, r.Name)
		}
	}
	for name := range want {
		t.Errorf("there is no rendering %s", name)
	}
	for _, r := range renderings { // of texts without these forms
		for _, solution := range []string{"", "}{"} {
			if got := r.Of(solution); strings.Contains(got, "boxed") {
				t.Errorf("%s: %q is written as %q", r.Name, solution, got)
			}
		}
	}
}
