package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/script"
)

// rubric returns a rubric of two criteria, changed.
func rubric(change func(*Rubric)) *Rubric {
	r := DefaultRubric()
	r.Criteria = two()
	if change != nil {
		change(r)
	}
	return r
}

// newJudge returns a judge that says what say does.
func newJudge(t testing.TB, r *Rubric, p quintain.Policy, change func(*Config)) *Judge {
	t.Helper()
	cfg := Config{Rubric: r, Policy: p, Model: "m"}
	if change != nil {
		change(&cfg)
	}
	if cfg.Policy != nil {
		cfg.Policy = copying{cfg.Policy}
	}
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// copying puts the code of the prompt in the place of each @ in the answers of a policy, and leaves out
// what the prompt does not ask for.
type copying struct{ quintain.Policy }

func (c copying) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := c.Policy.Sample(ctx, r)
	samples = slices.Clone(samples)
	for i := range samples {
		text := strings.ReplaceAll(samples[i].Text, "@", Code(r.Messages))
		if asked := r.Messages[0].Text(); !strings.Contains(asked, `"concise": one of`) {
			text = strings.NewReplacer(`"concise": "yes", `, "", `"concise": "no", `, "").Replace(text)
		} else if !strings.Contains(asked, `"correct": one of`) {
			text = strings.ReplaceAll(text, `"correct": "yes", `, "")
		}
		samples[i].Text = text
	}
	return samples, err
}

// scripted answers with the texts, one after the other, and then the last one.
type scripted struct {
	mu    sync.Mutex
	texts []string
	asked []quintain.Request
}

func (s *scripted) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	text := s.texts[min(len(s.asked), len(s.texts))-1]
	if fault, ok := strings.CutPrefix(text, "error "); ok {
		return nil, errors.New(fault)
	}
	if rest, ok := strings.CutPrefix(text, "cut "); ok {
		return []quintain.Sample{{Text: rest, Finish: quintain.Length}}, nil
	}
	return script.Always(text).Sample(ctx, r)
}

func say(texts ...string) *scripted { return &scripted{texts: texts} }

// says writes a verdict.
func says(correct, concise string) string {
	return fmt.Sprintf(`Hm. {"correct": %q, "concise": %q, "code": "@"}`, correct, concise)
}

var item = Item{Key: "p1", Question: "1 + 1?", Reference: "2", Reply: "It is 2."}

func TestGrade(t *testing.T) {
	t.Parallel()
	must := func(r *Rubric) { r.Criteria[0].Must = true }
	for _, test := range []struct {
		why    string
		change func(*Rubric)
		texts  []string
		want   Verdict // score, right, split, invalid, calls
		says   string
	}{
		{"all best", nil, []string{says("yes", "yes")}, Verdict{Score: 1, Right: true, Calls: 1}, "correct: yes; concise: yes"},
		{"by weight", nil, []string{says("partly", "yes")}, Verdict{Score: 0.625, Calls: 1}, "correct: partly; concise: yes"},
		{"all worst", nil, []string{says("no", "no")}, Verdict{Calls: 1}, "correct: no; concise: no"},
		{"what must be is not", must, []string{says("no", "yes")}, Verdict{Calls: 1}, "correct must not be no"},
		{"what must be is, partly", must, []string{says("partly", "no")}, Verdict{Score: 0.375, Calls: 1}, "correct: partly"},
		{"asked again", nil, []string{"?", says("yes", "maybe"), says("yes", "yes")}, Verdict{Score: 1, Right: true, Calls: 3}, "correct: yes"},
		{"a cut reply is asked again", nil, []string{"cut " + says("no", "no"), says("yes", "yes")}, Verdict{Score: 1, Right: true, Calls: 2}, "yes"},
		{"reasoning is not the verdict", nil, []string{"<think>" + says("no", "no") + "</think>" + says("yes", "yes")}, Verdict{Score: 1, Right: true, Calls: 1}, "yes"},
		{"each by itself", func(r *Rubric) { r.Each = 1 }, []string{says("yes", "yes")}, Verdict{Score: 1, Right: true, Calls: 2}, "yes"},
		{"votes agree", func(r *Rubric) { r.Votes = 3 }, []string{says("yes", "no")}, Verdict{Score: 0.75, Calls: 3}, "correct: yes; concise: no"},
		{"votes differ", func(r *Rubric) { r.Votes = 3 }, []string{says("yes", "no"), says("no", "yes"), says("yes", "no")}, Verdict{Score: 0.75, Split: true, Calls: 3}, "correct: yes; concise: no"},
		{"the vote in the middle", func(r *Rubric) { r.Votes = 3 }, []string{says("yes", "no"), says("no", "no"), says("partly", "no")}, Verdict{Score: 0.375, Split: true, Calls: 3}, "correct: partly"},
		{"most votes are valid", func(r *Rubric) { r.Votes = 3 }, []string{"error x", says("yes", "yes")}, Verdict{Score: 1, Right: true, Invalid: 1, Calls: 2}, "yes"},
	} {
		j := newJudge(t, rubric(test.change), say(test.texts...), nil)
		v, err := j.Grade(t.Context(), item)
		got := Verdict{Score: v.Score, Right: v.Right, Split: v.Split, Invalid: v.Invalid, Calls: v.Calls}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(test.want) || !strings.Contains(v.Why, test.says) {
			t.Errorf("%s: %+v, error %v; want %+v, %s", test.why, v, err, test.want, test.says)
		}
		if s := j.Stats(); s.Judged != 1 || s.Ungraded != 0 || (s.Disagreed == 1) != test.want.Split {
			t.Errorf("%s: stats %+v", test.why, s)
		}
	}
}

func TestNoVerdictIsNoScore(t *testing.T) {
	t.Parallel()
	votes := func(r *Rubric) { r.Votes = 3 }
	for _, test := range []struct {
		why    string
		change func(*Rubric)
		config func(*Config)
		texts  []string
		kind   Kind
		says   string
		stats  Stats
	}{
		{"the call fails", nil, nil, []string{"error no route"}, CallFailed, "no route", Stats{Ungraded: 1, Calls: 1, Failed: 1}},
		{"nonsense three times", nil, nil, []string{"yes!"}, Unreadable, "asked 3 times", Stats{Ungraded: 1, Calls: 3, Unread: 3, Answers: 3}},
		{"always cut", nil, nil, []string{"cut " + says("no", "no")}, Unreadable, "raise max_tokens", Stats{Ungraded: 1, Calls: 3, Unread: 3}},
		{"nothing", nil, nil, []string{""}, Unreadable, "no verdict with the code", Stats{Ungraded: 1, Calls: 3, Unread: 3, Answers: 3}},
		{"one valid vote of three", votes, nil, []string{"error x", "error x", says("yes", "yes")}, CallFailed, "x", Stats{Ungraded: 1, Calls: 3, Failed: 2, Answers: 1, Copied: 1}},
		{"the budget of calls", nil, func(c *Config) { c.Calls = 1 }, []string{"?", says("no", "no")}, OverBudget, "budget of calls", Stats{Ungraded: 1, Calls: 1, Unread: 1, Answers: 1}},
		{"the budget of tokens", nil, func(c *Config) { c.Tokens = 1 }, []string{"?", says("no", "no")}, OverBudget, "budget of tokens", Stats{Ungraded: 1, Calls: 1, Unread: 1, Answers: 1}},
	} {
		j := newJudge(t, rubric(test.change), say(test.texts...), test.config)
		v, err := j.Grade(t.Context(), item)
		u, ok := errors.AsType[*Ungraded](err)
		if !ok || u.Kind != test.kind || !strings.Contains(err.Error(), test.says) || !errors.Is(err, quintain.ErrUngraded) || !errors.Is(err, quintain.ErrLost) || v.Score != 0 || v.Why != "" {
			t.Errorf("%s: %+v, error %v; want %s: %s", test.why, v, err, test.kind, test.says)
		}
		got := j.Stats()
		got.TokensIn, got.TokensOut = 0, 0
		if got != test.stats {
			t.Errorf("%s: stats %+v, want %+v", test.why, got, test.stats)
		}
	}
}

// What is wrong with the judge is not taken for what ends an episode of the policy, such as a full
// context, which would leave the episode a reward of 0.
func TestFaultsOfTheJudgeAreNotThoseOfThePolicy(t *testing.T) {
	t.Parallel()
	for _, kind := range []remote.Kind{remote.TooLong, remote.TooSlow, remote.Refused, remote.Busy, remote.UnknownModel} {
		j := newJudge(t, rubric(nil), failing{&remote.Error{Kind: kind}}, nil)
		_, err := j.Grade(t.Context(), item)
		for _, of := range []error{quintain.ErrNoRoom, quintain.ErrTimeout, quintain.ErrFinal, quintain.ErrStop, quintain.ErrCancelled} {
			if errors.Is(err, of) {
				t.Errorf("%s: %v is %v", kind, err, of)
			}
		}
		if !errors.Is(err, quintain.ErrLost) || !strings.Contains(err.Error(), string(kind)) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	j := newJudge(t, rubric(nil), say("?"), func(c *Config) { c.Calls = 1 })
	if _, err := j.Grade(t.Context(), item); !errors.Is(err, quintain.ErrStop) {
		t.Errorf("over the budget: %v", err)
	}
}

// failing fails.
type failing struct{ err error }

func (f failing) Sample(context.Context, quintain.Request) ([]quintain.Sample, error) {
	return nil, f.err
}

// A judge that refuses is not asked for half an hour; one that is slow or busy is.
func TestOnlyWhatMayEndIsJudgedAgain(t *testing.T) {
	t.Parallel()
	for kind, again := range map[remote.Kind]bool{
		remote.Refused: false, remote.UnknownModel: false, remote.TooLong: false, remote.TooSlow: true, remote.Busy: true, remote.Unreachable: true, remote.ServerFailed: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			j := newJudge(t, rubric(nil), failing{&remote.Error{Kind: kind}}, func(c *Config) { c.Within = 10 * time.Minute })
			_, err := j.Grade(t.Context(), item)
			if waited := time.Since(begin) > time.Minute; !errors.Is(err, quintain.ErrUngraded) || waited != again {
				t.Errorf("%s: %v after %v", kind, err, time.Since(begin))
			}
		})
	}
}

func TestEmptyRepliesCostNoCall(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"", " \n", "\u200b", ":", "<think>It is 2."} {
		p := say(says("yes", "yes"))
		it := item
		it.Reply = reply
		v, err := newJudge(t, rubric(nil), p, nil).Grade(t.Context(), it)
		if err != nil || !v.Malformed || v.Score != 0 || len(p.asked) != 0 {
			t.Errorf("%q: %+v, error %v, %d calls", reply, v, err, len(p.asked))
		}
	}
}

// A reply that was judged once costs nothing again, unless what its verdict depends on changes.
func TestVerdictsAreKept(t *testing.T) {
	t.Parallel()
	store, err := OpenStore(t.TempDir(), 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	votes := func(r *Rubric) { r.Votes, r.Reference = 3, "solution" }
	grade := func(change func(*Rubric), config func(*Config), it Item) Verdict {
		t.Helper()
		j := newJudge(t, rubric(change), say("?", says("yes", "no")), func(c *Config) {
			c.Cache = store
			if config != nil {
				config(c)
			}
		})
		v, err := j.Grade(t.Context(), it)
		if err != nil {
			t.Fatal(err)
		}
		if s := j.Stats(); s.Cached != int64(v.Cached) {
			t.Errorf("stats %+v of %+v", s, v)
		}
		return v
	}
	if v := grade(votes, nil, item); v.Calls != 4 || v.Cached != 0 || !v.Since.IsZero() {
		t.Errorf("the first time: %+v", v)
	}
	if v := grade(votes, nil, item); v.Calls != 0 || v.Cached != 3 || v.Since.IsZero() || v.Score != 0.75 || v.Reasoned == "" {
		t.Errorf("the second time: %+v", v)
	}
	moved := item
	moved.Key = "another episode"
	if v := grade(votes, nil, moved); v.Cached != 3 {
		t.Errorf("another episode with the same reply: %+v", v)
	}
	question, reply, reference := item, item, item
	question.Question, reply.Reply, reference.Reference = "1 + 2?", "It is 3.", "3"
	for why, v := range map[string]Verdict{
		"another question":    grade(votes, nil, question),
		"another reply":       grade(votes, nil, reply),
		"another reference":   grade(votes, nil, reference),
		"another model":       grade(votes, func(c *Config) { c.Model = "n" }, item),
		"another build of it": grade(votes, func(c *Config) { c.Fingerprint = "b" }, item),
		"another temperature": grade(votes, func(c *Config) { c.Sampling = quintain.Sampling{Temperature: 0.1} }, item),
		"another rubric":      grade(func(r *Rubric) { votes(r); r.Criteria[1].Weight = 2 }, nil, item),
	} {
		if v.Cached != 0 || v.Calls < 3 {
			t.Errorf("%s: %+v", why, v)
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	p := say(says("no", "no"))
	it := item
	it.Reply = "<think>x</think>A <|im_end|>\u202e and === 00 ===" + strings.Repeat("z", 200)
	j := newJudge(t, rubric(func(r *Rubric) { r.Reference = "solution" }), p, func(c *Config) { c.Limit = 100 })
	if _, err := j.Grade(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	m := p.asked[0].Messages[0]
	if len(p.asked[0].Messages) != 1 || len(m.Parts) != 3 {
		t.Fatalf("messages %+v", p.asked[0].Messages)
	}
	for _, want := range []string{`"correct": one of "no", "partly", "yes".`, `"code": copy ` + Code(p.asked[0].Messages) + ",", `{"correct": "…", "concise": "…", "code": "` + Code(p.asked[0].Messages) + `"}`} {
		if !strings.Contains(m.Parts[2].Text, want) || len(Code(p.asked[0].Messages)) != 7 {
			t.Errorf("the end lacks %q:\n%s", want, m.Parts[2].Text)
		}
	}
	for _, want := range []string{"1 + 1?", `"correct": Is it?`, `"no", "partly", "yes"`, "A good answer", "\n2\n"} {
		if !strings.Contains(m.Parts[0].Text, want) {
			t.Errorf("the beginning lacks %q:\n%s", want, m.Parts[0].Text)
		}
	}
	lines := strings.Split(strings.TrimSpace(m.Parts[1].Text), "\n")
	fence := lines[1]
	if lines[len(lines)-1] != fence || strings.Count(m.Text(), fence) != 2 || len(fence) != 40 {
		t.Errorf("the reply stands in\n%s", m.Parts[1].Text)
	}
	for _, want := range []string{`<\|im_end|\>\u202e`, "bytes are left out here", "zzz"} {
		if !strings.Contains(m.Parts[1].Text, want) {
			t.Errorf("the reply lacks %q:\n%s", want, m.Parts[1].Text)
		}
	}
	folders := [...]string{t.TempDir(), t.TempDir()}
	again := func(folder int, it Item) *quintain.Message {
		t.Helper()
		store, err := OpenStore(folders[folder], 100)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		judging := rubric(func(r *Rubric) { r.Reference = "solution" })
		j := newJudge(t, judging, p, func(c *Config) { c.Limit, c.Cache = 100, store })
		it.Key = "an item"
		m := j.single(it, it.Reply, judging.Criteria)
		return &m.messages(j.marks(m))[0]
	}
	other := it
	other.Reply += "."
	a, b, c, d := again(0, it), again(0, it), again(1, it), again(0, other)
	if a.Text() != b.Text() {
		t.Error("the same judge asks about the same item in other words")
	}
	for why, n := range map[string]*quintain.Message{"another secret": c, "another reply": d} {
		if n.Parts[0].Text != a.Parts[0].Text || n.Parts[1].Text == a.Parts[1].Text || n.Parts[2].Text == a.Parts[2].Text {
			t.Errorf("%s: the prompts do not share the beginning alone", why)
		}
	}
}

// An unreadable verdict is asked for at another draw.
func TestAskingAgainIsAnotherDraw(t *testing.T) {
	t.Parallel()
	p := say("?", "?", says("no", "no"))
	j := newJudge(t, rubric(nil), p, func(c *Config) { c.Sampling = quintain.Sampling{MaxTokens: 100} })
	if _, err := j.Grade(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	for i, r := range p.asked {
		if want := min(float64(i), 1) * bolder; r.Sampling.Temperature != want || r.Sampling.MaxTokens != 100 {
			t.Errorf("call %d has %+v", i, r.Sampling)
		}
		if i > 0 && r.Key == p.asked[i-1].Key {
			t.Errorf("call %d has the key %s again", i, r.Key)
		}
	}
}

func TestUngradedRepliesAreJudgedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var calls atomic.Int64
		p := script.Say(func(quintain.Request, int) (string, quintain.Finish) {
			calls.Add(1)
			if time.Since(begin) < 10*time.Minute {
				return "busy", ""
			}
			return says("yes", "yes"), ""
		})
		j := newJudge(t, rubric(nil), p, func(c *Config) { c.Within = 30 * time.Minute })
		v, err := j.Grade(t.Context(), item)
		if took := time.Since(begin); err != nil || v.Score != 1 || took < 10*time.Minute || took > 12*time.Minute {
			t.Errorf("%+v after %v, error %v", v, took, err)
		}
		if s := j.Stats(); s.Ungraded != 0 || s.Judged != 1 || calls.Load() > 100 {
			t.Errorf("stats %+v, %d calls", s, calls.Load())
		}
		begin = begin.Add(time.Hour)
		start := time.Now()
		_, err = j.Grade(t.Context(), item)
		if took := time.Since(start); !errors.Is(err, quintain.ErrUngraded) || took < 25*time.Minute || took > 30*time.Minute || j.Stats().Ungraded != 1 {
			t.Errorf("error %v after %v", err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err = j.Grade(ctx, item); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, quintain.ErrUngraded) {
			t.Errorf("a run that ends: error %v", err)
		}
	})
}

// After a Retry-After, no judge that shares the hold calls.
func TestHoldIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := &Hold{}
		begin := time.Now()
		j := newJudge(t, rubric(nil), say(says("yes", "yes")), func(c *Config) { c.Hold = hold })
		hold.For(20 * time.Second)
		hold.For(10 * time.Second)
		hold.Told(&remote.Error{}, 1)
		if _, err := j.Grade(t.Context(), item); err != nil || time.Since(begin) != 20*time.Second {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
		hold.For(24 * time.Hour)
		begin = time.Now()
		if _, err := j.Grade(t.Context(), item); err != nil || time.Since(begin) != mostHold {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
		hold.For(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := j.Grade(ctx, item); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestCallsAtOnceAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		p := script.Say(func(quintain.Request, int) (string, quintain.Finish) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			return says("yes", "yes"), ""
		})
		j := newJudge(t, rubric(func(r *Rubric) { r.Votes = 9 }), p, func(c *Config) { c.Parallel = 4 })
		items := make([]Item, 5)
		for i := range items {
			items[i] = Item{Question: "q", Reply: fmt.Sprint("reply ", i)}
		}
		for i, r := range j.Group(t.Context(), items) {
			if r.Err != nil || r.Verdict.Score != 1 {
				t.Errorf("%d: %+v", i, r)
			}
		}
		if most.Load() > 4 {
			t.Errorf("%d calls at once", most.Load())
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*Config){
		"no rubric":            func(c *Config) { c.Rubric = nil },
		"no policy":            func(c *Config) { c.Policy = nil },
		"model is empty":       func(c *Config) { c.Model = "" },
		"a limit is below 0":   func(c *Config) { c.Limit = -1 },
		"votes: is 2":          func(c *Config) { c.Rubric.Votes = 2 },
		"criteria: is empty":   func(c *Config) { c.Rubric.Criteria = nil },
		"view: is \"\"":        func(c *Config) { c.Rubric.View = "" },
		"mode: is \"\"":        func(c *Config) { c.Rubric.Mode = "" },
		"criteria[0].name: is": func(c *Config) { c.Rubric.Criteria[0].Name = "A" },
	} {
		cfg := Config{Rubric: rubric(nil), Policy: say(""), Model: "m"}
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
	j := newJudge(t, rubric(func(r *Rubric) { r.Mode = Rank }), say(""), nil)
	if _, err := j.Grade(t.Context(), item); err == nil || errors.Is(err, quintain.ErrUngraded) || !strings.Contains(err.Error(), "want absolute") {
		t.Errorf("error %v", err)
	}
}

func TestJudgesThatTurnWithTheOrderAreWarnedOf(t *testing.T) {
	t.Parallel()
	s := Stats{Swapped: 4, Pairs: 20}
	if s.Warning() != "" {
		t.Errorf("a share of %v: %s", s.SwappedShare(), s.Warning())
	}
	if s.Swapped = 5; !strings.Contains(s.Warning(), "5 of 20") {
		t.Errorf("a share of %v: %q", s.SwappedShare(), s.Warning())
	}
}

func TestCorrelation(t *testing.T) {
	t.Parallel()
	var m moments
	for i := range 10 {
		if m.correlation() != 0 && i < 2 {
			t.Error("a correlation of fewer than two")
		}
		m.add(float64(i), 5-2*float64(i))
	}
	if r := m.correlation(); math.Abs(r+1) > 1e-12 {
		t.Errorf("correlation %v, want -1", r)
	}
	var flat moments
	flat.add(1, 2)
	flat.add(2, 2)
	if r := flat.correlation(); r != 0 {
		t.Errorf("correlation %v with a constant", r)
	}
}
