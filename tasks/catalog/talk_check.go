package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/mathverify"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// errands are the goals of the users in the known dialogues. A user tells the facts when it is asked for them, and never the answer.
const errands = `{"question":"My booking is wrong.","goal":"You paid for 12 seats and then for 7 more, and want to know how many seats that is together.","answer":19,"facts":"12 7"}
{"question":"I need help with a recipe.","goal":"Your recipe for 4 people takes 300 grams of flour. You cook for 6 people, and want to know how many grams you need.","answer":450,"facts":"300 6"}
{"question":"How long will my trip take?","goal":"You cycle 360 kilometres, and do 30 kilometres a day. You want to know how many days that takes.","answer":12,"facts":"360 30"}
{"question":"Something is odd with my bill.","goal":"Your bill has 3 coffees at 4 dollars each and a cake at 5 dollars. You want to know the right sum.","answer":17,"facts":"4 5"}
{"question":"Can you check my savings?","goal":"You put 25 euros aside in each of 14 months, and want to know how much that is together.","answer":350,"facts":"25 14"}
`

// A dialogue is what an assistant says to each user, and what its user should do.
type dialogue struct {
	name  string
	says  []string // {answer} stands for the answer
	tells bool     // the user tells its facts at once
	ends  bool     // the user ends the conversation after the last reply
}

func dialogues() []dialogue {
	ask := "Please tell me all the numbers that I need."
	return []dialogue{
		{"the goal is reached", []string{ask, "Then it is <answer>{answer}</answer>."}, true, true},
		{"the assistant cannot help", []string{ask, "I am sorry, I cannot help you with that, now or later. Goodbye."}, true, true},
		{"the assistant is idle", []string{"", "Hm."}, false, false},
		{"the assistant asks for the answer", []string{"Do the sum yourself, and tell me the final number."}, false, false},
	}
}

// leastGood is the least share of known dialogues that a user plays well.
const leastGood = 0.9

// A TalkCheck holds the user of a scenario talk to known dialogues.
type TalkCheck struct {
	Of quintain.Seated // over the problems of the dialogues

	rows *dataset.Set
}

// NewTalkCheck returns the check of the chosen scenario, talk. The error says that it has no user.
func (s *ScenarioChoice) NewTalkCheck() (*TalkCheck, error) {
	rows, err := dataset.Open(&dataset.File{Name: "errands.jsonl", Data: io.NewSectionReader(strings.NewReader(errands), 0, int64(len(errands)))}, dataset.Columns{}, mathverify.Grade)
	if err != nil {
		return nil, err
	}
	of, err := s.Over(rows)
	if err != nil {
		return nil, err
	}
	seated, is := of.(quintain.Seated)
	if !is || len(seated.Players()) != 2 {
		return nil, errors.New("talk: there is no user: name one by --scenario \"talk:user='server:NAME'\"")
	}
	return &TalkCheck{seated, rows}, nil
}

// Run plays the dialogues with a user who replies by says, and writes what it does wrong to out. The error says that it plays less than
// 0.9 of them well, or why one could not be played.
func (t *TalkCheck) Run(ctx context.Context, says func(context.Context, []quintain.Message) (quintain.Reply, error), out io.Writer) error {
	good, all := 0, 0
	for index := range t.rows.Size(0) {
		p, err := t.Of.Problem(quintain.Draw{Index: index})
		if err != nil {
			return err
		}
		for _, d := range dialogues() {
			c := conversing{dialogue: d, says: says}
			if c.solution, err = t.rows.Solve(p); err != nil {
				return err
			}
			_, row, _ := dataset.About(p)
			facts, _ := row["facts"].(string)
			c.facts = strings.Fields(facts)
			wrong, err := c.play(ctx, t.Of, p)
			if err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
			if all++; wrong == "" {
				good++
			} else {
				fmt.Fprintf(out, "%s, %q: the user %s\n", d.name, p.Prompt, wrong)
			}
		}
	}
	if float64(good) < leastGood*float64(all) {
		return fmt.Errorf("the user plays %d of %d known dialogues well, want %g: give its policy another model", good, all, leastGood)
	}
	fmt.Fprintf(out, "the user plays %d of %s well\n", good, stats.Count(all, "known dialogue"))
	return nil
}

// A conversing is a known dialogue with a user.
type conversing struct {
	dialogue
	says     func(context.Context, []quintain.Message) (quintain.Reply, error)
	solution string
	facts    []string
	talk     []quintain.Message // that the user reads
	said     []string           // by the user
}

// play plays the dialogue, and returns what the user does wrong.
func (c *conversing) play(ctx context.Context, of quintain.Seated, p quintain.Problem) (wrong string, err error) {
	table, err := of.Table(p)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	next, err := table.Open(ctx)
	if err != nil {
		return "", err
	}
	if next.Seat != 0 { // the user begins
		if next, err = c.listen(ctx, table, next); err != nil {
			return "", err
		}
		c.said = nil
	}
	for _, text := range c.dialogue.says {
		if next.End != quintain.Going {
			break
		}
		if next, err = table.Step(ctx, 0, quintain.Reply{Text: strings.ReplaceAll(text, "{answer}", c.solution), Finish: quintain.Stop}); err != nil {
			return "", err
		}
		if next.End == quintain.Going {
			if next, err = c.listen(ctx, table, next); err != nil {
				return "", err
			}
		}
	}
	return c.judge(next.End == quintain.Terminated), nil
}

// listen has the user reply.
func (c *conversing) listen(ctx context.Context, table quintain.Table, next quintain.Next) (quintain.Next, error) {
	c.talk = append(c.talk, next.Observe...)
	reply, err := c.says(ctx, c.talk)
	if err != nil {
		return next, err
	}
	c.talk = append(c.talk, quintain.Message{Role: quintain.RoleAssistant, Content: reply.Text})
	c.said = append(c.said, reply.Text)
	return table.Step(ctx, next.Seat, reply)
}

// judge returns what the user did wrong.
func (c *conversing) judge(over bool) string {
	for i, text := range c.said {
		told := 0
		words := wholes(text)
		for _, fact := range c.facts {
			if words[fact] {
				told++
			}
		}
		switch {
		case words[c.solution] && !(c.ends && i == len(c.said)-1): // in the end it may repeat what the assistant found
			return fmt.Sprintf("writes the answer: %q", text)
		case c.tells && i == 0 && told < len(c.facts):
			return fmt.Sprintf("does not tell what it is asked for: %q", text)
		}
	}
	switch {
	case c.ends && len(c.said) < len(c.dialogue.says):
		return "ends the conversation before its end"
	case c.ends && !over:
		return fmt.Sprintf("does not end the conversation: %q", c.said[len(c.said)-1])
	}
	return ""
}

// wholes are the whole numbers in a text.
func wholes(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		all[word] = true
	}
	return all
}
