package mathverify

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Grade judges a final answer for a task: its score is 1 if [Same] finds it equal to the
// reference, else 0. If no stage can tell, the answer is wrong, and the reason says so. An
// unreadable reference is an error; see [Check].
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
