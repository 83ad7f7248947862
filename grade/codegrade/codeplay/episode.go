package codeplay

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/scenario"
)

// name is that of the tool.
const name = "python"

// A toolEpisode asks a question and judges the answer as another does, with Python before it.
type toolEpisode struct {
	settings *PythonTool
	asks     quintain.Env
	desk     scenario.Desk
	notebook *notebook // nil: no call was made
}

func newEpisode(s *PythonTool, asks quintain.Env) *toolEpisode {
	e := &toolEpisode{settings: s, asks: asks}
	e.desk.Most = s.Calls
	e.desk.Kit = scenario.Kit{scenario.Of(name, "Run Python code. "+s.doc(), []scenario.Param{{Name: "code", Type: scenario.Text(), Doc: "the code to run"}},
		func(ctx context.Context, in struct{ Code string }) (string, error) { return e.run(ctx, in.Code) })}
	return e
}

// doc is what the policy is told of Python.
func (s *PythonTool) doc() string {
	state := "Its variables and imports are there in later calls."
	if s.Stateless {
		state = "Each call begins with nothing: no variable stays."
	}
	return fmt.Sprintf("The result is what it prints, and the value of its last line. %s It has the standard library and no network, and %v seconds.", state, s.Seconds)
}

// system is the system message.
func (s *PythonTool) system() string {
	call := fmt.Sprintf("you can call the tool python, at most %d times", s.Calls)
	if s.Form == CodeForm {
		call = fmt.Sprintf("you can run Python, at most %d times: write the code between <code> and </code>, and end your reply there. The next message has the result, between <interpreter> and </interpreter>. %s", s.Calls, s.doc())
	}
	return "You solve problems, and " + call + ".\n\n" +
		"Think first, between <think> and </think> if you like, and compute with Python what is tedious or easy to get wrong. As long as a reply runs code, it is not graded. " +
		"When you are done, give your answer in a reply that runs none: write it once, between <answer> and </answer>, in exactly the form that the question asks for, with nothing else inside the tags. " +
		"An answer inside the thinking does not count, and of two answers neither does."
}

// Open implements [quintain.Env].
func (e *toolEpisode) Open(ctx context.Context) ([]quintain.Message, error) { return e.asks.Open(ctx) }

// Tools implements [quintain.Tooled].
func (e *toolEpisode) Tools() []quintain.Tool {
	if e.settings.Form == CodeForm {
		return nil
	}
	return e.desk.Offer()
}

// Step implements [quintain.Env]. A reply without calls is the answer; so is one that was cut, and one that
// calls although it was told that no call is left.
func (e *toolEpisode) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if e.settings.Form == CodeForm {
		reply.ToolCalls, reply.CallFault = codeCalls(reply.Text), ""
	}
	if reply.Finish != quintain.Length && !e.desk.Closed(reply) {
		answers, err := e.desk.Step(ctx, reply)
		if err != nil {
			return quintain.Step{}, err
		}
		if len(answers) > 0 {
			return quintain.Step{Observe: e.told(answers), Malformed: reply.CallFault != "", Why: fmt.Sprintf("calls python, %d of %d", e.desk.Made(), e.settings.Calls)}, nil
		}
	}
	step, err := e.asks.Step(ctx, reply)
	if len(reply.ToolCalls) > 0 || reply.CallFault != "" {
		step.Why = strings.TrimSuffix("it calls a tool in place of an answer; "+step.Why, "; ")
	}
	return step, err
}

// told returns the results as the form has them.
func (e *toolEpisode) told(answers []quintain.Message) []quintain.Message {
	if e.settings.Form != CodeForm {
		return answers
	}
	texts := make([]string, len(answers))
	for i, a := range answers {
		texts[i] = "<interpreter>\n" + a.Content + "\n</interpreter>"
	}
	return []quintain.Message{{Role: quintain.RoleUser, Content: strings.Join(texts, "\n")}}
}

// Close implements [quintain.Env].
func (e *toolEpisode) Close() error {
	err := e.asks.Close()
	if e.notebook == nil {
		return err
	}
	if closeErr := e.notebook.Close(); err == nil {
		err = closeErr
	}
	return err
}

// run runs a cell, and returns what the policy is told of it.
func (e *toolEpisode) run(ctx context.Context, code string) (told string, err error) {
	if e.notebook == nil {
		if e.notebook, err = e.settings.notebook(); err != nil {
			return "", err
		}
	}
	if len(code) > sandbox.MaxCell {
		return "", scenario.Refusef("argument code: has %d bytes, at most %d are allowed", len(code), sandbox.MaxCell)
	}
	got, lost, err := e.notebook.run(ctx, code)
	if err != nil {
		return "", err
	}
	return e.settings.tell(got, lost), nil
}

// A codeBlock is code in the form Code, perhaps within a fence of Markdown, perhaps without its end.
var (
	codeBlock = compiled.Regexp(`(?s)<code>(.*?)(?:</code>|$)`)
	fence     = compiled.Regexp("(?s)^\\s*```[a-zA-Z0-9]*\n(.*?)(?:```\\s*)?$")
)

// mostBlocks of a reply are read; the calls of a template's form have this limit too.
const mostBlocks = 128

// codeCalls returns a call for each block of code after the thoughts.
func codeCalls(text string) (calls []quintain.ToolCall) {
	if _, after, thinks := strings.Cut(text, "</think>"); thinks {
		text = after
	}
	for _, found := range codeBlock().FindAllStringSubmatch(text, mostBlocks) {
		code := found[1]
		if within := fence().FindStringSubmatch(code); within != nil {
			code = within[1]
		}
		args, err := strictjson.Legible(map[string]string{"code": code})
		if err != nil {
			continue // no text fails
		}
		calls = append(calls, quintain.ToolCall{Name: name, Arguments: string(args)})
	}
	return calls
}
