package server

import (
	"fmt"
	"strings"
	"testing"
)

func TestMismatch(t *testing.T) {
	for _, test := range []struct {
		why        string
		says, told []int32 // one a second; the last one stays
		tells      string  // the seconds at which it is told
		text       string
	}{
		{"they match", []int32{3}, []int32{3}, "[]", ""},
		{"the hub has not heard yet", []int32{4}, []int32{3}, "[]", ""},
		{"the server is always a second late", []int32{0, 1, 2, 3, 4, 5, 6, 7}, []int32{1, 2, 3, 4, 5, 6, 7, 7}, "[]", ""},
		{"its label stays while the trainer goes on", []int32{0}, []int32{0, 1, 2, 3, 4, 5, 6, 7}, "[5]", "told version 7, and the server says that its weights are of version 0"},
		{"and is set in the end", []int32{0, 0, 0, 0, 0, 0, 0, 7}, []int32{0, 1, 2, 3, 4, 5, 6, 7}, "[5]", ""},
		{"no server is up", []int32{-1}, []int32{7}, "[]", ""},
		{"nobody told", []int32{0}, []int32{-1}, "[]", ""},
	} {
		var m mismatch
		var tells []int
		at := func(list []int32, second int) int32 { return list[min(second, len(list)-1)] }
		for second := range 12 {
			if m.note(at(test.says, second), at(test.told, second)) {
				tells = append(tells, second)
			}
		}
		if fmt.Sprint(tells) != test.tells || !strings.Contains(m.String(), test.text) || test.text == "" && m.String() != "" {
			t.Errorf("%s: told at %v, says %q; want %s and %q", test.why, tells, m.String(), test.tells, test.text)
		}
	}
}
