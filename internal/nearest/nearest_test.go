package nearest_test

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/internal/nearest"
)

func Example() {
	fmt.Println(`no task "countdwon"` + nearest.Suggest("countdwon", []string{"count_bits", "countdown"}))
	// Output: no task "countdwon"; did you mean "countdown"?
}

func TestName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ word, want, why string }{
		{"countdown", "countdown", "the name itself"},
		{"count_down", "countdown", "one letter too many"},
		{"cuontdonw", "countdown", "two pairs of letters are swapped"},
		{"xuontdxwz", "", "four letters are wrong"},
		{"cuontdown", "countdown", "two letters are swapped"},
		{"", "", "no name is near an empty word"},
		{"ba", "ab", "both letters of a short name are swapped"},
		{"cd", "", "every letter of a short name is wrong"},
		{"a", "ab", "one letter too few"},
		{"xyz", "", "nothing is near"},
	} {
		if got, _ := nearest.Name(test.word, []string{"ab", "count_bits", "countdown"}); got != test.want {
			t.Errorf("%s: %q gives %q, want %q", test.why, test.word, got, test.want)
		}
	}
}
