package gateway

import (
	"sync"
	"testing"
)

// Each of many readers sees all that is shown, and no reader waits for what is there.
func TestReadersSeeAll(t *testing.T) {
	const says = "Hello, world."
	var text liveText
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				reasoning, content, grew := text.now()
				if reasoning == "Hm." && content == says {
					return
				}
				<-grew
			}
		})
	}
	text.show("Hm.", "")
	for i := range says {
		text.show("Hm.", says[:i+1])
		text.show("Hm.", says[:i+1])
	}
	readers.Wait()
}

func TestBegins(t *testing.T) {
	var text liveText
	if !text.begins("", "x") {
		t.Error("nothing is shown, and a reply does not go on from it")
	}
	text.show("a", "b")
	for _, test := range []struct {
		reasoning, content string
		want               bool
	}{{"a", "b", true}, {"ax", "bx", true}, {"", "b", false}, {"a", "", false}, {"x", "b", false}} {
		if got := text.begins(test.reasoning, test.content); got != test.want {
			t.Errorf("%q and %q go on: %v", test.reasoning, test.content, got)
		}
	}
}
