package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// ransomNote asks whether the letters of a magazine suffice for a note.
var ransomNote = task.Spec[ransomNoteParams, ransomNoteItem]{
	Name:     "ransom_note",
	Category: "algorithmic",
	Doc: "Tell whether the letters of a note can all be cut out of a magazine. " +
		"If they cannot, only one letter is missing, once; if they can, some letter is used up. Harder levels ask which letter is missing.",
	Source:  "A classic exercise; letters drawn at random, the settings are those of reasoning-gym and witness.",
	Version: 5,
	Default: ransomNoteParams{MinNoteLength: 1, MaxNoteLength: 10, MinMagazineLength: 2, MaxMagazineLength: 30, PSolvable: 0.5},
	Levels: []ransomNoteParams{
		{MinNoteLength: 2, MaxNoteLength: 5, MinMagazineLength: 6, MaxMagazineLength: 12, PSolvable: 0.5},
		{MinNoteLength: 5, MaxNoteLength: 10, MinMagazineLength: 15, MaxMagazineLength: 30, PSolvable: 0.1, Witness: true},
		{MinNoteLength: 15, MaxNoteLength: 25, MinMagazineLength: 40, MaxMagazineLength: 60, PSolvable: 0.1, Witness: true},
		{MinNoteLength: 40, MaxNoteLength: 60, MinMagazineLength: 90, MaxMagazineLength: 130, PSolvable: 0.1, Witness: true},
		{MinNoteLength: 100, MaxNoteLength: 140, MinMagazineLength: 200, MaxMagazineLength: 300, PSolvable: 0.1, Witness: true},
		{MinNoteLength: 300, MaxNoteLength: 400, MinMagazineLength: 600, MaxMagazineLength: 800, PSolvable: 0.1, Witness: true},
	},
	Few: []string{
		"There are few short notes, since their letters have no names of their own.",
	},
	Make: makeRansomNote,
}

// ransomNoteParams are the settings of one difficulty.
type ransomNoteParams struct {
	MinNoteLength     int     `json:"min_note_length" want:"1 to 10000"` // letters
	MaxNoteLength     int     `json:"max_note_length" want:"min_note_length to 10000"`
	MinMagazineLength int     `json:"min_magazine_length" want:"2 to 10000"` // letters; at least as many as the note has
	MaxMagazineLength int     `json:"max_magazine_length" want:"min_magazine_length to 10000 and more than max_note_length"`
	PSolvable         float64 `json:"p_solvable" want:"0 to 1"` // probability that the answer is yes
	Witness           bool    `json:"witness"`                  // the answer is the missing letter, not True or False
}

// ransomNoteItem is one note and one magazine.
type ransomNoteItem struct {
	RansomNote     string `json:"ransom_note" want:"1 or more"` // a to z
	Magazine       string `json:"magazine"`
	Solution       bool   `json:"solution"` // the magazine suffices
	Solvable       bool   `json:"solvable"` // same as Solution
	NoteLength     int    `json:"note_length"`
	MagazineLength int    `json:"magazine_length"`
	Witness        bool   `json:"witness,omitempty"`
	Phrasing       int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeRansomNote draws the scarce letter. The note has it once more often than the
// magazine, or, for a possible note, equally often. The rest of the note is cut out of the
// rest of the magazine.
func makeRansomNote(p ransomNoteParams, r *rng.Rand) (ransomNoteItem, error) {
	n := r.Between(p.MinNoteLength, p.MaxNoteLength)
	size := r.Between(max(n, p.MinMagazineLength), p.MaxMagazineLength)
	solvable := r.Chance(p.PSolvable)
	scarce := byte('a' + r.Between(0, 25))
	there := r.Between(0, min(n-1, size/8+1))
	if p.Witness {
		there = min(n-1, r.Between(n/26, size/26+1)) // as frequent as other letters in the note or in the magazine, so that neither gives it away
	}
	magazine, note := make([]byte, size), make([]byte, n)
	for i := range magazine {
		if i < there {
			magazine[i] = scarce
		} else {
			magazine[i] = 'a' + (scarce-'a'+byte(r.Between(1, 25)))%26
		}
	}
	wanted := there
	if !solvable {
		wanted++
	}
	for i := range wanted {
		note[i] = scarce
	}
	copy(note[wanted:], magazine[there:]) // its letters are in random order
	rng.Shuffle(r, note)
	rng.Shuffle(r, magazine)
	return ransomNoteItem{
		RansomNote: string(note), Magazine: string(magazine), Solution: solvable, Solvable: solvable,
		NoteLength: n, MagazineLength: size, Witness: p.Witness, Phrasing: r.Between(0, len(ransomNotePhrasings)-1),
	}, nil
}

// ransomNotePhrasings are the wordings of the question, around the note and before
// the magazine.
var ransomNotePhrasings = [][3]string{
	{"Can the note ", " be put together from letters that are cut out of the magazine ", "?"},
	{"You want to write ", " with letters cut out of the magazine ", ". Are there enough of each?"},
	{"A ransom note must read ", ". Does the magazine ", " have all the letters for it?"},
	{"Is the note ", " possible if each letter of the magazine ", " may be cut out once?"},
	{"Somebody has scissors and needs the letters of ", ". The only paper at hand is the magazine ", ". Is it enough?"},
	{"Compare how often each letter stands in the note ", " and in the magazine ", ". Does the magazine have at least as many of each?"},
}

func (n ransomNoteItem) Prompt() string {
	words := ransomNotePhrasings[n.Phrasing]
	wanted := "Answer with True or False."
	if n.Witness {
		wanted = "At most one letter is missing: answer with that letter, or with the word none if the note can be made."
	}
	return words[0] + `"` + n.RansomNote + `"` + words[1] + `"` + n.Magazine + `"` + words[2] +
		" Each letter of the magazine can be used once. " + wanted
}

func (n ransomNoteItem) Short() string {
	return n.RansomNote + " from " + n.Magazine + [...]string{"?", " lacks?"}[task.Bit(n.Witness)]
}

// Canonical implements [task.Canonicalizer]. The letters and their order do not matter: it says
// how often each is in the note and in the magazine.
func (n ransomNoteItem) Canonical() string {
	var often [256][2]int
	for _, letter := range []byte(n.RansomNote) {
		often[letter][0]++
	}
	for _, letter := range []byte(n.Magazine) {
		often[letter][1]++
	}
	slices.SortFunc(often[:], func(a, b [2]int) int { return cmp.Or(b[0]-a[0], b[1]-a[1]) })
	some := 0
	for some < len(often) && often[some] != [2]int{} {
		some++
	}
	return fmt.Sprint(n.Witness, often[:some])
}

// Check refuses a record with a wrong solution.
func (n ransomNoteItem) Check() error {
	missing := n.missing()
	if n.Witness && len(missing) > 1 {
		return fmt.Errorf("ransom_note lacks %d letters, want at most 1", len(missing))
	}
	return task.Want("solution", n.Solution, missing == "")
}

// missing returns the letters of the note that the magazine lacks.
func (n ransomNoteItem) missing() string {
	var left [256]int
	for _, letter := range []byte(n.Magazine) {
		left[letter]++
	}
	var missing []byte
	for _, letter := range []byte(n.RansomNote) {
		if left[letter]--; left[letter] < 0 {
			missing = append(missing, letter)
		}
	}
	return string(missing)
}

func (n ransomNoteItem) Choices() int {
	if n.Witness {
		return 27 // a letter, or none
	}
	return 2
}

func (n ransomNoteItem) Solve() string {
	switch {
	case !n.Witness:
		return task.TrueOrFalse(n.Solution)
	case n.Solution:
		return "none"
	}
	return n.missing()
}

func (n ransomNoteItem) Score(answer string) quintain.Verdict {
	if n.Witness {
		return task.MatchWords(answer, n.Solve())
	}
	return task.Match(answer, n.Solve())
}
