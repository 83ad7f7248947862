package live

import (
	"sync"
	"testing"
)

// Each of many readers sees all that is shown, and no reader waits for what is there.
func TestReadersSeeAll(t *testing.T) {
	const says = "Hello, world."
	var text Text
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				reasoning, content, grew := text.Now()
				if reasoning == "Hm." && content == says {
					return
				}
				<-grew
			}
		})
	}
	text.Show("Hm.", "")
	for i := range says {
		text.Show("Hm.", says[:i+1])
		text.Show("Hm.", says[:i+1])
	}
	readers.Wait()
}

func TestBegins(t *testing.T) {
	var text Text
	if !text.Begins("", "x") {
		t.Error("nothing is shown, and a reply does not go on from it")
	}
	text.Show("a", "b")
	for _, test := range []struct {
		reasoning, content string
		want               bool
	}{{"a", "b", true}, {"ax", "bx", true}, {"", "b", false}, {"a", "", false}, {"x", "b", false}} {
		if got := text.Begins(test.reasoning, test.content); got != test.want {
			t.Errorf("%q and %q go on: %v", test.reasoning, test.content, got)
		}
	}
}
