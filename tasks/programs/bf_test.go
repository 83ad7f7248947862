package programs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBFScore(t *testing.T) {
	tasktest.Nears(t, bfItem{Answer: "AbC"}.Score, []tasktest.Near{
		{"AbC", 1, ""}, {" AbC\n", 1, "space around it"}, {`"AbC"`, 1, "in quotes"}, {"'AbC'", 1, ""}, {"abc", 0, "case counts"}, {"A b C", 0, "there is no space"}, {"AbCA", 0, ""}, {"Ab", 0, ""},
		{"AbC AbD", 0, "no choice"}, {"The output is AbC", 3. / 17, "as reasoning-gym"}, {"xAbCx", 0, "others pay a share"}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, bfItem{Answer: "42\n"}.Score, []tasktest.Near{{"42", 1, "an entry of reasoning-gym ends with a line break"}, {"42\n", 1, ""}, {"-42", 0, ""}, {"142", 0, ""}})
}

func TestBFParams(t *testing.T) {
	tasktest.Refused(t, bf.Task(), map[string]string{`{"difficulty":0}`: "difficulty", `{"difficulty":6}`: "difficulty"})
	tasktest.RefusedRecords(t, bf.Task(), []string{
		`{}`, `{"bf_program":"+++++[>+++++++++++++<-]>.","answer":"B"}`, `{"bf_program":"+[","answer":"B"}`, `{"bf_program":"]","answer":"B"}`, `{"bf_program":"<","answer":"B"}`,
		`{"bf_program":"+[.]","answer":"B"}`, `{"bf_program":"+++++[>+++++++++++++<-]>.","answer":"A","phrasing":6}`,
	})
}

func TestBFRun(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"+++++[>+++++++++++++<-]>.", "A"},
		{"-[-]-------.", "\xf9"},
		{"one + two ++ . end", "\x03"},
		{"+++,.", "\x00"},
		{"[.]+.", "\x01"},
		{"++[>++[>+<-]<-]>>.", "\x04"},
		{strings.Repeat(">", 200) + "+++.", "\x03"},
	} {
		if got, err := bfRun(test.code); got != test.want || err != nil {
			t.Errorf("%.40s prints %q, error %v; want %q", test.code, got, err, test.want)
		}
	}
	if _, err := bfRun("+[]"); !errors.Is(err, errBFSteps) {
		t.Errorf("an endless program: %v", err)
	}
	for _, code := range []string{"[", "]", "[]]", "<", strings.Repeat(">", 40_000), "+[.]", strings.Repeat("+", 1<<17)} {
		if got, err := bfRun(code); err == nil || errors.Is(err, errBFSteps) {
			t.Errorf("%.20s prints %q, error %v", code, got, err)
		}
	}
}

// plainBF is a second interpreter: it folds no steps, and finds partners by counting.
func plainBF(code string) string {
	var out []byte
	cells, at := map[int]byte{}, 0
	for i := 0; i < len(code); i++ {
		jump := 0
		switch code[i] {
		case '+':
			cells[at]++
		case '-':
			cells[at]--
		case '>':
			at++
		case '<':
			at--
		case '.':
			out = append(out, cells[at])
		case '[':
			jump = map[bool]int{true: 1}[cells[at] == 0]
		case ']':
			jump = map[bool]int{true: -1}[cells[at] != 0]
		}
		for open := jump; open != 0; {
			i += jump
			open += strings.Count(code[i:i+1], "[") - strings.Count(code[i:i+1], "]")
		}
	}
	return string(out)
}

// runSource runs the lines in the style of C, and returns their output.
func runSource(lines []string) (string, error) {
	var out []byte
	cells := map[int]int{}
	var starts []int
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		var cell, n int
		switch {
		case line == "}":
			i = starts[len(starts)-1] - 1
			starts = starts[:len(starts)-1]
		case scan(line, "while (c%d) {", &cell):
			if cells[cell]&255 != 0 {
				starts = append(starts, i)
				continue
			}
			for open := 1; open > 0; {
				i++
				open += strings.Count(lines[i], "{") - strings.Count(lines[i], "}")
			}
		case scan(line, "c%d += %d;", &cell, &n):
			cells[cell] += n
		case scan(line, "c%d = %d;", &cell, &n):
			cells[cell] = n
		case scan(line, "putchar(c%d);", &cell):
			out = append(out, byte(cells[cell]))
		default:
			return "", fmt.Errorf("no line of source: %q", line)
		}
	}
	return string(out), nil
}

func scan(line, format string, to ...any) bool {
	n, err := fmt.Sscanf(line, format, to...)
	return err == nil && n == len(to)
}

// A second interpreter, which reads the program from the prompt, and the source give the
// same output.
func TestBFSecond(t *testing.T) {
	tasktest.Second(t, bf.Task(), 2000, func(b bfItem, prompt, got string) error {
		code := ""
		for line := range strings.Lines(prompt) {
			if line = strings.TrimSpace(line); strings.Trim(line, "+-<>.[]") == "" {
				code += line
			}
		}
		if code != b.Code {
			return fmt.Errorf("the program in the prompt is %s", code)
		}
		if second := plainBF(code); second != got {
			return fmt.Errorf("the answer is %q, and another interpreter prints %q", got, second)
		}
		if second, err := runSource(strings.Split(strings.TrimSpace(b.Source), "\n")); err != nil || second != got {
			return fmt.Errorf("the answer is %q, and the source prints %q, error %w", got, second, err)
		}
		for _, c := range got {
			if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", c) {
				return fmt.Errorf("it prints %q", c)
			}
		}
		return nil
	})
}

func TestBFKeys(t *testing.T) {
	tasktest.NoVariants(t, bf.Task(), "A program has no names. It could begin in another cell, or take its cells in another order, but all drawn programs lay out their cells alike; "+
		"with + and - exchanged, or > and <, it would print something else.")
	tasktest.Same(t, bf.Task(), "the wording", func(b *bfItem) { b.Phrasing = (b.Phrasing + 1) % len(bfPhrasings) })
}

// FuzzBF: no program panics.
func FuzzBF(f *testing.F) {
	f.Add("+[>,.<-]")
	f.Fuzz(func(t *testing.T, code string) {
		if output, err := bfRun(code); err != nil && output != "" {
			t.Errorf("%q: a fault and an output", code)
		}
	})
}
