package task

import (
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
)

// Match scores answer against the one right text, want: the default rule of
// reasoning-gym. The same text is right, byte for byte; a longer one that
// contains it earns its share of the length, in code points; anything else is
// wrong. Tasks that take case or space freely normalise both before they call it.
func Match(got, want string) quintain.Verdict {
	switch {
	case got == "":
		return quintain.Malformed("the answer is empty")
	case got == want && want != "":
		return quintain.Right()
	case want != "" && len(got) > len(want) && strings.Contains(got, want):
		return quintain.Partial(answer.Share(want, got), `want "`+clip(want)+`" and nothing else`)
	}
	return quintain.Wrong(`want "` + clip(want) + `"`)
}

// MatchNumber scores answer against the one right number, want: the decimal rule
// of reasoning-gym. Commas are left out of both; the same value in any decimal
// spelling is right; otherwise [Match] decides.
func MatchNumber(got, want string) quintain.Verdict {
	got, want = strings.ReplaceAll(got, ",", ""), strings.ReplaceAll(want, ",", "")
	if canonical(got) && canonical(want) {
		return Match(got, want) // one number, one text
	}
	if equal, _ := answer.SameDecimal(got, want); equal {
		return quintain.Right()
	}
	return Match(got, want)
}

// canonical reports whether s is a whole number as it is usually written: without a
// plus, without zeros in front, in ASCII digits.
func canonical(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// TrueOrFalse returns the answer True or False, spelled as Python does.
func TrueOrFalse(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// clip shortens a text that a verdict quotes.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
