package dataset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/quintain-rl/quintain/tasks/dataset"
)

// say notes what is read, in a line each.
func say(to *strings.Builder, end error) func(int, []byte, error) error {
	return func(n int, text []byte, err error) error {
		fmt.Fprintf(to, "%d %q %v\n", n, strings.TrimSpace(string(text)), err)
		return end
	}
}

func TestLines(t *testing.T) {
	stop := errors.New("stop")
	for _, test := range []struct {
		why, text, want string
		end             error
	}{
		{"lines with and without an end", "a\nb", "1 \"a\" <nil>\n2 \"b\" <nil>\n", nil},
		{"blank lines are counted", "\n \r\na\n\n", "3 \"a\" <nil>\n", nil},
		{"a long line, and one after it", strings.Repeat("x", 100_000) + "\na", "1 \"\" it has more than 10 bytes\n2 \"a\" <nil>\n", nil},
		{"a long line at the end", "a\n" + strings.Repeat("x", 100), "1 \"a\" <nil>\n2 \"\" it has more than 10 bytes\n", nil},
		{"nothing", "", "", nil},
		{"the caller stops", "a\nb", "1 \"a\" <nil>\n", stop},
	} {
		var got strings.Builder
		if err := dataset.Lines(strings.NewReader(test.text), 10, say(&got, test.end)); got.String() != test.want || !errors.Is(err, test.end) {
			t.Errorf("%s: %s, error %v", test.why, &got, err)
		}
	}
	if err := dataset.Lines(iotest.ErrReader(stop), 10, say(new(strings.Builder), nil)); err == nil || err.Error() != "line 1: stop" {
		t.Errorf("a disk that fails: error %v", err)
	}
}

func TestLists(t *testing.T) {
	stop := errors.New("stop")
	for _, test := range []struct{ why, text, want, says string }{
		{"elements", ` [ {"a":1}, 2 ] `, "1 \"{\\\"a\\\":1}\" <nil>\n2 \"2\" <nil>\n", ""},
		{"none", `[]`, "", ""},
		{"a list that is cut", `[1,`, "1 \"1\" <nil>\n", "after element 1 of the JSON list: the JSON ends too early"},
		{"something after the list", `[1] 2`, "1 \"1\" <nil>\n", "after element 1 of the JSON list: '2' stands"},
		{"a large one", "[" + strings.Repeat(" ", 60) + "]", "", "the JSON list has more than 50 bytes: write its elements as JSON lines, an object each"},
	} {
		var got strings.Builder
		err := dataset.List(strings.NewReader(test.text), 50, say(&got, nil))
		if got.String() != test.want || (err == nil) != (test.says == "") || err != nil && !strings.HasPrefix(err.Error(), test.says) {
			t.Errorf("%s: %s, error %v", test.why, &got, err)
		}
	}
	if err := dataset.List(strings.NewReader("[1,2"), 50, say(new(strings.Builder), stop)); !errors.Is(err, stop) {
		t.Errorf("the caller stops: error %v", err)
	}
}
