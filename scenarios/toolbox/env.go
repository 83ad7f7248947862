package toolbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario"
)

// finish is the tool that ends an episode.
const finish = "finish"

// Limits of the arguments of a call.
const (
	maxArguments = 4000 // bytes
	maxDepth     = 16
)

// An env is one episode.
type env struct {
	start   Start
	wording int
	world   World
	kit     scenario.Kit
	plan    []quintain.ToolCall
	needed  int // calls, more than which cost
	most    int // calls

	made     int  // calls so far
	did      bool // the last of them was not refused
	silent   int  // replies without a call
	followed int  // of the plan, the calls that were made in their order
	finished bool
	answer   string
}

func newEnv(start Start, wording int) *env {
	e := &env{start: start, wording: wording, world: start.World(), plan: start.Plan()}
	e.needed = len(e.plan)
	if of, ok := start.(Budgeted); ok {
		e.needed = max(of.Calls(), e.needed)
	}
	e.most = 2*e.needed + 2
	for _, t := range append(e.world.Tools(), e.finish()) {
		do := t.Do
		t.Do = func(ctx context.Context, args []byte) (string, error) {
			result, err := do(ctx, args)
			e.did = err == nil
			return result, err
		}
		e.kit = append(e.kit, t)
	}
	return e
}

// finish returns the tool that ends the episode.
func (e *env) finish() scenario.Tool {
	t := scenario.Tool{Name: finish, Doc: "End the episode. The result is then judged as it is."}
	param := e.start.Answer()
	if param.Name != "" {
		t.Doc, t.Params = "Give the answer and end the episode. The result is then judged as it is.", []scenario.Param{param}
	}
	t.Do = func(_ context.Context, args []byte) (string, error) {
		e.finished, e.answer = true, answerOf(args, param.Name)
		return "", nil
	}
	return t
}

// answerOf returns an argument: a text, or the JSON of anything else; empty: it is not there.
func answerOf(args []byte, name string) (answer string) {
	strictjson.Members(args, func(member, value []byte) bool {
		if string(member) != name {
			return true
		}
		if strictjson.Unmarshal(value, &answer) != nil {
			answer = string(value)
		}
		return false
	})
	return answer
}

// Open implements [quintain.Env].
func (e *env) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{
		{Role: quintain.RoleSystem, Content: fmt.Sprintf(manners[e.wording], e.most)},
		{Role: quintain.RoleUser, Content: e.start.Goal(e.wording)},
	}, nil
}

// Tools implements [quintain.Tooled].
func (e *env) Tools() []quintain.Tool { return e.kit.Offer() }

// Step implements [quintain.Env].
func (e *env) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if len(reply.ToolCalls) == 0 && reply.CallFault == "" {
		return e.uncalled(reply), nil
	}
	step := quintain.Step{Malformed: reply.CallFault != ""}
	if step.Malformed {
		e.count()
		step.Why = "a call that cannot be read"
		step.Observe = []quintain.Message{{Role: quintain.RoleUser, Content: refused("your call cannot be read: " + reply.CallFault)}}
		reply.ToolCalls = nil
	}
	var names []string
	for _, c := range reply.ToolCalls {
		if e.over() {
			break
		}
		answer, err := e.call(ctx, c)
		if err != nil {
			return quintain.Step{}, err
		}
		step.Illegal = step.Illegal || !e.did
		step.Observe = append(step.Observe, answer)
		names = append(names, fmt.Sprintf("%.40q", c.Name))
	}
	if step.Why == "" {
		step.Why = "calls " + strings.Join(names, ", ")
	}
	step.Why += fmt.Sprintf("; %d of %d calls.", e.made, e.most)
	if !e.over() {
		return step, nil
	}
	if of, ok := e.world.(Hosted); ok {
		if err := of.Settle(ctx, e.answer); err != nil {
			return quintain.Step{}, err
		}
	}
	e.judge(&step)
	return step, nil
}

// over reports whether the result is to be judged.
func (e *env) over() bool { return e.ended() || e.made == e.most }

// ended reports whether a call ended the episode.
func (e *env) ended() bool {
	of, can := e.world.(Ender)
	return e.finished || can && of.Ended()
}

// count counts a call that is about to be made.
func (e *env) count() {
	e.made++
	if of, ok := e.world.(Clocked); ok {
		of.At(e.made)
	}
}

// call makes a call, and returns the message that answers it.
func (e *env) call(ctx context.Context, c quintain.ToolCall) (quintain.Message, error) {
	e.count()
	e.did = false
	if why := unreadable(c.Arguments); why != "" {
		return quintain.Message{Role: quintain.RoleTool, ToolCallID: c.ID, Content: refused(why)}, nil
	}
	answer, err := e.kit.Answer(ctx, c)
	if e.did && e.followed < len(e.plan) && same(e.plan[e.followed], c) {
		e.followed++
	}
	return answer, err
}

// unreadable says why arguments cannot be read without doubt; empty: they can, or the tool says why not.
func unreadable(args string) string {
	if len(args) > maxArguments {
		return fmt.Sprintf("the arguments have %d bytes, at most %d are allowed", len(args), maxArguments)
	}
	if strings.TrimSpace(args) == "" {
		return ""
	}
	if fault := strictjson.Check([]byte(args), maxDepth); fault != nil {
		return fmt.Sprintf("the arguments: %.200s", fault.Error())
	}
	return ""
}

// refused is the text of a call that is not done.
func refused(why string) string { return "Error: " + strings.ToValidUTF8(why, "\uFFFD") }

// uncalled answers a reply without a call.
func (e *env) uncalled(reply quintain.Reply) quintain.Step {
	e.silent++
	step := quintain.Step{Malformed: true, Why: "The reply calls no tool."}
	cut := reply.Finish == quintain.Length
	if cut {
		step.Why += " The length limit cut it."
	}
	switch {
	case cut && reply.Text == "": // there is no room for more
		step.End = quintain.Truncated
	case e.silent > 1:
		step.End, step.Why = quintain.Terminated, step.Why+" It is the second one."
	default:
		step.Observe = []quintain.Message{{Role: quintain.RoleUser, Content: "Your reply calls no tool. Another one without a call ends the episode without a reward. Call a tool, or finish to end the episode."}}
	}
	return step
}

// Advice returns what to reply: the next call of the plan.
func (e *env) Advice() (a quintain.Advice) {
	if e.over() || e.silent > 1 || e.followed == len(e.plan) {
		return a
	}
	a.Best = []string{advised(e.plan[e.followed])}
	for _, c := range e.plan[:len(e.plan)-1] {
		if text := advised(c); !slices.Contains(a.Allowed, text) {
			a.Allowed = append(a.Allowed, text)
		}
	}
	a.Allowed = append(a.Allowed, advised(e.giveUp()))
	return a
}

// Close implements [quintain.Env].
func (e *env) Close() error {
	if of, ok := e.world.(Hosted); ok {
		return of.Close()
	}
	return nil
}
