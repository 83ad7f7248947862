package mathverify

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Grade judges a final answer by a reference, as tasks judge: its score is 1 if they are
// the same, as [Same] tells, else 0. What cannot be told is wrong, and the reason says so.
// The error is for a reference that cannot be read; see [Check].
func Grade(gold, answer string) (quintain.Verdict, error) {
	if err := Check(gold); err != nil {
		return quintain.Verdict{}, fmt.Errorf("the gold answer %.80q cannot be read: %w", gold, err)
	}
	v := Same(context.Background(), gold, answer)
	if v.Equal {
		return quintain.Right(), nil
	}
	want := fmt.Sprintf("want %.80s", gold)
	switch v.Reason {
	case NoAnswer:
		return quintain.Malformed("there is no answer"), nil
	case Unreadable:
		return quintain.Malformed("the answer cannot be read; " + want), nil
	case Unknown, Limit:
		return quintain.Wrong(fmt.Sprintf("%s: it could not be told whether the answer is right; %s", v.Reason, want)), nil
	default:
		return quintain.Wrong(want), nil
	}
}
