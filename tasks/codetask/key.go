package codetask

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/quintain-rl/quintain"
)

// Key implements [quintain.Keyer]. Problems with the same task and result ask the same, whatever
// their examples, their layout and the words for true and false, and whether they ask for a
// function or for a whole program.
func (t programs) Key(p quintain.Problem) (quintain.Key, error) {
	if p.Task != TaskName {
		return quintain.Key{}, fmt.Errorf("problem %s is none of %s", p.ID(), TaskName)
	}
	return quintain.NewKey(question(p.Prompt)), nil
}

// The parts of a statement: headings in any layout, and what a result looks like.
var (
	inputHead  = regexp.MustCompile(`\n\n(\*\*|## )?(Arguments|Input)(\*\*|:)?\n\n`)
	outputHead = regexp.MustCompile(`\n\n(\*\*|## )?(Result|Output)(\*\*|:)?\n\n(Return|Print) `)
	limitsHead = regexp.MustCompile(`\n\n(\*\*|## )?Limits(\*\*|:)?\n\n`)
	truthForm  = regexp.MustCompile("^`[^`]+` if (.*), and `[^`]+` if not$")
	resultForm = regexp.MustCompile(`, (as a list of (integers|strings|lists of integers)|(on one line|each on a line of its own|each row on a line of its own)[.,].*)$`)
)

// question returns the task and the result of a statement, or all of it if they are not found.
func question(statement string) string {
	_, task, found := strings.Cut(statement, "\n\n")
	input, limits := inputHead.FindStringIndex(task), limitsHead.FindStringIndex(task)
	output := outputHead.FindStringIndex(task)
	if !found || input == nil || output == nil || limits == nil || output[1] > limits[0] || input[0] > output[0] {
		return statement
	}
	result := strings.TrimSuffix(task[output[1]:limits[0]], ".")
	result = resultForm.ReplaceAllString(truthForm.ReplaceAllString(result, "$1"), "")
	return task[:input[0]] + "\n" + result
}
