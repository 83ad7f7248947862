package player

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// errLeft says that a person replies no more.
var errLeft = errors.New("the input ended before the episode did")

// A Person plays in place of a policy, and replies by lines. A line that ends with a backslash goes on
// in the next one. Calls of tools have the form plain of package toolcall; where the only tool is bash, a line is a command of it,
// and exit, or the end of the input, the reply without a call.
type Person struct {
	In   io.Reader
	Out  io.Writer
	Show func(quintain.Message) // shows a message on Out
}

// Play plays one problem of a stream: the one with an index.
func (p Person) Play(ctx context.Context, s rollout.Stream, index int) (played quintain.Trajectory, err error) {
	problem, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err != nil {
		return played, err
	}
	lines := make(chan string)
	go func() { // it ends with the input, or with the program
		defer close(lines)
		scan := bufio.NewScanner(p.In)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			lines <- scan.Text()
		}
	}()
	seat := &seat{p, lines, wrapping(ctx, s.Scenario, problem)}
	return rollout.Play(ctx, seat, quintain.Sampling{Temperature: 1, TopP: 1}, rollout.Job{Scenario: s.Scenario, Problem: problem})
}

// A seat is the policy of an episode whose replies a person types.
type seat struct {
	Person
	lines <-chan string
	wrap  func(reply string) string
}

// Sample implements [quintain.Policy].
func (s *seat) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	fresh := r.Messages
	for i, m := range r.Messages {
		if m.Role == quintain.RoleAssistant {
			fresh = r.Messages[i+1:]
		}
	}
	for _, m := range fresh {
		s.Show(m)
	}
	shell, begins := onlyBash(r.Tools), len(fresh) == len(r.Messages)
	switch {
	case shell && begins:
		fmt.Fprintln(s.Out, "Each line is a call of bash; exit, or the end of the input (Ctrl-D), is the reply without a call, and Ctrl-C leaves.")
	case len(r.Tools) > 0 && begins:
		fmt.Fprintf(s.Out, "--- tools ---\n%s\na call: <call>{\"name\": \"…\", \"arguments\": {…}}</call>\n", r.Tools)
	}
	text, err := s.reply(ctx)
	switch {
	case shell && (errors.Is(err, errLeft) || text == "exit"):
		text, err = "I am done.", nil
	case err != nil:
		return nil, err
	case shell:
		text, err = command(text)
	default:
		text = s.wrap(text)
	}
	if err != nil {
		return nil, err
	}
	return script.Always(text).Sample(ctx, r)
}

// bash is the tool whose calls a person types as they are.
const bash = "bash"

// onlyBash reports whether it is the only tool.
func onlyBash(tools json.RawMessage) bool {
	var all []struct{ Function struct{ Name string } }
	return strictjson.Unmarshal(tools, &all) == nil && len(all) == 1 && all[0].Function.Name == bash
}

// command returns a call of bash.
func command(line string) (string, error) {
	args, err := strictjson.Legible(map[string]string{"command": line})
	return toolcall.AppendPlain("", []quintain.ToolCall{{Name: bash, Arguments: string(args)}}), err
}

// reply waits for a reply.
func (s *seat) reply(ctx context.Context) (text string, err error) {
	for {
		fmt.Fprint(s.Out, "> ")
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case line, more := <-s.lines:
			if !more {
				return "", fmt.Errorf("%w: %w", quintain.ErrStop, errLeft)
			}
			before, goesOn := strings.CutSuffix(line, `\`)
			if text += before; !goesOn {
				return text, nil
			}
			text += "\n"
		}
	}
}

// wrapping gives a reply without tags those that its scenario expects.
func wrapping(ctx context.Context, s quintain.Scenario, p quintain.Problem) func(reply string) string {
	before, after := "", ""
	if by, advises := s.(quintain.Adviser); advises {
		if advice, err := by.Advise(ctx, p, nil); err == nil && len(advice.Best) > 0 {
			best := advice.Best[0]
			before, after = best[:strings.IndexByte(best, '>')+1], best[max(0, strings.LastIndexByte(best, '<')):]
		}
	}
	return func(reply string) string {
		if before == "" || strings.Contains(reply, "<") {
			return s.Info().Reply(reply)
		}
		return before + reply + after
	}
}
