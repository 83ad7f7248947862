package codeplay

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
)

// lastLines of an error's trace are told.
const lastLines = 8

// tell is what the policy is told of a result. Lost says that the state is gone.
func (s *PythonTool) tell(got sandbox.Result, lost bool) string {
	var parts []string
	if out := text(got.Stdout); out != "" {
		parts = append(parts, out)
	}
	if wrong := text(got.Stderr); wrong != "" {
		lines := strings.Split(wrong, "\n")
		parts = append(parts, strings.Join(lines[max(0, len(lines)-lastLines):], "\n"))
	}
	said := scenario.Cut(strings.Join(parts, "\n"), s.Output)
	why := s.why(got)
	switch {
	case lost:
		why = strings.TrimPrefix(why+" ", " ") + "The session ended: its variables are gone, and the next call begins a new one."
	case why == "" && said == "":
		return "There is no output."
	}
	if why == "" {
		return said
	}
	return strings.TrimPrefix(said+"\n", "\n") + "Error: " + why
}

// why is the limit that ended a cell; empty: none did.
func (s *PythonTool) why(got sandbox.Result) string {
	switch got.End {
	case sandbox.CPULimit, sandbox.WallLimit:
		return fmt.Sprintf("the code took longer than it may, %v seconds.", s.Seconds)
	case sandbox.OutputLimit:
		return "the code printed too much."
	case sandbox.MemoryLimit:
		return fmt.Sprintf("the code took more memory than it may, %d MiB.", s.Memory)
	case sandbox.DiskLimit:
		return "the code wrote too many files, or too large ones."
	case sandbox.ProcessLimit:
		return "the code started too many threads."
	case sandbox.Signalled:
		return fmt.Sprintf("the signal %d ended the code.", got.Code)
	case sandbox.Refused:
		return got.Why + "."
	}
	return ""
}

// text returns an output as text.
func text(output []byte) string {
	return strings.TrimRight(strings.ToValidUTF8(string(output), "\uFFFD"), "\n")
}
