package guess

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Marks count repeated letters exactly.
func TestMarksOfRepeatedLetters(t *testing.T) {
	for _, c := range []struct{ guess, word, want, why string }{
		{"crane", "crane", "+++++", "the word"},
		{"speed", "abide", "--o-o", "the second e has no e left"},
		{"speed", "erase", "o-oo-", "both e stand elsewhere"},
		{"eerie", "crepe", "o-o-+", "one e is in place, one is left for the first e of the guess, and none for the second"},
		{"allay", "llama", "o+oo-", "both l and both a of the word account for one letter each"},
		{"geese", "those", "---++", "the e in place uses up the only one"},
		{"geese", "elegy", "oo+--", "one e is in place, and the other goes to the first that is not"},
		{"mamma", "maxim", "++o--", "the m in place and one more"},
		{"sassy", "glass", "oo-+-", "the s in place is marked before the others"},
	} {
		if got := signs(compareWords(c.guess, c.word)); got != c.want {
			t.Errorf("%s against %s gets %s, want %s: %s", c.guess, c.word, got, c.want, c.why)
		}
	}
}

// Words that agree on the marks of a guess look the same, and others are refused.
func TestWordsAreHidden(t *testing.T) {
	list := []string{"badge", "fight", "light", "might", "night"}
	var seen []string
	for _, hidden := range []int{1, 2} {
		m := words{list, hidden, 6}.Match(games.Luck{}, new(games.Tables))
		if _, why := m.Move("sight"); !strings.Contains(why, `"sight" is no word of the list`) {
			t.Errorf("a word that is not in the list gets %q", why)
		}
		before := m.Show()
		told, why := m.Move("Night")
		seen = append(seen, before+told+why+m.Show())
	}
	if seen[0] != seen[1] {
		t.Errorf("two words look different: %q", seen)
	}
	if strings.Contains(seen[0], "light") || strings.Contains(seen[0], "fight") {
		t.Errorf("the word is told: %q", seen[0])
	}
}
