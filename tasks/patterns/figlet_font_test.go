package patterns

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestFigletScore(t *testing.T) {
	tasktest.Nears(t, figletItem{Answer: "CAT", Font: "block"}.Score, []tasktest.Near{
		{"CAT", 1, ""}, {"cat", 1, "case does not count"}, {" C A T \n", 1, "nor does space"}, {"Cat.", 1, "nor a full stop"},
		{"CAR", 0, "one letter of three; reasoning-gym pays 0.2 for the others"}, {"CATS", 0, "a letter too many"}, {"CA", 0, "a letter too few"}, {"TAC", 0, "backwards"},
		{"The word is CAT", 0, "a sentence"}, {"CAT or CAR", 0, "no choice"}, {"", 0, "nothing"}, {".", 0, ""},
	})
	tasktest.RefusedRecords(t, figletFont.Task(), []string{
		`{"font":"block"}`, `{"answer":"C T","font":"block"}`, `{"answer":"cat","font":"block"}`, `{"answer":"CAT","font":"block","phrasing":6}`, `{"answer":"CAT","font":"block","phrasing":-1}`,
	})
	foreign := figletItem{Answer: "Ünique", Font: "of reasoning-gym"}
	if err := task.Check(foreign); err != nil {
		t.Errorf("a record with another font: %v", err)
	}
}

func TestFigletParams(t *testing.T) {
	tasktest.Refused(t, figletFont.Task(), map[string]string{
		`{"static_word":"two words"}`: "static_word", `{"static_font":"times"}`: "static_font", `{"min_word_len":0}`: "min_word_len", `{"max_word_len":2}`: "max_word_len",
		`{"max_word_len":41}`: "max_word_len", `{"max_tier":0}`: "max_tier",
	})
	own := tasktest.With(t, figletFont.Task(), `{"static_word":"hello","static_font":"lines","space_letters":false,"min_word_len":1,"max_word_len":2}`)
	if got := tasktest.Made[figletItem](t, own, 0, 0); got.Answer != "HELLO" || !strings.Contains(got.Prompt(), "|_| |_  |  |  |  |") {
		t.Errorf("made %+v\n%s", got, got.Prompt())
	}
}

// Every letter of a font looks different from the others, and is connected.
func TestLetterShapes(t *testing.T) {
	for name, shapes := range map[string]*letterShapes{"block": blockShapes(), "small": smallShapes(), "line": lineShapes()} {
		seen := map[string]int{}
		for i, shape := range shapes {
			rows := make([]string, len(shape))
			for j, row := range shape {
				rows[j] = string(row)
				if len(row) != len(shape[0]) || len(shape) != len(shapes[0]) {
					t.Errorf("%s %c has rows of different lengths, or too few", name, 'A'+i)
				}
			}
			if got := columns(rows, "\x00"); len(got) != 1 {
				t.Errorf("%s %c falls into %d parts", name, 'A'+i, len(got))
			}
			look := strings.Map(func(r rune) rune {
				if name != "line" && r >= 'A' {
					return '#'
				}
				return r
			}, strings.Join(rows, "\n"))
			if other, twice := seen[look]; twice {
				t.Errorf("%s %c and %c look the same", name, 'A'+i, 'A'+other)
			}
			seen[look] = i
		}
	}
}

// Each font draws each letter, alone too.
func TestFontsDrawLetters(t *testing.T) {
	for _, font := range figletFonts {
		seen := map[string]rune{}
		for c := 'A'; c <= 'Z'; c++ {
			picture := figletItem{Answer: string(c), Font: font.name}.picture()
			if other, twice := seen[picture]; twice || strings.TrimSpace(picture) == "" {
				t.Errorf("%s %c looks like %c\n%s", font.name, c, other, picture)
			}
			seen[picture] = c
		}
	}
}

// columns splits a picture at its blank columns, which consist of blank only.
func columns(rows []string, blank string) (parts [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	open := false
	for col := range width {
		ink := false
		for i, row := range rows {
			rows[i] = row + strings.Repeat(blank, width-len(row))
			ink = ink || rows[i][col:col+1] != blank
		}
		if ink && !open {
			parts = append(parts, make([]string, len(rows)))
		}
		for i := range rows {
			if ink {
				parts[len(parts)-1][i] += rows[i][col : col+1]
			}
		}
		open = ink
	}
	return parts
}

// plainLook reverses a font's treatment of cells: # is ink.
func plainLook(font string, lines []string) (rows []string) {
	put := func(row, col int, ink bool) {
		for len(rows) <= row {
			rows = append(rows, "")
		}
		if ink {
			rows[row] += strings.Repeat(" ", col-len(rows[row])) + "#"
		}
	}
	for i, line := range lines {
		for j, c := range []rune(line) {
			switch {
			case strings.HasSuffix(font, "negative"):
				put(i, j, c == ' ')
			case font == "shadow":
				put(i, j, c == '#')
			case font == "italic" && j >= len(lines)-1-i && (j-len(lines)+1+i)%2 == 0:
				put(i, (j-len(lines)+1+i)/2, c == '/')
			case font == "large" && i%2 == 0 && j%4 == 0:
				put(i/2, j/4, c == '@')
			case font == "outline" && i%3 == 0 && (j-1)%4 == 0: // an inked cell is inked at its corner
				put(i/3, (j-1)/4, c == '+')
			case strings.HasSuffix(font, "half_blocks"):
				put(2*i, j, strings.ContainsRune("▀█", c))
				put(2*i+1, j, strings.ContainsRune("▄█", c))
			case strings.HasSuffix(font, "braille"):
				for dot, place := range [8][2]int{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 0}, {3, 1}} {
					put(4*i+place[0], 2*j+place[1], (c-0x2800)>>dot&1 == 1)
				}
			case font == "own_letters" || strings.HasSuffix(font, "wide"):
				put(i, j/2, j%2 == 0 && c != ' ')
			case !strings.Contains("italic large outline", font):
				put(i, j, c != ' ')
			}
		}
	}
	return rows
}

// looks returns the letters by their looks, a line for each row. ink replaces a letter's
// cells; if empty, they keep the characters they are drawn with.
func looks(shapes *letterShapes, ink string) map[string]string {
	letters := map[string]string{}
	for i, shape := range shapes {
		look := ""
		for _, row := range shape {
			for _, c := range row {
				switch {
				case c == 0:
					look += " "
				case ink != "":
					look += ink
				default:
					look += string(rune(c))
				}
			}
			look += "\n"
		}
		letters[look] = string(rune('A' + i))
	}
	return letters
}

// The second solver reads the picture in the prompt: it reverses the font's treatment of
// cells, splits the picture at its blank columns, and looks up each part among the letters.
func TestFigletSecond(t *testing.T) {
	fonts := map[string]int{}
	tasktest.Every(t, figletFont.Task(), tasktest.Count(2400, 300), func(item figletItem, prompt, got string) error {
		fonts[item.Font]++
		_, picture, _ := strings.Cut(prompt, "\n\n")
		picture = picture[:strings.LastIndex(picture, "\n\n")]
		rows, letters, height := strings.Split(picture, "\n"), looks(lineShapes(), ""), 3
		if item.Font != "lines" {
			rows, letters, height = plainLook(item.Font, rows), looks(blockShapes(), "#"), 7
			if strings.HasPrefix(item.Font, "small") || item.Font == "large" || item.Font == "outline" {
				letters, height = looks(smallShapes(), "#"), 5
			}
			for len(rows) > height && strings.TrimSpace(rows[0]) == "" {
				rows = rows[1:]
			}
		}
		if len(rows) < height {
			return fmt.Errorf("the picture has %d rows\n%s", len(rows), picture)
		}
		read := ""
		for _, part := range columns(slices.Clone(rows[:height]), " ") {
			read += letters[strings.Join(part, "\n")+"\n"]
		}
		if read != got {
			return fmt.Errorf("the picture says %q, want %q\n%s", read, got, picture)
		}
		return nil
	})
	if tasktest.Heavy && len(fonts) != len(figletFonts) {
		t.Errorf("%d of %d fonts come up", len(fonts), len(figletFonts))
	}
}

func TestFigletKeys(t *testing.T) {
	tasktest.Other(t, figletFont.Task(), "another word", func(f *figletItem) { f.Answer = "Z" + f.Answer[1:] })
	tasktest.Other(t, figletFont.Task(), "another font", func(f *figletItem) { f.Font = "block" })
}

func TestFigletVariants(t *testing.T) {
	tasktest.NoVariants(t, figletFont.Task(), "the letters of the word are what is asked, and a word in another font, or with other gaps, must be read anew")
}
