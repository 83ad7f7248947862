package dataset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tasks/dataset"
)

func TestCSV(t *testing.T) {
	for _, c := range []struct{ why, text, want, fails string }{
		{"plain", "a,b\n1,2\n3,4\n", "1 map[a:1 b:2] <nil>\n2 map[a:3 b:4] <nil>\n", ""},
		{"quotes, lines within, carriage returns", "a,b\r\n\"x\ny\",\"say \"\"hi\"\"\"\r\n", "1 map[a:x\ny b:say \"hi\"] <nil>\n", ""},
		{"a mark of UTF-8", "\ufeffa\n1\n", "1 map[a:1] <nil>\n", ""},
		{"no end of the last line", "a\n1", "1 map[a:1] <nil>\n", ""},
		{"names alone", "a,b\n", "", ""},
		{"an empty file", "", "", ""},
		{"too few cells, and then the next row", "a,b\n1\n3,4\n", "1 map[] line 2: there are 1 cells, want 2, one for each column\n2 map[a:3 b:4] <nil>\n", ""},
		{"a quote out of place, and then the next row", "a\nx\"y\n2\n", "1 map[] line 2, byte 2: a quote is out of place: put quotes around the cell, and write the one within it twice\n2 map[a:2] <nil>\n", ""},
		{"a name twice", "a,b,a\n1,2,3\n", "", `the column "a" stands there twice`},
		{"a quote without an end", "a\n\"" + strings.Repeat("x\n", 60_000), "", "row 1: it has more than 10000 bytes"},
		{"names without an end", strings.Repeat("x,", 60_000), "", "the names of the columns: it has more than 10000 bytes"},
	} {
		var got strings.Builder
		err := dataset.CSV(strings.NewReader(c.text), 10_000, func(n int, cells map[string]string, err error) error {
			fmt.Fprintln(&got, n, cells, err)
			return nil
		})
		if got.String() != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %q, error %v", c.why, got.String(), err)
		}
	}
	stop := errors.New("stop")
	if err := dataset.CSV(strings.NewReader("a\n1\n2\n"), 100, func(int, map[string]string, error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller ends it: error %v", err)
	}
}
