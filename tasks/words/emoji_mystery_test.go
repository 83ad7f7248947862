package words

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestEmojiScore(t *testing.T) {
	item := emojiItem{Emoji: "🤔", NumWords: 2, Sentence: "Gentle rivers."}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Gentle rivers.", 1, ""},
		{" Gentle rivers.\n", 1, "with space around it"},
		{"Gentle rivers", 0, "without the full stop"},
		{"gentle rivers.", 0, "lower case"},
		{"Gentle river..", 0, "one character is wrong; reasoning-gym pays 0.93"},
		{"Gentle  rivers.", 0, "two spaces"},
		{"Gentlerivers.", 0, "none"},
		{"The text is: Gentle rivers.", 0, "words; reasoning-gym pays 0.01"},
		{hide("Gentle rivers."), 0, "not decoded"},
	})
	tasktest.RefusedRecords(t, emojiMystery.Task(), []string{
		`{"emoji":"🤔","num_words_in_sentence":1}`,
		`{"emoji":"🤔","sentence":"A.","phrasing":6}`,
	})
}

// An entry of reasoning-gym has the text only in its question; its emoji may end in a
// variation selector that does not belong to the text.
func TestEmojiOfOthers(t *testing.T) {
	p := quintain.Problem{
		Task: "emoji_mystery", Prompt: "Decode: ☀️" + hide("Fünf.") + " now",
		Instance: quintain.RawRecord([]byte(`{"emoji":"☀️","num_words_in_sentence":1}`)),
	}
	if v, err := emojiMystery.Task().Grade(p, "Fünf."); err != nil || v.Score != 1 {
		t.Errorf("got %+v, error %v", v, err)
	}
}

// The second solver decodes the UTF-16 code units of the prompt.
func TestEmojiSecond(t *testing.T) {
	tasktest.Second(t, emojiMystery.Task(), 1002, func(e emojiItem, prompt, got string) error {
		var text strings.Builder
		units := utf16.Encode([]rune(prompt))
		for i, unit := range units {
			if unit == 0xDB40 {
				text.WriteByte(byte(units[i+1] - 0xDD00 + 16))
			}
		}
		if text.String() != got || len(strings.Fields(got)) != e.NumWords {
			return fmt.Errorf("the prompt has %q, not %q", text.String(), got)
		}
		return nil
	})
}

func TestEmojiKeys(t *testing.T) {
	tasktest.Variant(t, emojiMystery.Task(), "another emoji", func(e *emojiItem, r *rng.Rand) func(string) string {
		e.Emoji = rng.Pick(r, []string{"🐙", "🦊", "🍉"})
		return nil
	})
	tasktest.Same(t, emojiMystery.Task(), "another emoji carries the text", func(e *emojiItem) { e.Emoji = "🐙" })
}
