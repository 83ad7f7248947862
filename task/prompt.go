package task

import (
	"fmt"
	"strings"
)

// PromptRoom is the size in bytes that few prompts exceed. A buffer of that size, made in
// Prompt, needs no allocation.
const PromptRoom = 1024

// CheckSolution returns an error if inst stores a wrong answer.
func CheckSolution(inst Scored) error {
	if v := inst.Score(inst.Solve()); v.Score != 1 {
		return fmt.Errorf("solution: %s", v.Reason)
	}
	return nil
}

// AppendFilled appends text to b with every %c, a percent sign and a letter, replaced by
// value(c).
func AppendFilled(b []byte, text string, value func(c byte) string) []byte {
	for {
		before, after, found := strings.Cut(text, "%")
		if b = append(b, before...); !found || after == "" {
			return b
		}
		b, text = append(b, value(after[0])...), after[1:]
	}
}
