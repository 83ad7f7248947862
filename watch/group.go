package watch

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on a page.
const (
	mostEpisodes = 64      // on a page
	mostTurns    = 20      // of an episode
	mostText     = 10_000  // characters of a text
	mostOnPage   = 200_000 // characters of all texts
)

// A groupPage is the content of the page of a group.
type groupPage struct {
	At       string
	Record   *trace.Record
	Level    string
	Mean     *float64
	Prompt   excerpt
	Instance excerpt
	Episodes []episode
	More     int // further episodes, not shown
	From     int // first turn on the page
	Before   int // first turn of the previous page; -1: none
	After    int // first turn of the next page; -1: none

	Given map[int]template.JS // tokens of episodes, as JSON, in an exported page
}

// An episode is an episode on the page.
type episode struct {
	Number    int
	Outcome   quintain.Outcome
	Solved    bool
	Score     *float64
	Advantage string // empty: none
	Error     excerpt
	Replays   int
	Took      time.Duration
	Tokens    int // sampled
	Turns     []turn
	AllTurns  int
}

// A turn is a turn on the page.
type turn struct {
	Number    int
	Told      []message
	Reasoning excerpt
	Same      excerpt // common start of all episodes' replies
	Reply     excerpt // after that
	Finish    quintain.Finish
	Answer    excerpt
	Reward    float64
	Why       excerpt
	Calls     []excerpt
}

// A message is a message to the policy.
type message struct {
	Role string
	Text excerpt
}

// An excerpt is text, perhaps cut.
type excerpt struct {
	Pieces []piece
	Left   int    // omitted bytes
	Link   string // address of the whole text
}

// Empty reports whether there is no text.
func (e excerpt) Empty() bool { return len(e.Pieces) == 0 && e.Left == 0 }

// A pen writes excerpts while there is room on the page.
type pen struct {
	at    string
	room  int // characters
	level int // of the group; see [trace.Head.Level]
}

// write returns as much of a text as there is room for. where names the text in the address
// of the whole.
func (p *pen) write(text, where string) excerpt {
	e := excerpt{}
	e.Pieces, e.Left = visible(text, min(mostText, p.room))
	p.room -= min(p.room, utf8.RuneCountInString(text[:len(text)-e.Left]))
	if e.Left > 0 {
		e.Link = "text?at=" + p.at + "&" + where
	}
	return e
}

// group answers with the page of a group.
func (s *Server) group(c *web.Call) error {
	r, at, err := s.trace.read(c)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(c.R.URL.Query().Get("turn"))
	if err != nil || from < 0 {
		from = 0
	}
	head, err := s.trace.now().Head(at)
	if err != nil {
		return web.Errorf(http.StatusNotFound, "%v", err)
	}
	w := &pen{at: formatRef(at), room: mostOnPage, level: head.Level(r.Group())}
	return s.show(c, view{"Group " + plain(r.Group()), "group", newGroupPage(w, r, from)})
}

// newGroupPage lays out a group, from turn from on.
func newGroupPage(w *pen, r *trace.Record, from int) groupPage {
	p := groupPage{At: w.at, Record: r, Level: levelOf(r, w.level), From: from, Before: -1, After: -1, More: max(0, len(r.Episodes)-mostEpisodes)}
	if from > 0 {
		p.Before = max(0, from-mostTurns)
	}
	if n := len(r.Scores); n > 0 {
		sum := 0.0
		for _, v := range r.Scores {
			sum += v
		}
		p.Mean = new(sum / float64(n))
	}
	p.Prompt, p.Instance = w.write(r.Problem.Prompt, "part=prompt"), w.write(r.Problem.Instance.String(), "part=instance")
	same := sameStart(r, from)
	for i := range r.Episodes[:len(r.Episodes)-p.More] {
		e := newEpisode(w, r, i)
		turns := r.Episodes[i].Turns
		to := min(len(turns), from+mostTurns)
		for k := from; k < to; k++ {
			cut := 0
			if k == from {
				cut = same
			}
			e.Turns = append(e.Turns, newTurn(w, &turns[k], place{i, k, cut}))
		}
		if to < len(turns) {
			p.After = from + mostTurns
		}
		p.Episodes = append(p.Episodes, e)
	}
	return p
}

// levelOf names the level of a group's problem.
func levelOf(r *trace.Record, level int) string {
	name := "level " + strconv.Itoa(level)
	switch {
	case level == quintain.OwnParams:
		return "with parameters of its own"
	case r.Problem.Level == quintain.OwnParams:
		return name + " of this run"
	}
	return name
}

// newEpisode lays out episode i without its turns.
func newEpisode(w *pen, r *trace.Record, i int) episode {
	t := &r.Episodes[i]
	e := episode{
		Number: i, Outcome: t.Outcome, Solved: t.Solved(), Replays: t.Replays, Took: rounded(t.Took), Tokens: t.Sampled(), AllTurns: len(t.Turns),
		Error: w.write(t.Error, fmt.Sprintf("part=error&episode=%d", i)),
	}
	if i < len(r.Scores) {
		e.Score = &r.Scores[i]
	}
	for k, row := range r.Advantages {
		if sequenceOf(r, k) == i && len(row) > 0 {
			e.Advantage = spread(row)
		}
	}
	return e
}

// rounded rounds a time to about four digits.
func rounded(d time.Duration) time.Duration {
	to := time.Duration(1)
	for d/to >= 10_000 {
		to *= 10
	}
	return d.Round(to)
}

// spread writes the advantages of a sequence: one for all tokens, or the lowest and highest.
// It ignores zeros, those of untrained tokens.
func spread(row []float64) string {
	all := slices.DeleteFunc(slices.Clone(row), func(v float64) bool { return v == 0 })
	if len(all) == 0 {
		return "0"
	}
	low, high := number(slices.Min(all)), number(slices.Max(all))
	if low == high {
		return low
	}
	return low + " to " + high
}

// A place is a turn in a group.
type place struct {
	episode, turn int
	same          int // common bytes at the start of the replies
}

// newTurn lays out a turn.
func newTurn(w *pen, t *quintain.Turn, at place) turn {
	where := func(part string) string { return fmt.Sprintf("part=%s&episode=%d&turn=%d", part, at.episode, at.turn) }
	v := turn{Number: at.turn, Finish: t.Finish, Reward: t.Reward}
	if at.episode == 0 || at.turn > 0 { // shows the common opening once
		for i, m := range t.Observed {
			v.Told = append(v.Told, message{plain(m.Role), w.write(m.Text(), where("told")+"&message="+strconv.Itoa(i))})
		}
	}
	v.Reasoning = w.write(t.Reasoning, where("reasoning"))
	v.Same, v.Reply = w.write(t.Reply[:at.same], where("reply")), w.write(t.Reply[at.same:], where("reply"))
	for _, call := range t.ToolCalls {
		v.Calls = append(v.Calls, w.write(call.Name+" "+call.Arguments, where("reply")))
	}
	v.Answer, v.Why = w.write(t.Answer, where("answer")), w.write(t.Why, where("why"))
	return v
}

// sameStart is how many bytes the replies of all episodes to a turn have in common at the
// start: whole characters, fewer than the shortest reply.
func sameStart(r *trace.Record, turn int) int {
	first, n := "", -1
	for i := range r.Episodes {
		if turn >= len(r.Episodes[i].Turns) {
			return 0
		}
		reply := r.Episodes[i].Turns[turn].Reply
		if n < 0 {
			first, n = reply, len(reply)
			continue
		}
		k := 0
		for k < min(n, len(reply)) && reply[k] == first[k] {
			k++
		}
		n = k
	}
	if len(r.Episodes) < 2 {
		return 0
	}
	for n > 0 && n < len(first) && !utf8.RuneStart(first[n]) {
		n--
	}
	return n
}

// text answers with a whole text.
func (s *Server) text(c *web.Call) error {
	r, _, err := s.trace.read(c)
	if err != nil {
		return err
	}
	text, there := partOf(r, c)
	if !there {
		return web.Errorf(http.StatusNotFound, "the group has no such text")
	}
	guard(c)
	return c.Body(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
}

// partOf finds the text in a call's address.
func partOf(r *trace.Record, c *web.Call) (text string, there bool) {
	q := c.R.URL.Query()
	number := func(name string, n int) int { // -1: none
		i, err := strconv.Atoi(q.Get(name))
		if err != nil || i < 0 || i >= n {
			return -1
		}
		return i
	}
	switch q.Get("part") {
	case "prompt":
		return r.Problem.Prompt, true
	case "instance":
		return r.Problem.Instance.String(), true
	}
	i := number("episode", len(r.Episodes))
	if i < 0 {
		return "", false
	}
	e := &r.Episodes[i]
	if q.Get("part") == "error" {
		return e.Error, true
	}
	k := number("turn", len(e.Turns))
	if k < 0 {
		return "", false
	}
	t := &e.Turns[k]
	switch q.Get("part") {
	case "reply":
		return t.Reply, true
	case "reasoning":
		return t.Reasoning, true
	case "answer":
		return t.Answer, true
	case "why":
		return t.Why, true
	case "told":
		if m := number("message", len(t.Observed)); m >= 0 {
			return t.Observed[m].Text(), true
		}
	}
	return "", false
}
