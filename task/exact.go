package task

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// MatchWords scores got against want, the only right text. A part of it earns nothing. Case,
// a full stop at the end, and the kind and amount of space are ignored.
func MatchWords(got, want string) quintain.Verdict {
	if got == want && want != "" {
		return quintain.Right()
	}
	if len(got) > 4*len(want)+80 {
		return quintain.Wrong("the answer is too long to be " + strconv.Quote(clip(want)))
	}
	words := answer.Fields(got)
	if len(words) == 0 {
		return quintain.Malformed("the answer is empty")
	}
	if unicode15.EqualFold(strings.TrimSuffix(strings.Join(words, " "), "."), strings.Join(answer.Fields(want), " ")) {
		return quintain.Right()
	}
	return quintain.Wrong("want " + strconv.Quote(clip(want)))
}

// MatchList is [MatchWords] for a list. Its elements may be separated by commas, semicolons
// or space.
func MatchList(got, want string) quintain.Verdict {
	if got == want && want != "" {
		return quintain.Right()
	}
	if len(got) > 4*len(want)+80 {
		return MatchWords(got, want) // for its reason
	}
	between := strings.NewReplacer(",", " ", ";", " ")
	v := MatchWords(between.Replace(got), between.Replace(want))
	if v.Score < 1 && !v.Malformed {
		v.Reason = "want " + strconv.Quote(clip(want))
	}
	return v
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// MatchWhole scores got against want, the only right whole number, in any spelling of
// [answer.ReadInt]; a full stop may follow. No other number earns anything.
func MatchWhole(got, want string) quintain.Verdict {
	const longest = 100 // bytes of a number and the space around it
	text := answer.Trim(got[:min(len(got), longest+1)])
	if text == "" && len(got) <= longest {
		return quintain.Malformed("the answer is empty")
	}
	n, ok := answer.ReadInt(strings.TrimSuffix(text, "."))
	number, _ := strconv.ParseInt(want, 10, 64)
	switch {
	case len(got) > longest || !ok:
		return quintain.Malformed("want a whole number and nothing else")
	case n != number:
		return quintain.Wrong("want " + want)
	}
	return quintain.Right()
}
