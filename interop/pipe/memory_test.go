package pipe

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A memory holds the latest problems, up to a limit.
func TestMemoryKeepsTheLast(t *testing.T) {
	m := memory{most: 100}
	if m.get([]byte("x")) != nil {
		t.Error("an empty memory knows a problem")
	}
	for i := range 50 {
		for range 2 { // a second time takes no room
			m.put(fmt.Appendf(nil, "%d", i), 10, quintain.Problem{Index: i})
		}
		for back := range min(i+1, 10) {
			if p := m.get(fmt.Appendf(nil, "%d", i-back)); p == nil || p.Index != i-back {
				t.Fatalf("after %d problems, the one %d before the last is %v", i+1, back, p)
			}
		}
		if n := len(m.young) + len(m.old); n > 20 {
			t.Fatalf("it keeps %d problems of 10 bytes, and has room for 20", n)
		}
	}
	m.put([]byte("large"), 101, quintain.Problem{})
	if m.get([]byte("large")) != nil {
		t.Error("it keeps a problem that is larger than itself")
	}
}
