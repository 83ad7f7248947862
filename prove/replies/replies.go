// Package replies has what a policy may say without solving anything, and what a solver may
// say in other words: replies that make no sense, constants, forms of a right answer, and
// texts for whoever grades. Tests of tasks and scenarios, quintain judge check and quintain
// prove try the same ones.
package replies

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
)

// Senseless returns replies that every environment must be able to judge.
func Senseless() []string { return slices.Clone(senseless) }

var senseless = []string{
	"", " ", "42", "<answer>42</answer>", "<think>a</think><answer>b</answer>", "<answer>", "\x00\xff",
	`\boxed{7}`, strings.Repeat("9", 10_000), strings.Repeat("<answer>", 1000),
	strings.Repeat("[", 5000), "<answer>" + strings.Repeat("9", 5000) + "</answer>", "[" + strings.Repeat("9", 5000) + "]",
	"\u202eanswer\u2066 1\u2069", "答案是四十二。", "الجواب هو ٤٢", "<think>", "</answer><answer>", `{"answer": {"answer": [null, 1e999]}}`,
	"1/0", "-1", "nan", "\n\n\n", "%s%n{}${x}", "'; --", strings.Repeat("a", 30) + "!",
}

// Quits returns what a policy may say that gives up at once.
func Quits() []string {
	return []string{"", "<answer></answer>", "I give up.", "quit", "[quit]", "resign", "I am done."}
}

// Arguments returns what a model may write as the arguments of a call.
func Arguments() []string { return slices.Clone(arguments) }

var arguments = []string{
	"", "{}", "[1]", "7", "null", "{", `{"answer": "1", "answer": "2"}`, "\x00\xff", `{"no_such_argument": 1}`, `{"answer": NaN}`, `{"answer": "１２"}`,
	`{"answer": {"answer": ["a", null, 1e999]}}`, `{"answer": -1}`, strings.Repeat("[", 100_000), `{"answer": ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
	`{"answer": "` + strings.Repeat("x", 1_000_000) + `"}`, strings.Repeat("x", 1_000_000),
}

// Calls returns replies with calls that no environment wants: of its tools and of others, two at
// once, with [Arguments]; and calls that nobody can read.
func Calls(offered []quintain.Tool) (all []quintain.Reply) {
	names := []string{"", "no_such_tool", strings.Repeat("\xff", 10_000)}
	for _, t := range offered {
		names = append(names, t.Name)
	}
	for _, args := range arguments {
		for _, name := range names {
			calls := []quintain.ToolCall{{ID: "call00001", Name: name, Arguments: args}, {ID: "call00002", Name: name, Arguments: args}}
			all = append(all, quintain.Reply{ToolCalls: calls, Finish: quintain.Stop})
		}
		all = append(all, quintain.Reply{Text: args, CallFault: "call 1: it has no name", Finish: quintain.Stop}, quintain.Reply{Text: args, Finish: quintain.Length})
	}
	return all
}
