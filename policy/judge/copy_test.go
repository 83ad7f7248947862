package judge

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A judge that forgets the code of its prompt too often is refused, with the share.
func TestAJudgeMustCopyItsCode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why         string
		every, none int64 // of so many answers, so many have no code
		says        string
	}{
		{"always", 1, 0, ""},
		{"19 of 20", 20, 1, ""},
		{"half", 2, 1, "into 0.5"},
		{"never", 1, 1, "into 0 of its"},
	} {
		var asked atomic.Int64
		cfg := config(func(r quintain.Request, k int) (string, quintain.Finish) {
			text, end := careful(r, k)
			if asked.Add(1)%test.every < test.none {
				text = strings.ReplaceAll(text, Code(r.Messages), "")
			}
			return text, end
		})
		cfg.Parallel = 1
		r, err := Attack(t.Context(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		why, want := r.Trusted(0), float64(test.every-test.none)/float64(test.every)
		if (why == "") != (test.says == "") || !strings.Contains(why, test.says) || r.copies() < want-0.02 || r.copies() > want+0.02 || r.Answers != asked.Load() {
			t.Errorf("%s: %q, %v of %d answers have the code; want %q, %v of %d", test.why, why, r.copies(), r.Answers, test.says, want, asked.Load())
		}
		var b strings.Builder
		if err := r.Write(&b); err != nil || !strings.Contains(b.String(), "the code copied in ") {
			t.Error(b.String(), err)
		}
	}
}
