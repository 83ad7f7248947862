package screen

import (
	"fmt"
	"io"

	"github.com/quintain-rl/quintain/grade/mathverify"
)

// Explanation prints how a mathematical answer was compared with its reference.
func Explanation(out io.Writer, e mathverify.Explanation) {
	fmt.Fprintf(out, "found by   %s\n", e.Rule)
	for _, side := range []struct {
		name string
		of   mathverify.Side
	}{{"gold", e.Gold}, {"answer", e.Answer}} {
		fmt.Fprintf(out, "%-10s %s\n", side.name, side.of.Text)
		switch {
		case side.of.Error != "":
			fmt.Fprintf(out, "%-10s cannot be read: %s\n", "", side.of.Error)
		case side.of.Tree != "":
			fmt.Fprintf(out, "%-10s %s\n", "", side.of.Tree)
		}
	}
	for _, stage := range e.Stages {
		fmt.Fprintf(out, "%-10s %s: %s\n", stage.Name, stage.Of, sameness(stage.Equal))
	}
	fmt.Fprintf(out, "%-10s %s (%s)\n", "verdict", sameness(e.Equal), e.Reason)
}

func sameness(equal bool) string {
	if equal {
		return "equal"
	}
	return "not equal"
}
