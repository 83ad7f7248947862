package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// talk is the conversation with a user who is another policy.
var talk = scenario.Spec{
	Name: "talk",
	Doc: "A conversation with a user, whose words come from another policy: the question is the user's first message, and the column goal of a file of problems, which only the user reads, " +
		"says what the user wants. The policy's last answer is graded by the task. Without a user it has one reply.",
	Source:  "User simulation as in tau-bench (Sierra, MIT) and verifiers (Prime Intellect, MIT); texts and code are our own.",
	Version: 1,
	New: func() scenario.Play {
		return &Talk{UserTurns: 6, First: FromQuestion, Instructions: "You help a user. Ask for what you need to know. When you know the answer, write it once as <answer>your answer</answer>."}
	},
}

// Talk holds the settings of the scenario talk.
type Talk struct {
	User         string // player of the user's seat: server:NAME or frozen:VERSION; empty: there is no user
	UserTurns    int    // most messages of the user after the first
	UserTokens   int    // of all its messages; 0: no limit
	First        string // who writes the first message: FromQuestion or FromUser
	Instructions string // system message of the policy, unless the row of the problem has its own; empty: none
}

// The values of Talk.First.
const (
	FromQuestion = "question"
	FromUser     = "user" // by its goal, once for all episodes of a problem
)

// Declare implements [settings.Declarer].
func (s *Talk) Declare(d *settings.Section) {
	d.Text(&s.User, "user", "the user: server:NAME for a policy of policy.seats, or frozen:VERSION; empty: nobody, and the policy has one reply")
	d.Int(&s.UserTurns, "user_turns", "most messages of the user after the first; then the conversation is truncated, and graded").AtLeast(1)
	d.Int(&s.UserTokens, "user_tokens", "tokens that the user writes in all its messages, after which the conversation is truncated, and graded; 0: no limit").AtLeast(0)
	d.Text(&s.First, "first", "the user's first message: question, that of the problem; or user, who writes it by the goal, once for all episodes of a problem").OneOf(FromQuestion, FromUser)
	d.Text(&s.Instructions, "instructions", "system message before the user's first message, unless the problem has a column of this name; empty: none").Given("a text")
}

// Check implements [settings.Checker].
func (s *Talk) Check() error {
	name := strings.TrimPrefix(strings.TrimPrefix(s.User, quintain.ServerPlayer), quintain.FrozenPlayer)
	if s.User == "" && s.First == FromUser {
		return errors.New("first: is user, and there is none: name one by user")
	}
	if s.User != "" && (name == "" || !quintain.Opponent(s.User)) {
		return fmt.Errorf("user: is %q, want %sNAME for a policy of policy.seats, or %sVERSION", s.User, quintain.ServerPlayer, quintain.FrozenPlayer)
	}
	return nil
}

// column returns the text of a column of p's row; empty: there is none.
func column(p quintain.Problem, name string) string {
	_, row, _ := dataset.About(p)
	text, _ := row[name].(string)
	return text
}

// opening returns the policy's first messages, with those words of the user.
func (s *Talk) opening(p quintain.Problem, words string) (first []quintain.Message) {
	system := column(p, "instructions")
	if system == "" {
		system = s.Instructions
	}
	if system != "" {
		first = append(first, quintain.Message{Role: quintain.RoleSystem, Content: system})
	}
	return append(first, quintain.Message{Role: quintain.RoleUser, Content: words})
}

// Env implements [scenario.Play]: without a user there is one reply.
func (s *Talk) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	return &alone{scenario.OneTurn{Extract: answer.Tagged}.Env(t, p), s.opening(p, p.Prompt)}, nil
}

// An alone is an episode without a user.
type alone struct {
	quintain.Env
	first []quintain.Message
}

// Open implements [quintain.Env].
func (e *alone) Open(context.Context) ([]quintain.Message, error) { return e.first, nil }

// Players implements [scenario.Host].
func (s *Talk) Players() []string {
	if s.User == "" {
		return nil
	}
	return []string{quintain.PolicyPlayer, s.User}
}

// TablesOnly implements [scenario.Host].
func (s *Talk) TablesOnly() bool { return true }

// Table implements [scenario.Host].
func (s *Talk) Table(t quintain.Task, p quintain.Problem) (quintain.Table, error) {
	return &conversation{how: s, task: t, problem: p}, nil
}

// AdviseAt implements [scenario.Host].
func (s *Talk) AdviseAt(t quintain.Task, p quintain.Problem, seat int, _ []quintain.Message) (advice quintain.Advice, err error) {
	if seat == user {
		done := quintain.Advice{Best: []string{over}, Allowed: []string{over, "What else do you need to know?"}}
		return done, nil
	}
	solution, err := t.Solve(p)
	if err != nil {
		return advice, err
	}
	right := "<answer>" + solution + "</answer>"
	return quintain.Advice{Best: []string{right}, Allowed: []string{right, "What do you want to know?"}}, nil
}

// The seats.
const (
	helper = iota
	user
)

// over is what the user writes in the end.
const over = "<done>"

// A conversation is one match of policy and user.
type conversation struct {
	how     *Talk
	task    quintain.Task
	problem quintain.Problem
	first   string // message of the user; empty: not written
	told    bool   // the user has read its part
	turns   int    // messages of the user after the first
	leaks   int    // of these: with the solution
	said    []string
	repeats int     // of these: said before
	drift   int     // of these: in another script than the first
	tokens  int     // of all messages of the user
	score   float64 // of the last answer
	why     string
}

// Seats implements [quintain.Table].
func (c *conversation) Seats() int { return user + 1 }

// Open implements [quintain.Table].
func (c *conversation) Open(context.Context) (quintain.Next, error) {
	c.why = "there is no answer"
	if c.how.First == FromUser {
		c.told = true
		ask := "Write your first message to the assistant."
		return quintain.Next{Step: quintain.Step{Observe: []quintain.Message{{Role: quintain.RoleSystem, Content: c.part()}, {Role: quintain.RoleUser, Content: ask}}}, Seat: user, Together: true}, nil
	}
	c.first = c.problem.Prompt
	return quintain.Next{Step: quintain.Step{Observe: c.how.opening(c.problem, c.first)}, Seat: helper}, nil
}

// Step implements [quintain.Table].
func (c *conversation) Step(_ context.Context, seat int, reply quintain.Reply) (quintain.Next, error) {
	if seat == user {
		return c.heard(reply)
	}
	return c.helped(reply)
}

// helped takes a reply of the policy, of which the user reads neither thoughts nor calls.
func (c *conversation) helped(reply quintain.Reply) (next quintain.Next, err error) {
	if text, why := answer.Tagged(reply.Text); why == "" {
		v, err := c.task.Grade(c.problem, text)
		if err != nil {
			return next, fmt.Errorf("grading %s: %w", c.problem.ID(), err)
		}
		next.Answer, c.score, c.why = text, v.Score, v.Reason
	}
	next.Metrics = map[string]float64{"user_turns": float64(c.turns), "user_leaks": float64(c.leaks), "user_repeats": float64(c.repeats), "user_drift": float64(c.drift)}
	if c.turns == c.how.UserTurns {
		return c.end(next, quintain.Truncated, "the user has written the most messages, user_turns")
	}
	if most := c.how.UserTokens; most > 0 && c.tokens >= most {
		return c.end(next, quintain.Truncated, "the user has written the most tokens, user_tokens")
	}
	text := answer.WithoutThinking(reply.Text)
	if strings.TrimSpace(text) == "" {
		text = "(The assistant says nothing.)"
	}
	next.Seat = user
	if !c.told {
		c.told = true
		next.Observe = []quintain.Message{{Role: quintain.RoleSystem, Content: c.part()}}
	}
	next.Observe = append(next.Observe, quintain.Message{Role: quintain.RoleUser, Content: text})
	return next, nil
}

// heard takes a message of the user.
func (c *conversation) heard(reply quintain.Reply) (next quintain.Next, err error) {
	text := strings.TrimSpace(answer.WithoutThinking(reply.Text))
	said, _, done := strings.Cut(text, over)
	c.tokens += reply.Tokens
	if c.first == "" && said != "" && !done {
		c.first = text
		next.Seat, next.Observe = helper, c.how.opening(c.problem, text)
		return next, nil
	}
	switch c.turns++; {
	case done && c.first == "":
		return next, errors.New("the user ends the conversation before it begins: its policy does not play its part")
	case done:
		return c.end(next, quintain.Terminated, "the user has ended the conversation")
	case said == "":
		return next, errors.New("the user says nothing: give its policy another model, or more tokens (sampling.max_tokens)")
	}
	if solution, err := c.task.Solve(c.problem); err == nil && says(text, solution) {
		c.leaks++
	}
	if slices.Contains(c.said, text) {
		c.repeats++
	}
	if script(text) != script(c.first) {
		c.drift++
	}
	c.said = append(c.said, text)
	next.Seat, next.Observe = helper, []quintain.Message{{Role: quintain.RoleUser, Content: text}}
	return next, nil
}

// says reports whether a text has the words of another, in their order.
func says(text, words string) bool {
	plain := func(s string) string {
		return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode15.IsLetter(r) && !unicode15.IsDigit(r) }), " ") + " "
	}
	return strings.TrimSpace(plain(words)) != "" && strings.Contains(plain(text), plain(words))
}

// script returns the number of the script of most letters of a text; 0: Latin, or none that is known.
func script(text string) int {
	scripts := [][]*unicode.RangeTable{
		{unicode.Latin}, {unicode.Cyrillic}, {unicode.Greek}, {unicode.Han, unicode.Hiragana, unicode.Katakana}, {unicode.Hangul}, {unicode.Arabic}, {unicode.Hebrew}, {unicode.Devanagari}, {unicode.Thai},
	}
	counts := make([]int, len(scripts))
	for _, r := range text {
		for i, tables := range scripts {
			if unicode15.IsLetter(r) && unicode15.In(r, tables...) {
				counts[i]++
			}
		}
	}
	return slices.Index(counts, slices.Max(counts))
}

// end pays for the last answer.
func (c *conversation) end(next quintain.Next, how quintain.End, why string) (quintain.Next, error) {
	next.End, next.Rewards = how, []float64{c.score, 1 - c.score}
	next.Why = strings.TrimSuffix(why+"; "+c.why, "; ")
	return next, nil
}

// part is the user's system message.
func (c *conversation) part() string {
	goal := column(c.problem, "goal")
	switch {
	case goal == "" && c.how.First == FromUser:
		goal = c.problem.Prompt
	case goal == "":
		goal = "You want the answer to your first message."
	}
	was := ""
	if c.first != "" {
		was = "\n\nYour first message was:\n\n" + c.first
	}
	return "You play the user in a conversation with an assistant. Your goal, which the assistant does not know:\n\n" + goal + was +
		"\n\nWrite only the user's next message, in one or two sentences. Tell the assistant what it asks for, if your goal says it, and nothing that it does not ask for. " +
		"Never do its work, and never write the answer yourself. When it has given its final answer, or does not help you any further, write " + over + " and nothing else."
}

// Close implements [quintain.Table].
func (c *conversation) Close() error { return nil }
