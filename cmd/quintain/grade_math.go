package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/interop/pipe"
)

func newGradeMath(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "math [GOLD ANSWER]",
		Short: "Compare mathematical answers with references: JSON lines in, JSON lines out",
		Long: `Math reads a JSON object a line from standard input, {"gold": …, "answer": …}, and
prints one for each, in order: {"equal", "reason", "extracted"}. Gold is the reference as
data sets write it. Answer is any text of a model; math finds the final answer in it.
docs/math.md defines equality.

All cores compare. Math answers every line that it has read before it waits for more. An
unreadable line gives {"error": …} in its place and exit status 1 at the end; the other
lines are still compared.

With a reference and an answer as arguments it explains their comparison: it prints how it
found the answer, the expressions on both sides, each stage of the comparison, and the
verdict.`,
		Example: `  printf '%s\n' '{"gold": "\\frac{1}{2}", "answer": "so it is \\boxed{0.5}"}' | quintain grade math
  quintain grade math '(x-1)(x+1)' '\boxed{x^2-1}'`,
		Args: wants("a reference and an answer, or neither", 0, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				screen.Explanation(w.stdout, mathverify.Explain(c.Context(), args[0], args[1]))
				return nil
			}
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return pipe.VerifyMath(ctx, w.input(), w.stdout)
			})
		},
	}
}
