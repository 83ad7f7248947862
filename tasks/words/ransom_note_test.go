package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRansomNoteScore(t *testing.T) {
	item := ransomNoteItem{RansomNote: "aab", Magazine: "abca", Solution: true, Solvable: true, NoteLength: 3, MagazineLength: 4}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"True", 1, ""},
		{"True.", 4. / 5, "reasoning-gym pays for a text that contains the answer"},
		{"True or False", 0, ""},
		{"true", 0, "the form in the question"},
		{"yes", 0, ""},
		{"False", 0, ""},
		{"1", 0, ""},
	})
	for _, bad := range []ransomNoteItem{
		{Magazine: "a", Solution: true},
		{RansomNote: "aa", Magazine: "ab", Solution: true},
		{RansomNote: "ab", Magazine: "ba"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestRansomNoteWitnessScore(t *testing.T) {
	item := ransomNoteItem{RansomNote: "aabb", Magazine: "abcabc"[:5], NoteLength: 4, MagazineLength: 5, Witness: true}
	if err := task.Check(item); err == nil {
		t.Error("a possible note marked as impossible is accepted")
	}
	item.RansomNote = "aabcc"
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"c", 1, ""},
		{" C.", 1, "case, space and a full stop are free"},
		{"b", 0, "there are two"},
		{"none", 0, ""},
		{"c is missing", 0, "only the letter was asked for"},
		{"b c", 0, "two letters"},
		{"False", 0, "the letter was asked for"},
	})
	if can := (ransomNoteItem{RansomNote: "ab", Magazine: "ab", Solution: true, Witness: true}); can.Solve() != "none" {
		t.Errorf("the letter %s is missing", can.Solve())
	}
	if task.Check(ransomNoteItem{RansomNote: "xy", Magazine: "ab", Witness: true}) == nil {
		t.Error("a note that lacks two letters is accepted")
	}
}

// The second solver crosses the letters of the note out of the magazine, one by one. It
// also checks that shortcuts fail: half of the notes are possible at every length, and
// whether or not their most frequent letter is scarce.
func TestRansomNoteSecond(t *testing.T) {
	var all, yes, tight, tightYes int
	check := func(item ransomNoteItem, prompt, got string) error {
		quoted := strings.Split(prompt, `"`)
		note, magazine := quoted[1], quoted[3]
		missing, lacks := 0, "none"
		for _, letter := range note {
			if rest := strings.Replace(magazine, string(letter), "", 1); rest == magazine {
				missing, lacks = missing+1, string(letter)
			} else {
				magazine = rest
			}
		}
		want := "True"
		if missing > 0 {
			want = "False"
		}
		if strings.Contains(prompt, "that letter") {
			want = lacks
		}
		if got != want || missing > 1 || item.Solvable != item.Solution || len(note) != item.NoteLength || len(quoted[3]) != item.MagazineLength {
			return fmt.Errorf("solution %s, but %d letters are missing", got, missing)
		}
		all++
		if missing == 0 {
			yes++
		}
		for _, letter := range note {
			if !strings.ContainsRune(magazine, letter) {
				tight++
				tightYes += 1 - missing
				break
			}
		}
		return nil
	}
	tasktest.Every(t, ransomNote.Task(), tasktest.Count(1200, 200), check)
	all, yes, tight, tightYes = 0, 0, 0, 0
	for _, params := range []string{`{}`, `{"min_note_length":15,"max_note_length":25,"min_magazine_length":40,"max_magazine_length":60}`, `{"min_note_length":100,"max_note_length":140,"min_magazine_length":200,"max_magazine_length":300}`} {
		tasktest.Every(t, tasktest.With(t, ransomNote.Task(), params), tasktest.Count(2000, 200), check)
	}
	if share := float64(yes) / float64(all); tasktest.Heavy && (share < 0.47 || share > 0.53) {
		t.Errorf("%v of the notes are possible", share)
	}
	if share := float64(tightYes) / float64(tight); tasktest.Heavy && (share < 0.4 || share > 0.6) {
		t.Errorf("%v of the notes with a letter that is used up are possible", share)
	}
	for _, params := range []string{`{"p_solvable":1}`, `{"p_solvable":0}`, `{"min_note_length":29,"max_note_length":29,"min_magazine_length":2}`} {
		tasktest.Every(t, tasktest.With(t, ransomNote.Task(), params), tasktest.Count(300, 60), check)
	}
}

func TestRansomNoteKeys(t *testing.T) {
	tasktest.Variant(t, ransomNote.Task(), "other letters in another order", func(n *ransomNoteItem, r *rng.Rand) func(string) string {
		other := relettered(r)
		note, magazine := []byte(other.Replace(n.RansomNote)), []byte(other.Replace(n.Magazine))
		rng.Shuffle(r, note)
		rng.Shuffle(r, magazine)
		n.RansomNote, n.Magazine = string(note), string(magazine)
		if !n.Witness || n.Solution {
			return nil
		}
		return other.Replace
	})
	tasktest.Same(t, ransomNote.Task(), "the letters may be in any order", func(n *ransomNoteItem) {
		note, magazine := []byte(n.RansomNote), []byte(n.Magazine)
		slices.Reverse(note)
		slices.Reverse(magazine)
		n.RansomNote, n.Magazine = string(note), string(magazine)
	})
}
