package dataset

import (
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
)

// SameNumber is a [Verify] of decimal numbers, compared by their values; commas in them do
// not count. It refuses all other gold answers.
func SameNumber(gold, reply string) quintain.Verdict {
	plain := strings.NewReplacer(",", "", " ", "")
	want, got := plain.Replace(gold), plain.Replace(reply)
	if _, number := answer.SameDecimal(want, want); !number {
		return quintain.Malformed("the gold answer is not a number")
	}
	switch equal, numbers := answer.SameDecimal(want, got); {
	case !numbers:
		return quintain.Malformed("want a number")
	case !equal:
		return quintain.Wrong("want " + gold)
	}
	return quintain.Right()
}
