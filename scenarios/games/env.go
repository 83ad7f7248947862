package games

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/answer"
)

// wordings is the number of wordings of each text.
const wordings = 3

// maxMove is the longest move in bytes: longer ones are unreadable.
const maxMove = 200

// An env is one episode.
type env struct {
	reward  Reward
	short   bool // see [play]
	start   Start
	wording int
	match   Match
	fresh   func() Match
	turns   int     // the most replies
	value   float64 // of the position
	turn    int     // replies so far
	faults  int     // of them, those without a legal move
	paid    float64 // so far
}

// Open implements [quintain.Env].
func (e *env) Open(context.Context) ([]quintain.Message, error) {
	if e.short {
		return []quintain.Message{{Role: quintain.RoleUser, Content: e.brief()}}, nil
	}
	system := e.start.Rules(e.wording) + "\n\n" + fmt.Sprintf(forms[e.wording], e.example(), e.turns) + " " + earnings[e.reward][e.wording]
	return []quintain.Message{
		{Role: quintain.RoleSystem, Content: system},
		{Role: quintain.RoleUser, Content: e.match.Show() + "\n\n" + e.left()},
	}, nil
}

// example is a legal move of the opening: that of the game, or else the first.
func (e *env) example() string {
	if _, why := e.fresh().Move(e.start.Example()); why != "" {
		return e.match.Allowed()[0]
	}
	return e.start.Example()
}

// forms say how to reply; they get an example of a move and the number of replies.
var forms = [wordings]string{
	"Reply with one move between <move> and </move>, for example <move>%s</move>; you may think before it. The first reply without exactly one legal move " +
		"changes nothing, the second ends the episode without a reward. You have at most %d replies.",
	"Write each move as <move>%s</move>, exactly one in each reply, after any thoughts. If a reply has no legal move, you are told why; if it happens again, " +
		"the episode is over and earns nothing. There are %d replies at most.",
	"Every reply must hold exactly one move, in tags: <move>%s</move>. One reply without a legal move is forgiven, though it counts; another one ends " +
		"the episode, which then earns nothing. The episode has at most %d replies.",
}

// earnings say what an episode earns.
var earnings = map[Reward][wordings]string{
	Outcome: {
		"The result at the end is your reward.",
		"You are rewarded for how it ends.",
		"What counts is the result at the end.",
	},
	Value: {
		"Your reward falls by what each move gives away compared with the best move; luck does not change it.",
		"You are rewarded for the quality of your moves, compared with the best ones, and not for luck.",
		"Each move is measured against the best one, so luck neither helps nor hurts. An episode that does not end earns nothing.",
	},
	Shaped: {
		"Your reward falls by what each move gives away compared with the best move; luck does not change it.",
		"You are rewarded for the quality of your moves, compared with the best ones, and not for luck.",
		"Each move is measured against the best one, so luck neither helps nor hurts. An episode that does not end earns nothing.",
	},
}

// tag names the tag of a move, with short prompts or without.
func tag(short bool) string {
	if short {
		return "answer"
	}
	return "move"
}

// brief describes the position in short prompts.
func (e *env) brief() string {
	if b, can := e.match.(Briefer); can {
		return b.Brief()
	}
	return e.match.Show()
}

// observe returns the message after a step that did not end the episode.
func (e *env) observe(step quintain.Step, told string) []quintain.Message {
	text := told + "\n\n" + e.match.Show() + "\n\n" + e.left()
	if e.short {
		text = e.brief()
		if step.Malformed || step.Illegal {
			text = "no\n" + text
		}
	}
	return []quintain.Message{{Role: quintain.RoleUser, Content: text}}
}

// left tells how many replies are left.
func (e *env) left() string {
	if n := e.turns - e.turn; n != 1 {
		return fmt.Sprintf("%d replies are left.", n)
	}
	return "This is your last reply."
}

// Step implements [quintain.Env].
func (e *env) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	e.turn++
	move, why := answer.Between(reply.Text, tag(e.short))
	if why == "" && len(move) > maxMove {
		move, why = "", "the move is too long"
	}
	step := quintain.Step{Answer: move, Malformed: why != ""}
	if why != "" {
		return e.fault(step, reply, why), nil
	}
	told, why := e.match.Move(move)
	if why != "" {
		step.Illegal = true
		return e.fault(step, reply, why), nil
	}
	step.Why = told
	before := e.value
	e.value = e.match.Value()
	if lost := before - e.value; lost > 0 {
		step.Why += fmt.Sprintf(" The move gives away %.3g.", lost)
	}
	return e.judged(step, reply, told), nil
}

// fault ends a step whose reply has no legal move.
func (e *env) fault(step quintain.Step, reply quintain.Reply, why string) quintain.Step {
	e.faults++
	step.Why = why
	if e.faults > 1 {
		step.End, step.Reward = quintain.Terminated, e.earn(true, true)
		step.Value = new(float64)
		return step
	}
	return e.judged(step, reply, "That was no legal move: "+why+". Nothing has changed. Another such reply ends the episode.")
}

// judged ends a step that left the match as it is now.
func (e *env) judged(step quintain.Step, reply quintain.Reply, told string) quintain.Step {
	worth, over := e.match.Over()
	cut := reply.Finish == quintain.Length
	last := e.turn == e.turns || cut && reply.Text == "" // then there is no room for more
	lost := last && !over
	value := e.value
	if lost {
		value = 0
	}
	step.Value, step.Reward = &value, e.earn(over || last, lost)
	switch {
	case over:
		step.End, step.Right = quintain.Terminated, value == 1
		if e.reward == Outcome {
			step.Right = worth == 1
		}
	case last && cut:
		step.End, step.Why = quintain.Truncated, sentence(step.Why, "The length limit cut the reply.")
	case last:
		step.End, step.Why = quintain.Terminated, sentence(step.Why, "No replies are left.")
	default:
		step.Observe = e.observe(step, told)
	}
	return step
}

// sentence adds a sentence to a text.
func sentence(text, more string) string { return strings.TrimSpace(text + " " + more) }

// Advice returns what to reply.
func (e *env) Advice() (a quintain.Advice) {
	if _, over := e.match.Over(); over || e.turn == e.turns || e.faults > 1 {
		return a
	}
	return tagged(tag(e.short), e.match.Best(), e.match.Allowed())
}

// Close implements [quintain.Env].
func (e *env) Close() error { return nil }
