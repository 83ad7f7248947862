package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy/policytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write writes a file for a test, and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const rubricFile = "criteria:\n  - {name: correct, text: 'Is the answer right?'}\n"

// chooses writes the verdict that a prompt asks for.
func chooses(talk []quintain.Message, choice string) string {
	return fmt.Sprintf(`It is plain. {"correct": %q, "code": %q}`, choice, Code(talk))
}

// serve starts a judge that chooses yes for replies with "good", after these faults.
func serve(t testing.TB, faults ...policytest.Fault) (*policytest.Server, string) {
	t.Helper()
	s := &policytest.Server{Model: "m", Faults: faults, Reply: func(talk []quintain.Message, _ int) string {
		parts := talk[0].Parts
		if len(parts) == 4 {
			winner := map[bool]string{true: "first", false: "second"}[strings.Contains(parts[1].Text, "good")]
			return chooses(talk, winner)
		}
		return chooses(talk, map[bool]string{true: "yes", false: "no"}[strings.Contains(parts[1].Text, "good")])
	}}
	return s, s.Start(t)
}

// open opens a jury until the test ends.
func open(t testing.TB, url, rubric string, change func(*Settings)) *Jury {
	t.Helper()
	s := Defaults()
	s.Rubric, s.URLs, s.Model, s.Retries, s.Timeout = write(t, "rubric.yaml", rubric), []string{url}, "m", 0, 10*time.Second
	if change != nil {
		change(&s)
	}
	j, err := OpenJury(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// replies reads replies.
func repliesOf(t *testing.T, j *Jury, text string) []Row {
	t.Helper()
	list, err := ReadRows(strings.NewReader(text), j.Config.Rubric)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// scoresOf returns the score of each line of a file of verdicts, by ID; "-" for none.
func scoresOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	list := map[string]string{}
	for line := range bytes.Lines(text) {
		var l Line
		if err := strictjson.Unmarshal(line, &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, twice := list[l.ID]; twice {
			t.Errorf("%s has two lines", l.ID)
		}
		if list[l.ID] = "-"; l.Verdict != nil {
			list[l.ID] = fmt.Sprint(l.Verdict.Score)
		} else if bytes.Contains(line, []byte("score")) || l.Ungraded == "" {
			t.Errorf("a reply without a verdict: %s", line)
		}
	}
	return list
}

const three = `{"id": "a", "question": "q", "reply": "good", "other": 1}

{"id": "b", "question": "q", "reply": "bad"}
{"question": "q", "reply": ""}
`

func TestGradeRows(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	j := open(t, url, rubricFile, nil)
	var out, said bytes.Buffer
	if err := j.Grade(t.Context(), repliesOf(t, j, three), &out); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(scoresOf(t, out.Bytes())); got != "map[4:0 a:1 b:0]" {
		t.Errorf("%s\n%s", got, out.String())
	}
	if err := j.Report().Say(&said); err != nil || !strings.Contains(said.String(), "3 replies with a verdict, 0 without; 2 calls") {
		t.Errorf("it says %s", said.String())
	}
	metered(t, j, map[string]float64{"judged": 3, "calls": 2, "failed": 0, "unreadable": 0, "disagreed": 0, "swapped": 0, "ungraded": 0, "cached": 0})
}

// metered demands metrics of a judge.
func metered(t *testing.T, j *Jury, want map[string]float64) {
	t.Helper()
	all := prometheus.NewPedanticRegistry()
	all.MustRegister(j)
	families, err := all.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		m := f.GetMetric()[0]
		got[f.GetName()] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	for name, want := range want {
		if v, has := got["quintain_judge_"+name]; !has || v != want {
			t.Errorf("quintain_judge_%s is %v, want %v", name, v, want)
		}
	}
}

// Each counter counts what its name says.
func TestMetrics(t *testing.T) {
	t.Parallel()
	for form, test := range map[string]struct {
		faults []policytest.Fault
		says   string // in place of a verdict, by the number of the call
		want   map[string]float64
	}{
		"":                           {[]policytest.Fault{policytest.Status(400)}, "", map[string]float64{"failed": 1, "ungraded": 1, "judged": 1, "calls": 2}},
		"votes: 1\n":                 {nil, "nothing", map[string]float64{"unreadable": 6, "ungraded": 2, "judged": 0, "failed": 0}},
		"votes: 3\n":                 {nil, "yes no yes", map[string]float64{"disagreed": 1, "judged": 1}},
		"mode: pairs\norder: both\n": {nil, "first first", map[string]float64{"pairs": 1, "swapped": 1, "judged": 2, "disagreed": 0}},
	} {
		s, url := serve(t, test.faults...)
		var calls atomic.Int64
		if words := strings.Fields(test.says); len(words) > 0 {
			s.Reply = func(talk []quintain.Message, _ int) string {
				return chooses(talk, words[int(calls.Add(1)-1)%len(words)])
			}
		}
		j := open(t, url, rubricFile+form, func(s *Settings) { s.Parallel = 1 })
		items := []Item{{Question: "q", Reply: "good"}, {Question: "q", Reply: "bad"}}
		if j.Config.Rubric.Votes > 1 {
			items = items[:1] // whose votes get one verdict each
		}
		j.Judge.Group(t.Context(), items)
		metered(t, j, test.want)
	}
}

// A reply without a verdict has no score, and judging the file again judges it alone.
func TestGradeFileGoesOn(t *testing.T) {
	t.Parallel()
	s, url := serve(t, policytest.Status(400), policytest.Status(400))
	path := filepath.Join(t.TempDir(), "verdicts.jsonl")
	j := open(t, url, rubricFile, func(s *Settings) { s.Parallel = 1 })
	if err := j.GradeFile(t.Context(), repliesOf(t, j, three), path); !errors.Is(err, ErrUngraded) {
		t.Errorf("error %v", err)
	}
	text, _ := os.ReadFile(path)
	if got := fmt.Sprint(scoresOf(t, text)); got != "map[4:0 a:- b:-]" {
		t.Errorf("%s\n%s", got, text)
	}
	if err := os.WriteFile(path, append(text, `{"id": "a", "judge": "half`...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, nothing is left
		if err := j.GradeFile(t.Context(), repliesOf(t, j, three), path); err != nil {
			t.Fatal(err)
		}
		text, _ = os.ReadFile(path)
		if got := fmt.Sprint(scoresOf(t, text)); got != "map[4:0 a:1 b:0]" || len(s.Requests()) != 4 {
			t.Errorf("%s after %d calls\n%s", got, len(s.Requests()), text)
		}
	}
	other := open(t, url, strings.Replace(rubricFile, "right", "wrong", 1), nil)
	if err := other.GradeFile(t.Context(), repliesOf(t, other, three), path); err == nil || !strings.Contains(err.Error(), "name another file") {
		t.Errorf("another rubric: error %v", err)
	}
	if err := j.GradeFile(t.Context(), nil, write(t, "x", "{}\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("another file: error %v", err)
	}
}

// Replies that are compared are judged again together.
func TestGroupsAreJudgedAgainWhole(t *testing.T) {
	t.Parallel()
	const lines = `{"id": "a", "group": "g", "question": "q", "reply": "good"}
{"id": "b", "group": "h", "question": "r", "reply": "bad"}
{"id": "c", "group": "g", "question": "q", "reply": "bad"}
{"id": "d", "group": "h", "question": "r", "reply": "good"}
{"id": "e", "group": "g", "question": "q", "reply": " "}
`
	s, url := serve(t, policytest.Status(400))
	j := open(t, url, rubricFile+"mode: pairs\n", func(s *Settings) { s.Parallel = 1 })
	path := filepath.Join(t.TempDir(), "verdicts.jsonl")
	if err := j.GradeFile(t.Context(), repliesOf(t, j, lines), path); !errors.Is(err, ErrUngraded) {
		t.Errorf("error %v", err)
	}
	text, _ := os.ReadFile(path)
	got, first := scoresOf(t, text), len(s.Requests())
	if got["e"] != "0" && got["a"] == "-" || len(got) != 5 {
		t.Errorf("%v\n%s", got, text)
	}
	if err := j.GradeFile(t.Context(), repliesOf(t, j, lines), path); err != nil {
		t.Fatal(err)
	}
	text, _ = os.ReadFile(path)
	if got := fmt.Sprint(scoresOf(t, text)); got != "map[a:1 b:0 c:0.5 d:1 e:0]" || len(s.Requests()) != first+2 {
		t.Errorf("%s after %d and %d calls\n%s", got, first, len(s.Requests())-first, text)
	}
}

func TestCacheOutlivesTheJury(t *testing.T) {
	t.Parallel()
	s, url := serve(t)
	cache := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		j := open(t, url, rubricFile, func(s *Settings) { s.Cache = cache })
		var out bytes.Buffer
		if err := errors.Join(j.Grade(t.Context(), repliesOf(t, j, three), &out), j.Close()); err != nil {
			t.Fatal(err)
		}
		j.close = func() error { return nil }
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestRowsAreRefused(t *testing.T) {
	t.Parallel()
	r := DefaultRubric()
	for _, test := range []struct{ line, says string }{
		{`{"question": "q"}`, "line 1: reply: is missing"},
		{`{"reply": "q"}`, "line 1: question: is missing"},
		{`{"question": "q", "reply": null}`, "line 1: reply: is missing"},
		{`{"question": "q", "reply": 7}`, "line 1: reply"},
		{"{}\n", "line 1: question"},
		{`{"question": "q", "reply": "a", "id": "x"}` + "\n" + `{"question": "q", "reply": "a", "id": "x"}`, `line 2: id: is "x", as in another line`},
		{"[]", "line 1"}, {"{", "line 1"}, {"\xff", "line 1"},
	} {
		if _, err := ReadRows(strings.NewReader(test.line), r); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %s", test.line, err, test.says)
		}
	}
	r.Reference, r.Mode, r.View = "gold", Rank, Transcript
	line := `{"question": "q", "transcript": [{"role": "assistant", "content": "a"}], "group": "g", "gold": "42", "reference": "7"}`
	list, err := ReadRows(strings.NewReader(line), r)
	if err != nil || list[0].Reference != "42" || list[0].Transcript[0].Content != "a" {
		t.Errorf("%+v, error %v", list, err)
	}
	for _, name := range []string{"transcript", "group", "gold"} {
		if _, err := ReadRows(strings.NewReader(strings.Replace(line, name, "x", 1)), r); err == nil || !strings.Contains(err.Error(), name+": is missing") {
			t.Errorf("without %s: error %v", name, err)
		}
	}
	if _, err := ReadRows(strings.NewReader(strings.Replace(line, `"42"`, "42", 1)), r); err == nil || !strings.Contains(err.Error(), "gold: want a text") {
		t.Errorf("a number: error %v", err)
	}
}

func TestSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for says, given := range map[string]map[string]string{
		"rubric: is \"\", want a file":  {"model": "m", "url": "http://a/v1"},
		"model: is \"\", want the name": {"rubric": "r", "url": "http://a/v1"},
		"url: want a server":            {"rubric": "r", "model": "m"},
		"and not both":                  {"rubric": "r", "model": "m", "url": "http://a/v1", "command": "x"},
		"--parallel: is 0":              {"parallel": "0"},
		"--kept: is 7":                  {"kept": "7"},
	} {
		s, texts := Defaults(), map[string]settings.Given{}
		for path, text := range given {
			texts[path] = settings.Given{Text: text, By: "--" + path}
		}
		if err := s.Load(texts); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
	s := Defaults()
	s.Rubric, s.Model, s.URLs = write(t, "r.yaml", rubricFile), "m", []string{"nowhere"}
	if _, err := OpenJury(s); err == nil || !strings.Contains(err.Error(), "url") {
		t.Errorf("error %v", err)
	}
	s.KeyFile = filepath.Join(t.TempDir(), "none")
	if _, err := OpenJury(s); err == nil || !strings.Contains(err.Error(), "key_file") {
		t.Errorf("error %v", err)
	}
}

// After a Retry-After, all calls wait.
func TestRetryAfterHoldsAllCalls(t *testing.T) {
	t.Parallel()
	var early atomic.Int64
	begin := time.Now()
	wait := func(w http.ResponseWriter, r *http.Request, reply map[string]any) {
		policytest.Status(429, "Retry-After", "1")(w, r, reply)
	}
	after := func(w http.ResponseWriter, r *http.Request, reply map[string]any) {
		if time.Since(begin) < time.Second {
			early.Add(1)
		}
		policytest.Edit(func(map[string]any) {})(w, r, reply)
	}
	_, url := serve(t, wait, after, after)
	j := open(t, url, rubricFile, func(s *Settings) { s.Parallel, s.Retries = 1, 3 })
	var out bytes.Buffer
	if err := j.Grade(t.Context(), repliesOf(t, j, three), &out); err != nil || early.Load() > 0 {
		t.Errorf("error %v, %d early calls", err, early.Load())
	}
}

func TestGradeEnds(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	j := open(t, url, rubricFile, nil)
	stop := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	var out bytes.Buffer
	if err := j.Grade(ctx, repliesOf(t, j, three), &out); !errors.Is(err, stop) || out.Len() > 0 {
		t.Errorf("error %v\n%s", err, out.String())
	}
}

// desk returns a desk that works in memory.
func desk(stdin string) (d Verbs, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return Verbs{
		Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr,
		Attend: func(ctx context.Context, work func(context.Context, <-chan struct{}) error) error {
			return work(ctx, nil)
		},
		Usage: func(err error) error { return fmt.Errorf("usage: %w", err) },
	}, stdout, stderr
}

func TestCommands(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	path := write(t, "rubric.yaml", rubricFile)
	good := write(t, "good.jsonl", `{"question": "q", "reply": "good", "want": {"correct": "yes"}}`+"\n")
	bad := write(t, "bad.jsonl", `{"question": "q", "reply": "good", "want": {"correct": "no"}}`+"\n")
	referred := write(t, "referred.yaml", rubricFile+"reference: gold\n")
	as := []string{"--rubric", path, "--url", url, "--model", "m", "--retries", "0"}
	for _, test := range []struct {
		args   []string
		stdin  string
		stdout string
		stderr string
		says   string // part of the error; empty: none
	}{
		{append([]string{"check", "--known", good}, as...), "", "known verdicts  1, accuracy 1.000", "", ""},
		{append([]string{"check", "--known", good, "--json"}, as...), "", `"accuracy": 1`, "", ""},
		{append([]string{"check", "--known", bad}, as...), "", "accuracy 0.000", "", "should not be trained on: it is right on 0"},
		{append([]string{"check"}, as...), "", "known verdicts  50", "", "it is right on 0.5"},
		{append([]string{"check", "--known", path}, as...), "", "", "", "line 1"},
		{append([]string{"check", "--known", good + "x"}, as...), "", "", "", "good.jsonlx"},
		{append([]string{"grade"}, as...), three, `"score":1`, "3 replies with a verdict", ""},
		{append([]string{"grade"}, as...), "{", "", "", "standard input: line 1"},
		{append([]string{"grade", "--out", filepath.Join(t.TempDir(), "o")}, as...), three, "", "2 calls", ""},
		{append([]string{"session"}, as...), `{"session": "s", "problem": {"prompt": "q"}, "answer": "good"}`, `"reward":1,"right":true`, "", ""},
		{append([]string{"session"}, as...), `{"branches": [[{"role": "user", "content": "q"}, {"role": "assistant", "content": "bad"}]]}`, `"reward":0,"right":false`, "", ""},
		{append([]string{"session"}, as...), `{"problem": {"prompt": "q"}}`, `"malformed":true`, "", ""},
		{append([]string{"session"}, as...), `{"answer": "good"}`, "", "", "no question"},
		{append([]string{"session"}, as...), `[`, "", "", "the session"},
		{append(append([]string{"session"}, as...), "--model", "other"), `{"problem": {"prompt": "q"}, "answer": "good"}`, "", "", "no verdict"},
		{append(append([]string{"session"}, as...), "--rubric", referred), `{"problem": {"prompt": "q"}, "answer": "good", "metadata": {"gold": "7"}}`, `"reward":1`, "", ""},
		{append(append([]string{"session"}, as...), "--rubric", referred), `{"problem": {"prompt": "q"}, "answer": "good"}`, "", "", "metadata: gold: want a text"},
		{[]string{"grade", "--rubric", path}, "", "", "", "usage: "},
		{[]string{"grade", "--rubric", bad, "--url", url, "--model", "m"}, "", "", "", "bad.jsonl:1"},
	} {
		d, stdout, stderr := desk(test.stdin)
		c := d.Command()
		c.SetArgs(test.args)
		c.SilenceErrors, c.SilenceUsage = true, true
		err := c.ExecuteContext(t.Context())
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%q: error %v, want %q", test.args, err, test.says)
		}
		if !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%q: it prints\n%s\n%s", test.args, stdout, stderr)
		}
	}
}

// BenchmarkGradeRows measures verdicts by one engine over HTTP, which answers at once.
func BenchmarkGradeRows(b *testing.B) {
	_, url := serve(b)
	j := open(b, url, rubricFile, nil)
	const n = 500
	list := make([]Row, n)
	for i := range list {
		list[i] = Row{ID: fmt.Sprint(i), Item: Item{Question: "q", Reply: strings.Repeat("It is good. ", 100) + fmt.Sprint(i)}}
	}
	begin, rounds := time.Now(), 0
	for b.Loop() {
		if err := j.Grade(b.Context(), list, io.Discard); err != nil {
			b.Fatal(err)
		}
		rounds++
	}
	b.ReportMetric(float64(n*rounds)/time.Since(begin).Minutes(), "verdicts/min")
}
