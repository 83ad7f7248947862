package command

import (
	"strings"
	"testing"
)

func TestATailKeepsTheEnd(t *testing.T) {
	text := strings.Repeat("0123456789", 50)
	for _, size := range []int{1, 7, 10, 19, 20, 21, 64, 500} {
		end := &Tail{Most: 20}
		for at := 0; at < len(text); at += size {
			if n, err := end.Write([]byte(text[at:min(len(text), at+size)])); n == 0 || err != nil {
				t.Fatal(n, err)
			}
		}
		if got := end.String(); got != text[len(text)-20:] || cap(end.end) > 100 {
			t.Errorf("in pieces of %d: %q, capacity %d", size, got, cap(end.end))
		}
	}
}
