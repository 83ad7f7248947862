package codeplay

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
)

// mostShown bounds each text of a message about an example, in bytes.
const mostShown = 1000

// try runs a program on the examples of the statement, and returns what to tell the policy; empty:
// it passes.
func (e *env) try(ctx context.Context, code string) (told string, err error) {
	examples := e.tests
	examples.Scoring, examples.Cases = codegrade.All, nil
	for _, c := range e.tests.Cases {
		if c.Public {
			examples.Cases = append(examples.Cases, c)
		}
	}
	v, err := e.judge(ctx, examples, code)
	if err != nil || v.Reason == "" {
		return "", err
	}
	for _, o := range v.Outcomes {
		if o.Reason != "" {
			return failed(examples.Kind, examples.Cases[o.Case], o), nil
		}
	}
	return fmt.Sprintf("Your program fails: %s. Mend it, and write it again as a whole.", words(v.Reason)), nil
}

// words says a reason to the policy.
func words(r codegrade.Reason) string {
	switch r {
	case codegrade.CompileError:
		return "it does not compile"
	case codegrade.RuntimeError:
		return "it ends with an error"
	case codegrade.TimeLimit:
		return "it takes too long"
	case codegrade.MemoryLimit:
		return "it takes too much memory"
	case codegrade.OutputLimit:
		return "it prints too much"
	}
	return "its answer is wrong"
}

// failed tells how a program fails an example.
func failed(kind codegrade.Kind, c codegrade.Case, o codegrade.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your program fails an example: %s.\n", words(o.Reason))
	in, out := "Input", "Output"
	if kind == codegrade.Call {
		in, out = "Arguments", "Result"
	}
	block(&b, in, c.Input)
	block(&b, "Expected "+strings.ToLower(out), c.Output)
	if o.Reason == codegrade.WrongAnswer {
		block(&b, "Your "+strings.ToLower(out), o.Output)
	}
	block(&b, "Standard error", o.Error)
	b.WriteString("\nMend the program, and write it again as a whole.")
	return b.String()
}

// block writes a text under a name, cut in its middle.
func block(b *strings.Builder, name, text string) {
	text = strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), "\n")
	if text == "" {
		return
	}
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown/2], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-mostShown/2:], "")
	}
	fmt.Fprintf(b, "\n%s:\n\n    %s\n", name, strings.ReplaceAll(text, "\n", "\n    "))
}

// noCode asks for a program where a reply has none.
func noCode(language string) string {
	return fmt.Sprintf("I could not find a program in your reply. Write it in one block that begins with ```%s.", language)
}

func observe(text string) []quintain.Message {
	return []quintain.Message{{Role: quintain.RoleUser, Content: text}}
}
