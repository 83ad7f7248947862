package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/watch/words"
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
	ID       string
	Task     string
	Label    string // the task and its level
	Version  int
	Time     time.Time
	Drop     string // why it was dropped; empty: it was kept
	Fate     string // what that means
	Piece    string // the beginning of the prompt
	Mean     *float64
	Spread   *float64
	Tally    string // of the verdicts
	Strip    template.HTML
	Contrast []side
	Prompt   excerpt
	Told     []message // the messages to the policy before its first reply
	Same     bool      // they are the prompt
	Instance excerpt
	Episodes []episode
	More     int    // further different replies, not shown
	Regrader string // who graded it anew, and when, or why that cannot be read; empty: nobody did
	From     int    // first turn on the page
	After    int    // first turn of the next page; 0: none
	Steps    steps

	Given      map[int]template.JS // tokens of episodes, as JSON, in an exported page; nil: the page asks for them
	WithTokens []int               // numbers of the replies whose tokens can be shown
}

// An episode is an episode on the page, for all that are the same.
type episode struct {
	Number    int
	Numbers   []int // of all that are the same, its own first
	Outcome   quintain.Outcome
	Listed    []int // of Numbers, those with a link to their tokens
	Verdict   verdict
	Class     string // of the style
	Score     *float64
	Advantage string // empty: none
	Error     excerpt
	Replays   int
	Took      string
	Tokens    int // sampled
	Turns     []turn
	AllTurns  int
	Lost      string // what was given away, in words; empty: unknown
	Anew      string // the reward of the record, and the newest; empty: there is no grading
}

// A turn is a turn on the page.
type turn struct {
	Number    int
	Anchor    string     // begins the anchors of the calls of its episode
	From      int        // first turn on the page
	Kept      bool       // its group is trained on
	Call      *agentCall // nil: the episode is no tree
	Told      []message
	Reasoning excerpt
	Same      excerpt // common start of all episodes' replies
	Reply     excerpt // after that
	Finish    quintain.Finish
	Answer    excerpt  // empty: it is the reply
	Reward    *float64 // nil: the episode's score says it
	Why       excerpt
	Calls     []excerpt
	Trial     excerpt // of a task of Harbor
	Lost      string  // what it gave away, in words; empty: the exact values are unknown
}

// A message is a message to the policy.
type message struct {
	Role string
	Text excerpt
}

// An excerpt is text, perhaps cut.
type excerpt struct {
	Pieces []words.Piece
	Some   bool   // there is text
	Left   int    // omitted bytes
	Link   string // address of the whole text
}

// A pen writes excerpts while there is room on the page.
type pen struct {
	at    string
	room  int // characters
	level int // of the group; see [trace.Head.Level]
}

// write returns as much of a text as there is room for. where names the text in the address
// of the whole.
func (p *pen) write(text, where string) excerpt {
	e := excerpt{Some: text != ""}
	e.Pieces, e.Left = words.Split(text, min(mostText, p.room))
	p.room -= min(p.room, utf8.RuneCountInString(text[:len(text)-e.Left]))
	if e.Left > 0 && p.at != "" {
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
	sel, err := parseSelection(c.R.URL.Query())
	if err != nil {
		return web.Errorf(http.StatusBadRequest, "%v", err)
	}
	from, err := strconv.Atoi(c.R.URL.Query().Get("turn"))
	if err != nil || from < 0 {
		from = 0
	}
	head, err := s.trace.now().Head(at)
	if err != nil {
		return web.Errorf(http.StatusNotFound, "%v", err)
	}
	p := newGroupPage(&pen{at: at.Text(), room: mostOnPage, level: head.Level(r.Group())}, r, from)
	p.regrade(s.trace.now().Graded(r))
	p.link(len(r.Episodes))
	if p.Steps, err = s.steps(c, &sel, at); err != nil {
		return err
	}
	if from > 0 {
		p.Steps.Earlier = sel.link(p.At, max(0, from-mostTurns))
	}
	if p.After > 0 {
		p.Steps.Later = sel.link(p.At, p.After)
	}
	return s.show(c, view{"Group of " + p.Label, "group", &p})
}

// A steps has the ways from a group's page, as addresses; empty: there is none.
type steps struct {
	Before, Next   string // groups in the order of the selection
	List           string
	Order          string // in words
	Earlier, Later string // turns of this group
	selection
}

// mostListed is how many of the same replies have a link to their tokens.
const mostListed = 16

// link names the replies whose tokens can be shown: all, or those of an exported page. The group has n replies.
func (p *groupPage) link(n int) {
	without := func(i int) bool { _, given := p.Given[i]; return !given && p.Given != nil }
	for i := range n {
		p.WithTokens = append(p.WithTokens, i)
	}
	p.WithTokens = slices.DeleteFunc(p.WithTokens, without)
	for k := range p.Episodes {
		all := slices.DeleteFunc(slices.Clone(p.Episodes[k].Numbers), without)
		p.Episodes[k].Listed = all[:min(len(all), mostListed)]
	}
}

// steps finds the groups before and after one in a selection.
func (s *Server) steps(c *web.Call, sel *selection, at trace.Ref) (st steps, err error) {
	st = steps{List: sel.address(sel.By, sel.order(), ""), Order: sel.words(), selection: *sel}
	for _, to := range []*string{&st.Next, &st.Before} {
		q := sel.query
		q.Limit, q.After = 1, at
		if to == &st.Before {
			q.Newest = !q.Newest
		}
		found := hunt{}
		if sel.Text == "" {
			found.Entries = s.trace.find(q)
		} else if found, err = s.search(c, q, sel.Text, s.searchTime/4); err != nil {
			return st, err
		}
		if len(found.Entries) > 0 {
			*to = sel.link(found.Entries[0].Ref.Text(), 0)
		}
	}
	return st, nil
}

// newGroupHead lays out a group without its replies.
func newGroupHead(w *pen, r *trace.Record) groupPage {
	p := groupPage{
		At: w.at, ID: r.Group(), Task: r.Problem.Task, Label: labelOf(r.Problem.Task, w.level), Version: r.Version, Time: r.Time, Drop: r.Drop, Fate: words.Dropped(r.Drop),
		Piece: inLine(pieceOf(r), pieceText),
	}
	if r.Drop == "" {
		p.Fate = "its replies can be trained on"
	}
	verdicts := verdictsOf(r)
	p.Tally, p.Strip, p.Contrast = tally(verdicts), stripOf(verdicts, r.Scores).svg(), contrastOf(r, verdicts)
	if n := len(r.Scores); n > 0 {
		sum := 0.0
		for _, v := range r.Scores {
			sum += v
		}
		p.Mean = new(sum / float64(n))
	}
	if spread, scored := r.Spread(); scored {
		p.Spread = &spread
	}
	p.Prompt, p.Instance = w.write(r.Problem.Prompt, "part=prompt"), w.write(r.Problem.Instance.String(), "part=instance")
	return p
}

// newGroupPage lays out a group, from turn from on.
func newGroupPage(w *pen, r *trace.Record, from int) groupPage {
	p := newGroupHead(w, r)
	p.From = from
	opening := openingOf(r)
	if p.Same = len(opening) == 1 && opening[0].Text() == r.Problem.Prompt; !p.Same {
		for i, m := range opening {
			p.Told = append(p.Told, message{plain(m.Role), w.write(m.Text(), "part=told&episode=0&turn=0&message="+strconv.Itoa(i))})
		}
	}
	verdicts := verdictsOf(r)
	folds := foldsOf(r)
	p.More = max(0, len(folds)-mostEpisodes)
	same := 0
	if len(folds) > 1 {
		same = sameStart(r, from)
	}
	for _, numbers := range folds[:len(folds)-p.More] {
		e := newEpisode(w, r, numbers, verdicts)
		turns, lost := r.Episodes[e.Number].Turns, exam.RegretOf(&r.Episodes[e.Number])
		if lost.Play != nil {
			e.Lost = lost.String()
		}
		to := min(len(turns), from+mostTurns)
		for k := from; k < to; k++ {
			cut := 0
			if k == from {
				cut = same
			}
			e.Turns = append(e.Turns, newTurn(w, &turns[k], place{e.Number, k, cut}, opening))
			e.Turns[k-from].Lost = lostText(lost.Turns[k])
		}
		if tree := callsOf(&r.Episodes[e.Number], len(rowsOf(r, e.Number))); tree != nil {
			for k := range e.Turns {
				t := &e.Turns[k]
				t.Call, t.Anchor, t.From, t.Kept = &tree[from+k], fmt.Sprintf("c%s-%d-", w.at, e.Number), from, r.Drop == ""
			}
		}
		if len(turns) == 1 && len(e.Turns) == 1 && e.Score != nil && *e.Score == turns[0].Reward {
			e.Turns[0].Reward = nil
		}
		if to < len(turns) {
			p.After = from + mostTurns
		}
		p.Episodes = append(p.Episodes, e)
	}
	return p
}

// newEpisode lays out the episodes with some numbers, which are the same, without turns.
func newEpisode(w *pen, r *trace.Record, numbers []int, verdicts []verdict) episode {
	i := numbers[0]
	t := &r.Episodes[i]
	e := episode{
		Number: i, Numbers: numbers, Outcome: t.Outcome, Verdict: verdicts[i], Class: verdicts[i].class(), Replays: t.Replays, Took: words.Took(t.Took), Tokens: t.Sampled(), AllTurns: len(t.Turns),
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

// spread writes the advantages of a sequence: one for all tokens, or the lowest and highest.
// It ignores zeros, those of untrained tokens.
func spread(row []float64) string {
	all := slices.DeleteFunc(slices.Clone(row), func(v float64) bool { return v == 0 })
	if len(all) == 0 {
		return "0.000"
	}
	low, high := signed(slices.Min(all)), signed(slices.Max(all))
	if low == high {
		return low
	}
	return low + " to " + high
}

// signed writes an advantage.
func signed(v float64) string { return fmt.Sprintf("%+.3f", v) }

// A place is a turn in a group.
type place struct {
	episode, turn int
	same          int // common bytes at the start of the replies
}

// newTurn lays out a turn.
func newTurn(w *pen, t *quintain.Turn, at place, opening []quintain.Message) turn {
	where := func(part string) string { return fmt.Sprintf("part=%s&episode=%d&turn=%d", part, at.episode, at.turn) }
	v := turn{Number: at.turn, Reward: &t.Reward}
	if t.Finish != quintain.Stop {
		v.Finish = t.Finish
	}
	if at.turn > 0 || !sameMessages(t.Observed, opening) { // the page shows the common opening once
		for i, m := range t.Observed {
			v.Told = append(v.Told, message{plain(m.Role), w.write(m.Text(), where("told")+"&message="+strconv.Itoa(i))})
		}
	}
	if t.Tools != nil {
		const most = 500 // characters
		v.Told = append(v.Told, message{"tools", w.write(inLine(strings.Join(toolNames(t.Tools), ", "), most), "")})
	}
	v.Reasoning = w.write(t.Reasoning, where("reasoning"))
	v.Same, v.Reply = w.write(t.Reply[:at.same], where("reply")), w.write(t.Reply[at.same:], where("reply"))
	for _, call := range t.ToolCalls {
		v.Calls = append(v.Calls, w.write(callText(call), where("reply")))
	}
	if answer := strings.TrimSpace(t.Answer); answer != strings.TrimSpace(t.Reply) && t.Reply != "<answer>"+t.Answer+"</answer>" {
		v.Answer = w.write(t.Answer, where("answer"))
	}
	v.Why = w.write(t.Why, where("why"))
	v.Trial = w.write(trialText(t.Record), where("trial"))
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
	case "trial":
		return trialText(t.Record), true
	case "told":
		if m := number("message", len(t.Observed)); m >= 0 {
			return t.Observed[m].Text(), true
		}
	}
	return "", false
}
