package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

// sameChoice compares an answer with the letter of a choice. The answer may be a letter, or
// the letter before its value; a small letter on its own counts if the reference is small too.
func sameChoice(gold, answer string) (same, sure bool) {
	letter := reply.Labelled(answer)
	if bare := strings.Trim(answer, " $*."); letter == "" && len(bare) == 1 && !strings.Contains(gold, reply.Choice(gold)) {
		letter = strings.ToUpper(bare)
	}
	return letter == reply.Choice(gold), letter != "" || len(reply.Normal(answer)) > 3
}

// smallLetters lists the variables that a choice in brackets may stand for. Others are more
// likely numbers and functions: e, i, f.
const smallLetters = "abcd"

// isSmallChoice reports whether an answer is a choice in brackets for a reference that is a
// small letter.
func isSmallChoice(gold, answer string) bool {
	gold = strings.Trim(gold, " $")
	return len(gold) == 1 && strings.Contains(smallLetters, gold) && strings.ContainsAny(answer, ")}") && reply.Choice(answer) == strings.ToUpper(gold)
}
