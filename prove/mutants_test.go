package prove_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
)

// A mutant is an environment with one planted fault; an empty flaw is a clean one. Kinds: sum, choice, word, guess (several
// turns), tool.
type mutant struct {
	quintain.Scenario // the methods that nobody calls

	kind, flaw string
	process    int // as if it was started this often
	open, made *atomic.Int64
	last       *atomic.Int64 // what an episode left behind
}

func newMutant(kind, flaw string, process int) *mutant {
	return &mutant{kind: kind, flaw: flaw, process: process, open: new(atomic.Int64), made: new(atomic.Int64), last: new(atomic.Int64)}
}

func (m *mutant) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "mutant", Version: 1, Default: true, Tags: true, Settings: json.RawMessage("{}")}
}

func (m *mutant) TaskInfo() quintain.Info {
	return quintain.Info{Name: m.kind, Levels: []json.RawMessage{[]byte("{}"), []byte("{}")}}
}

func (m *mutant) Size(int) int {
	if m.flaw == "size wrong" {
		return 50
	}
	return 0
}

func (m *mutant) Problem(d quintain.Draw) (quintain.Problem, error) {
	if m.flaw == "size wrong" && d.Index >= 40 {
		return quintain.Problem{}, errors.New("index out of range")
	}
	return quintain.Problem{Scenario: "mutant.v1", Task: m.kind, Version: 1, Seed: d.Seed, Level: d.Level, Index: d.Index}, nil
}

func (m *mutant) Key(p quintain.Problem) (quintain.Key, error) {
	return quintain.NewKey(m.begin(p).question()), nil
}

func (m *mutant) Solve(p quintain.Problem) (string, error) {
	e := m.begin(p)
	switch {
	case m.flaw == "unsolved" && p.Index == 3:
		return "", errors.New("I do not know")
	case m.flaw == "wrong label in 20 %" && p.Index%5 == 4, m.flaw == "wrong label at one level" && p.Level == 1 && p.Index%5 == 4:
		return e.answer + "1", nil
	case m.flaw == "label of the previous problem" && p.Index > 0:
		p.Index--
		return m.begin(p).answer, nil
	}
	return e.answer, nil
}

func (m *mutant) Env(p quintain.Problem) (quintain.Env, error) { return m.begin(p), nil }

// dice returns whole numbers from a to b, a function of the problem.
func dice(p quintain.Problem, number, a, b int) int {
	h := p.Seed*0x9e3779b97f4a7c15 + uint64(p.Level)*77_777 + uint64(p.Index)*1_000_003 + uint64(number)*97
	for range 3 {
		h ^= h >> 31
		h *= 0xbf58476d1ce4e5b9
	}
	return a + int((h>>11)%uint64(b-a+1))
}

func (m *mutant) begin(p quintain.Problem) *mutation {
	switch m.flaw {
	case "seed ignored":
		p.Seed, p.Index, p.Level = 1, 0, 0
	case "seed modulo 10":
		p.Seed, p.Index = (p.Seed+uint64(p.Index))%10, 0
	}
	e := &mutation{mutant: m, problem: p, a: dice(p, 1, 100, 999), b: dice(p, 2, 100, 999)}
	switch m.kind {
	case "sum", "tool":
		e.answer = strconv.Itoa(e.a + e.b)
	case "decimal":
		e.answer = fmt.Sprintf("%.2f", float64(e.a)/4)
	case "choice":
		e.answer = string(rune('A' + dice(p, 3, 0, 3)))
		if m.flaw == "option C in 70 %" && dice(p, 4, 0, 9) < 6 {
			e.answer = "C"
		}
	case "word":
		for i := range 6 {
			e.answer += string(rune('a' + dice(p, 5+i, 0, 25)))
		}
	case "guess":
		e.answer = strconv.Itoa(dice(p, 3, 1, 64))
	}
	return e
}

// A mutation is an episode of a mutant.
type mutation struct {
	*mutant
	problem quintain.Problem
	a, b    int
	answer  string
	turn    int
	others  int64
}

func (e *mutation) question() string {
	switch e.kind {
	case "tool":
		return fmt.Sprintf("Look up %d and %d, and add what you find. Answer between <answer> and </answer>.", e.a, e.b)
	case "choice":
		var options string
		for c := 'A'; c <= 'D'; c++ {
			value := e.a + e.b + int(c-'A')*7 - int(e.answer[0]-'A')*7
			options += fmt.Sprintf("\n%c) %d", c, value)
		}
		return fmt.Sprintf("What is %d + %d?%s", e.a, e.b, options)
	case "word":
		letters := []byte(e.answer)
		for i, k := 0, len(letters)-1; i < k; i, k = i+1, k-1 {
			letters[i], letters[k] = letters[k], letters[i]
		}
		return "Write backwards: " + string(letters)
	case "decimal":
		return fmt.Sprintf("What is %d divided by 4?", e.a)
	case "guess":
		return fmt.Sprintf("I think of a number, number %d of mine, from 1 to 64.", e.problem.Index)
	}
	return fmt.Sprintf("What is %d + %d?", e.a, e.b)
}

func (e *mutation) Open(context.Context) ([]quintain.Message, error) {
	e.made.Add(1)
	e.others = e.open.Add(1)
	text := e.question()
	var extra map[string]json.RawMessage
	switch e.flaw {
	case "counter in the prompt":
		text = fmt.Sprintf("Episode %d. %s", e.made.Load(), text)
	case "differs by process":
		text = fmt.Sprintf("%s (%d)", text, e.process)
	case "replays differ after 100 episodes":
		if e.made.Load() > 100 {
			text += " "
		}
	case "solution in metadata":
		extra = map[string]json.RawMessage{"metadata": json.RawMessage(fmt.Sprintf(`{"gold": %q}`, e.answer))}
	case "solution told":
		text += "\nThe expected output is: " + e.answer + "."
	case "control token":
		text += "<|im_end|>"
	case "two system messages":
		return []quintain.Message{{Role: "system", Content: "a"}, {Role: "system", Content: "b"}, {Role: "user", Content: text}}, nil
	case "the assistant's message last":
		return []quintain.Message{{Role: "assistant", Content: text}}, nil
	case "example answers":
		text += "\nWrite a number, for example: " + e.answer
	}
	return []quintain.Message{{Role: "user", Content: text, Extra: extra}}, nil
}

func (e *mutation) Tools() []quintain.Tool {
	if e.kind != "tool" {
		return nil
	}
	t := quintain.Tool{Name: "look_up", Doc: "Finds a number.", Params: json.RawMessage(`{"type":"object","properties":{"key":{"type":"integer"}}}`)}
	switch e.flaw {
	case "solution in a tool":
		t.Doc = "Finds a number. Cached: " + e.answer
	case "remote schema":
		t.Params = json.RawMessage(`{"$ref":"https://example.org/schema.json"}`)
	case "illegal name":
		t.Name = "look up!"
	case "invalid schema":
		t.Params = json.RawMessage(`[]`)
	}
	return []quintain.Tool{t}
}

var (
	taggedRE  = regexp.MustCompile(`(?s)<answer>(.*?)</answer>`)
	numberRE  = regexp.MustCompile(`-?\d+(?:\.\d+)?`)
	thoughtRE = regexp.MustCompile(`(?s)<think>.*?(?:</think>|$)`)
)

// said finds the answer in a reply.
func (e *mutation) said(text string) string {
	if e.flaw != "thoughts count" {
		text = thoughtRE.ReplaceAllString(text, "")
	}
	if found := taggedRE.FindAllStringSubmatch(text, -1); found != nil {
		text = found[len(found)-1][1]
	}
	if e.flaw != "fences refused" {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "```"), "text"), "```")
	}
	if e.flaw == "white space refused" {
		return text
	}
	return strings.TrimSpace(text)
}

// right judges an answer.
func (e *mutation) right(said, whole string) bool {
	got, err := strconv.ParseFloat(said, 64)
	want, _ := strconv.ParseFloat(e.answer, 64)
	isNumber := err == nil && e.kind != "word" && e.kind != "choice"
	switch e.flaw {
	case "empty reply earns 1":
		return said == "" || said == e.answer
	case "any number":
		return numberRE.MatchString(said)
	case "substring":
		return strings.Contains(said, e.answer)
	case "prefix":
		return said != "" && strings.HasPrefix(e.answer, said)
	case "first number":
		return numberRE.FindString(said) == e.answer
	case "last number":
		found := numberRE.FindAllString(said, -1)
		return found != nil && found[len(found)-1] == e.answer
	case "tolerance 10 %":
		return isNumber && math.Abs(got-want) <= 0.1*math.Abs(want)
	case "off by one":
		return isNumber && math.Abs(got-want) <= 1
	case "sign ignored":
		return isNumber && math.Abs(got) == math.Abs(want)
	case "nan":
		return said == "nan" || said == e.answer
	case "verdict of the reply":
		return strings.Contains(whole, "score: 1") || said == e.answer
	case "a JSON verdict":
		return strings.Contains(whole, `"score": 1`) || said == e.answer
	case "as written":
		return said == e.answer
	case "list of all":
		return slices.Contains(strings.Split(said, " or "), e.answer)
	}
	if isNumber {
		return got == want
	}
	return said == e.answer
}

func (e *mutation) Step(ctx context.Context, r quintain.Reply) (quintain.Step, error) {
	e.turn++
	if s, done, err := e.stops(ctx, r); done {
		return s, err
	}
	if e.kind == "tool" && len(r.ToolCalls) > 0 && e.turn < 8 {
		var all []quintain.Message
		for _, c := range r.ToolCalls {
			said := "nothing"
			if e.flaw == "unknown tool" {
				said = "unknown tool " + c.Name
			}
			all = append(all, quintain.Message{Role: "tool", ToolCallID: c.ID, Content: said})
		}
		return quintain.Step{Observe: all}, nil
	}
	said := e.said(r.Text)
	right := e.right(said, r.Text)
	if e.flaw == "state shared by episodes" {
		right = right && e.last.Swap(int64(e.problem.Index)) != int64(e.problem.Index)-2
	}
	if e.kind == "guess" && !right && e.turn < 8 {
		return e.hint(said)
	}
	return e.pay(right, r)
}

// hint goes on after a wrong guess.
func (e *mutation) hint(said string) (quintain.Step, error) {
	s := quintain.Step{Observe: []quintain.Message{{Role: "user", Content: "No."}}}
	got, err := strconv.Atoi(said)
	switch {
	case err == nil && fmt.Sprint(got) < e.answer:
		s.Observe[0].Content = "No. Think higher."
	case e.flaw == "solution in an error" && err != nil:
		s.Observe[0].Content = "ValueError: expected " + e.answer
	case e.flaw == "pays a legal guess":
		s.Reward = 0.3
	}
	if e.flaw == "endless when illegal" && err != nil {
		e.turn = 0
	}
	return s, nil
}

// pay ends the episode.
func (e *mutation) pay(right bool, r quintain.Reply) (quintain.Step, error) {
	s := quintain.Step{Right: right, End: quintain.Terminated}
	if right {
		s.Reward = 1
	}
	switch e.flaw {
	case "infinite":
		s.Reward /= 0 * s.Reward
	case "range 0 to 100 at one level":
		s.Reward *= float64(1 + 99*e.problem.Level)
	case "sign flipped at one level":
		s.Reward *= float64(1 - 2*e.problem.Level)
	case "reward never reached":
		s.Reward = 0
	case "all equal":
		s.Reward = 1
	case "paid per character":
		s.Reward = min(1, float64(len(r.Text))/100)
	case "quitting earns":
		if !right && e.turn == 1 {
			s.Reward = 0.5
		}
	case "noise":
		s.Reward += float64(dice(e.problem, int(e.made.Load()), -10, 10)) / 10
	case "depends on load":
		if e.open.Load() > 8 {
			s.Reward /= 2
		}
	case "only with 8 at once":
		if e.others > 8 {
			s.Reward = 0
		}

	}
	return s, nil
}

func (e *mutation) Close() error {
	if e.flaw != "leaks" {
		e.open.Add(-1)
	}
	if e.flaw == "dies at close" {
		return errors.New("broken pipe")
	}
	return nil
}

// stops crashes, hangs or goes on for ever, if that is the flaw.
func (e *mutation) stops(_ context.Context, r quintain.Reply) (s quintain.Step, done bool, err error) {
	going := quintain.Step{Observe: []quintain.Message{{Role: "user", Content: "Go on."}}}
	long := strings.Contains(r.Text, strings.Repeat("9", 5000))
	switch {
	case e.flaw == "crash on empty" && r.Text == "",
		e.flaw == "crash on 5,000 digits" && long,
		e.flaw == "crash on NUL" && strings.Contains(r.Text, "\x00"),
		e.flaw == "crash on calls" && len(r.ToolCalls) > 1,
		e.flaw == "crash on 1 MB" && len(r.Text) > 500_000:
		return s, true, errors.New("ValueError")
	case e.flaw == "panics on brackets" && strings.Contains(r.Text, "[[[["):
		panic("stack overflow")
	case e.flaw == "never ends", e.flaw == "never ends when right" && e.right(e.said(r.Text), r.Text):
		return going, true, nil
	case e.flaw == "silence":
		return quintain.Step{}, true, nil
	case e.flaw == "talks on":
		going.End = quintain.Terminated
		return going, true, nil
	}
	return s, false, nil
}
