package words

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCaesarCipherScore(t *testing.T) {
	item := caesarCipherItem{Rotation: 2, CipherText: "QYNU JWPV", ClearText: "OWLS HUNT", NumWords: 2}
	tasktest.Nears(t, caesarCipher.Scorer(item), []tasktest.Near{
		{"OWLS HUNT", 1, ""},
		{"OWLS HUNT.", 9. / 10, "reasoning-gym pays for a text that contains the answer"},
		{"It says: OWLS HUNT", 9. / 18, ""},
		{"owls hunt", 0, "capitals were asked for"},
		{"OWLS  HUNT", 0, "two spaces"},
		{"OWLSHUNT", 0, "no space"},
		{"OWLS HUNTS", 0, ""},
		{"QYNU JWPV", 0, "the question itself"},
		{"NVKR GTMS", 0, "one place too far"},
	})
	if task.Check(caesarCipherItem{Rotation: 2}) == nil {
		t.Error("a record without a text is accepted")
	}
}

// The second solver tries all shifts of the text in the prompt, and takes the one with the
// most words.
func TestCaesarCipherSecond(t *testing.T) {
	tasktest.Second(t, caesarCipher.Task(), 1000, func(item caesarCipherItem, prompt, got string) error {
		text := strings.Split(prompt, "\n\n")[1]
		best, most := "", -1
		for shift := range 26 {
			clear := strings.Map(func(c rune) rune {
				if c == ' ' {
					return c
				}
				return 'A' + (c-'A'+rune(shift))%26
			}, text)
			if n := lettersInWords(clear); n > most {
				best, most = clear, n
			}
		}
		if words := len(strings.Fields(text)); got != best || words != item.NumWords || got == text {
			return fmt.Errorf("solution %s, want %s", got, best)
		}
		return nil
	})
}

// lettersInWords counts the letters of text that belong to known words.
func lettersInWords(text string) (n int) {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if _, found := lexicon.Common(len(word)).Find(word); found {
			n += len(word)
		}
	}
	return n
}

// Short texts too have the number of words asked for.
func TestSentencesOfAnyLength(t *testing.T) {
	for _, words := range []string{"1", "2", "3", "25", "26", "28", "100"} {
		tasktest.Second(t, tasktest.With(t, caesarCipher.Task(), `{"min_words":`+words+`,"max_words":`+words+`}`), 50, func(item caesarCipherItem, _, got string) error {
			if n := fmt.Sprint(len(strings.Split(got, " "))); n != words || strings.TrimSpace(got) != got {
				return fmt.Errorf("%q has %s words, want %s", got, n, words)
			}
			return nil
		})
	}
}

func TestCaesarKeys(t *testing.T) {
	tasktest.Variant(t, caesarCipher.Task(), "another rotation", func(c *caesarCipherItem, r *rng.Rand) func(string) string {
		by := r.Between(1, 25)
		c.Rotation = (c.Rotation+by-1)%25 + 1
		c.CipherText = strings.Map(func(letter rune) rune {
			if letter < 'A' {
				return letter
			}
			return 'A' + (letter-'A'+rune(c.Rotation))%26
		}, c.ClearText)
		return nil
	})
	tasktest.Other(t, caesarCipher.Task(), "another text", func(c *caesarCipherItem) { c.ClearText += " SO" })
}
