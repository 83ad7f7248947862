package task

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// Match scores got against want, the only right text. The same bytes are right. A
// sentence that states want, and nothing else that could be meant, earns want's share of
// its length in code points; reasoning-gym gives that to every text that contains want.
// Anything else is wrong. A task that ignores case or space normalises both texts first.
func Match(got, want string) quintain.Verdict {
	switch {
	case got == "":
		return quintain.Malformed("the answer is empty")
	case got == want && want != "":
		return quintain.Right()
	case want != "" && len(got) > len(want) && says(got, want):
		return quintain.Partial(answer.Share(want, got), `want "`+clip(want)+`" and nothing else`)
	}
	return quintain.Wrong(`want "` + clip(want) + `"`)
}

// around lists words that may stand around an answer: none of them denies it, changes it,
// or is an answer itself.
var around = strings.Fields("the a an my final correct answer result solution value sum product total number output matrix list word words text string letter gcd lcm GCD LCM" +
	" is are it there this that we I get have gives equals becomes says reads occurs so thus therefore hence in of all" +
	" legs degrees minutes days primes times bits ones swap swaps")

// says reports whether got is want with nothing beside it but the words in around and the
// punctuation of a sentence.
func says(got, want string) bool {
	const longest = 200 // limit of a sentence in bytes, besides want
	if len(got) > len(want)+longest {
		return false
	}
	before, after, found := strings.Cut(got, want)
	if !found || joins(before, after) || !strings.ContainsAny(want, "0123456789") && !introduces(before, after) {
		return false
	}
	if unknown, named := strings.CutSuffix(strings.TrimRight(before, " "), "="); named {
		unknown = strings.TrimRight(unknown, " ")
		before = strings.TrimRightFunc(unknown, unicode15.IsLetter)
		if len(unknown)-len(before) > 1 {
			before = unknown
		}
	}
	for word := range strings.FieldsFuncSeq(before+" "+after, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,:;=*`\"'$°", r) }) {
		if !slices.Contains(around, word) && !slices.Contains(around, strings.ToLower(word[:1])+word[1:]) {
			return false
		}
	}
	return true
}

// joins reports whether a text between before and after is part of a longer word or number.
func joins(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return inWord(last) || inWord(first) || last == '.' || last == ','
}

func inWord(r rune) bool { return unicode15.IsLetter(r) || unicode15.IsDigit(r) }

// introduces reports whether before announces the text after it, and after ends the
// sentence. Any other word beside a text may be meant as part of it.
func introduces(before, after string) bool {
	const marks = " \n*`\"'$"
	before = strings.TrimRight(before, marks)
	announced := before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=")
	for _, verb := range []string{" is", " becomes", " says", " reads", " gives"} {
		announced = announced || strings.HasSuffix(before, verb)
	}
	return announced && strings.Trim(after, marks+".") == ""
}

// MatchNumber scores got against want, the only right number, by the decimal rule of
// reasoning-gym. The same value in any decimal spelling is right, thousands separators
// included; otherwise [Match] decides.
func MatchNumber(got, want string) quintain.Verdict {
	got, want = answer.Ungrouped(answer.Trim(got)), answer.Ungrouped(want)
	if canonical(got) && canonical(want) {
		return Match(got, want) // a canonical number has one spelling
	}
	if equal, _ := answer.SameDecimal(got, want); equal {
		return quintain.Right()
	}
	return Match(got, want)
}

// canonical reports whether s is a whole number in its usual spelling: ASCII digits, no
// plus, no leading zeros.
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

// clip shortens a quoted text for a verdict.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
