package problems

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
)

// readCodeforces reads a row of open-r1's codeforces.
func readCodeforces(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.playable(); err != nil {
		return nil, err
	}
	examples, err := listIn("examples", r["examples"])
	if err != nil {
		return nil, err
	}
	official, err := listIn("official_tests", r["official_tests"])
	if err != nil {
		return nil, err
	}
	if p.Statement, err = r.statement(examples); err != nil {
		return nil, err
	}
	if p.Difficulty, err = r.text("rating"); err != nil {
		return nil, err
	}
	readings, err := cases("official_tests", official, quiz{})
	if err != nil {
		return nil, err
	}
	if r["input_mode"] == "file" {
		readings[0].InputFile, readings[0].OutputFile = "input.txt", "output.txt"
	}
	for i, c := range readings[0].Cases { // some are of Windows
		readings[0].Cases[i].Input = strings.ReplaceAll(c.Input, "\r\n", "\n")
		readings[0].Cases[i].Output = strings.ReplaceAll(c.Output, "\r\n", "\n")
	}
	shown, err := shownCases(examples)
	if err != nil {
		return nil, err
	}
	t := &readings[0]
	t.Cases = withShown(shown, t.Cases)
	checker, err := r.text("generated_checker")
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(checker) != "" {
		t.Compare, t.Checker, t.ExpectedFirst = codegrade.Checker, checker, true
	}
	return readings, r.prompted(p, t)
}

// prompted takes the prompt of a row that has one for each language, in a form of the data set.
func (r row) prompted(p *Problem, t *codegrade.Tests) error {
	language, err := r.text("language")
	if err != nil || language == "" || r["prompt"] == nil {
		return err
	}
	t.Language = languageOf(language)
	p.ID += "/" + t.Language
	p.Statement, err = r.text("prompt")
	return err
}

// playable refuses problems that are not played by an input and an output.
func (r row) playable() error {
	mode, err := r.text("input_mode")
	if err != nil {
		return err
	}
	if mode != "" && mode != "stdio" && mode != "file" {
		return fmt.Errorf("input_mode: is %.20q, want stdio or file: leave the row out", mode)
	}
	if talk, _ := r["interaction_format"].(string); strings.TrimSpace(talk) != "" {
		return errors.New("interaction_format: the problem is interactive: leave the row out")
	}
	return nil
}

// shownCases returns the examples of the statement as cases.
func shownCases(examples []any) ([]codegrade.Case, error) {
	if len(examples) == 0 {
		return nil, nil
	}
	readings, err := cases("examples", examples, quiz{public: len(examples)})
	if err != nil {
		return nil, err
	}
	return readings[0].Cases, nil
}

// withShown returns the shown cases and then those others whose input differs from theirs.
func withShown(shown, others []codegrade.Case) []codegrade.Case {
	seen := map[string]bool{}
	for _, c := range shown {
		seen[strings.TrimSpace(c.Input)] = true
	}
	for _, c := range others {
		if !seen[strings.TrimSpace(c.Input)] {
			shown = append(shown, c)
		}
	}
	return shown
}

// statement puts the parts of a statement together.
func (r row) statement(examples []any) (string, error) {
	var b strings.Builder
	for _, part := range []struct{ column, heading string }{
		{"title", "# "}, {"description", ""},
		{"time_limit", "Time limit in seconds: "}, {"memory_limit", "Memory limit in MB: "},
		{"input_format", "## Input\n\n"}, {"output_format", "## Output\n\n"},
	} {
		text, err := r.text(part.column)
		if err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString(part.heading + text + "\n\n")
		} else if part.column == "description" {
			return "", errors.New("description: is missing: leave the row out")
		}
	}
	for i, one := range examples {
		example, _ := one.(map[string]any)
		in, _ := example["input"].(string)
		out, _ := example["output"].(string)
		fmt.Fprintf(&b, "## Example %d\n\nInput:\n\n```\n%s\n```\n\nOutput:\n\n```\n%s\n```\n\n", i+1, strings.TrimSpace(in), strings.TrimSpace(out))
	}
	note, err := r.text("note")
	if note = strings.TrimSpace(note); note != "" {
		b.WriteString("## Note\n\n" + note)
	}
	return strings.TrimSpace(b.String()), err
}
