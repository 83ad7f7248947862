package programs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// bf asks for the output of a Brainfuck program.
var bf = task.Spec[bfParams, bfItem]{
	Name:     "bf",
	Category: "code",
	Doc: "Work out the output of a Brainfuck program: letters made by loops that multiply, then loops that print, sums, nested loops, choices. " +
		"Every program ends within 20,000 steps.",
	Source:  "The language is U. Müller's (1993); the programs are our own, and so are the difficulties 4 and 5.",
	Version: 3,
	Default: bfParams{Difficulty: 1},
	Levels:  []bfParams{{1}, {2}, {3}, {4}, {5}},
	Make:    makeBF,
	Short:   "{bf_program}",
}

// bfParams are the settings of one difficulty.
type bfParams struct {
	Difficulty int `json:"difficulty" want:"1 to 5"`
}

// bfItem is one program.
type bfItem struct {
	Source   string `json:"bfit_code"`  // the same in the style of C, with a variable for each cell
	Code     string `json:"bf_program"` // only the eight commands
	Answer   string `json:"answer" want:"1 or more"`
	Phrasing int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeBF writes a program.
func makeBF(p bfParams, r *rng.Rand) (bfItem, error) {
	w := &bfWriter{r: r}
	w.write(p.Difficulty)
	item := bfItem{Source: string(w.source), Code: string(w.code), Phrasing: r.Between(0, len(bfPhrasings)-1)}
	var err error
	item.Answer, err = bfRun(item.Code)
	return item, err
}

// write writes a program of a difficulty.
func (w *bfWriter) write(difficulty int) {
	parts := [][]func(){
		3: {w.series, w.sum, w.series},
		4: {w.series, w.sum, w.product, w.nested, w.choice},
		5: {w.series, w.product, w.nested, w.choice, w.parity, w.sum, w.nested},
	}
	switch difficulty {
	case 1:
		w.start()
	case 2:
		w.word(w.r.Between(4, 6))
	default:
		w.word(2)
		for _, part := range rng.Sample(w.r, parts[difficulty], difficulty-1) {
			part()
		}
	}
}

// bfRules explain the commands.
const bfRules = "Its memory is a row of cells, all 0 at the beginning, and a pointer to the first of them. > and < move the pointer right and left. + and - add 1 to the cell at the pointer " +
	"and subtract 1 from it; 0 comes after 255. A dot prints that cell as a character of ASCII. [ jumps past the matching ] if the cell is 0, and ] jumps back to the matching [ if it is not."

// bfPhrasings are the wordings: %p stands for the program, and %r for the rules.
var bfPhrasings = []string{
	"What does this Brainfuck program print?\n\n%p",
	"Brainfuck is a language of eight characters. %r\n\nRun this program in your head:\n\n%p",
	"Below is a program in BF, with byte cells that wrap around.\n\n%p\n\nPredict its output.",
	"%p\n\nThe lines above are Brainfuck: cells of 8 bits, no input. Someone runs them. What appears on the screen?",
	"You are an interpreter of BF. %r\n\nYour program is\n\n%p\n\nWhat do you write?",
	"An esoteric program was found without its documentation. The language is Brainfuck.\n\n%p\n\nTrace the cells through each loop, and find out which text it was meant to show.",
}

func (b bfItem) Prompt() string {
	prompt := task.AppendFilled(make([]byte, 0, task.PromptRoom), bfPhrasings[b.Phrasing], func(mark byte) string {
		if mark == 'r' {
			return bfRules
		}
		return bfLines(b.Code)
	})
	return string(append(prompt, "\n\nAnswer with the printed text alone, in the same upper and lower case."...))
}

// bfLines breaks a program into lines; line breaks are not commands.
func bfLines(code string) string {
	const width = 64
	var lines []string
	for ; len(code) > width; code = code[width:] {
		lines = append(lines, code[:width])
	}
	return strings.Join(append(lines, code), "\n")
}

// Check refuses a record with a wrong answer. If a program of reasoning-gym takes too long
// to run, its answer is trusted.
func (b bfItem) Check() error {
	output, err := bfRun(b.Code)
	tooLong := errors.Is(err, errBFSteps)
	if err != nil && !tooLong {
		return fmt.Errorf("bf_program: %w", err)
	}
	if !tooLong && answer.Trim(output) != answer.Trim(b.Answer) {
		return fmt.Errorf("answer is %.60q, and the program prints %.60q", b.Answer, output)
	}
	return nil
}

func (b bfItem) Solve() string { return b.Answer }

func (b bfItem) Score(text string) quintain.Verdict {
	text, want := answer.Trim(text), answer.Trim(b.Answer)
	if quoted := text == `"`+want+`"` || text == "'"+want+"'"; quoted {
		return quintain.Right()
	}
	return task.Match(text, want)
}
