package ors

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		said   string
		pieces int
	}{
		{"nothing", "", 1},
		{"as much as an event has", strings.Repeat("x", chunk), 1},
		{"a byte more", strings.Repeat("x", chunk+1), 2},
		{"long characters across the pieces", "x" + strings.Repeat("語", 3*chunk/3), 4},
	} {
		all := strings.Split(strings.TrimSuffix(string(events("n", []byte(test.said))), "\n\n"), "\n\n")
		if len(all) != 1+test.pieces || all[0] != "event: task_id\ndata: n" || !strings.HasPrefix(all[len(all)-1], "event: end\n") {
			t.Errorf("%s: %d events, want a name and %d pieces, the last one the end", test.why, len(all), test.pieces)
		}
		said := ""
		for _, event := range all[1:] {
			_, data, _ := strings.Cut(event, "data: ")
			if !utf8.ValidString(data) || len(data) > chunk {
				t.Errorf("%s: a piece of %d bytes is cut or too long", test.why, len(data))
			}
			said += data
		}
		if said != test.said {
			t.Errorf("%s: the pieces are not the whole", test.why)
		}
	}
}
