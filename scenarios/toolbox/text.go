package toolbox

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// wordings is the number of wordings of each text.
const wordings = 3

// manners say how to work; they get the number of calls.
var manners = [wordings]string{
	"You solve a task with tools. Each of your replies calls one tool or several, and the next messages have the results. When you are done, call finish. The result is then " +
		"judged: it must be as the task says, and all that the task is not about must be as it was. A right result earns 1, less 0.02 for each call that was not " +
		"needed, but at least 0.8; a wrong one earns nothing, unless the task says otherwise. You have %d calls, finish included; with the last of them the episode ends. " +
		"The first reply without a call is forgiven, the second ends the episode without a reward.",
	"There is a task for you, and there are tools. Call at least one tool in every reply; you get the results in the messages that follow. End with a call of finish: what you have " +
		"achieved by then is compared with the task, and nothing else may have changed. The reward is 1 if all is right, reduced by 0.02 for every call more than needed " +
		"but never below 0.8, and 0 if anything is wrong and the task does not say otherwise. There are at most %d calls, counting finish, and the episode ends with the last. " +
		"If a reply has no call, you are told once; if it happens again, the episode is over and earns nothing.",
	"Use the tools to do what the task asks. A reply is one call or more; each call is answered by a message. After your work, call finish, which ends the episode. What " +
		"counts is the state at the end and, if there is one, the answer: both must be right, and whatever the task does not name must be unchanged. That earns 1; each " +
		"call beyond those needed costs 0.02, down to 0.8 at the lowest. Anything else earns 0, except where the task says so. The episode has %d calls at most, with finish " +
		"among them, and is judged after the last. One reply without a call is tolerated; another one ends the episode, which then earns nothing.",
}

// advised is the text of a reply with a call, in the form plain.
func advised(c quintain.ToolCall) string { return toolcall.AppendPlain("", []quintain.ToolCall{c}) }

// giveUp is a call that ends the episode with a wrong answer.
func (e *env) giveUp() quintain.ToolCall {
	param := e.start.Answer()
	if param.Name == "" {
		return Call(finish, struct{}{})
	}
	args := map[string]any{param.Name: 0}
	if c := e.plan[len(e.plan)-1]; c.Name == finish && strictjson.Unmarshal([]byte(c.Arguments), &map[string]string{}) == nil {
		args[param.Name] = "I do not know"
	}
	return Call(finish, args)
}

// same reports whether two calls are the same, however their arguments are written.
func same(a, b quintain.ToolCall) bool {
	return a.Name == b.Name && (a.Arguments == b.Arguments || settled(a.Arguments) == settled(b.Arguments))
}

// settled writes arguments in one way.
func settled(args string) string {
	var value any
	if strictjson.Unmarshal([]byte(args), &value) != nil {
		return args
	}
	text, err := strictjson.Legible(value)
	if err != nil {
		return args
	}
	return string(text)
}
