package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
)

// counts is a scenario: the problem of index n asks for n.
type counts struct{ bare bool } // it reads no tags

func (c counts) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "counts", Version: 1, Default: true, Tags: !c.bare}
}
func (counts) TaskInfo() quintain.Info { return quintain.Info{Name: "count", Version: 1} }
func (counts) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{
		Task: "count", Scenario: "counts.v1", Version: 1, Index: d.Index, Params: []byte(`{}`), Prompt: fmt.Sprintf("Say %d.", d.Index),
		Instance: quintain.NewRecord(map[string]string{"gold": "sesame"}),
	}, nil
}
func (counts) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.Prompt), nil }
func (counts) Solve(p quintain.Problem) (string, error)     { return fmt.Sprint(p.Index), nil }
func (counts) Env(p quintain.Problem) (quintain.Env, error) {
	if p.Scenario != "counts.v1" {
		return nil, errors.New("a problem of another scenario")
	}
	return count{p}, nil
}

// count is an episode of one answer.
type count struct{ problem quintain.Problem }

func (c count) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: c.problem.Prompt}}, nil
}

func (c count) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	if r.Text == "<answer>break</answer>" {
		return quintain.Step{}, errors.New("the board fell off the table")
	}
	if r.Text == fmt.Sprintf("<answer>%d</answer>", c.problem.Index) {
		return quintain.Step{Reward: 1, Right: true, Answer: fmt.Sprint(c.problem.Index), End: quintain.Terminated}, nil
	}
	return quintain.Step{Malformed: !strings.Contains(r.Text, "<answer>"), End: quintain.Terminated, Why: "judged " + r.Text}, nil
}

func (c count) Close() error { return nil }

// says is a policy that says one text.
func says(text string) quintain.Policy {
	return script.Say(func(quintain.Request, int) (string, quintain.Finish) { return text, quintain.Stop })
}

// A fails policy fails from a call on, counted from 0.
type fails struct {
	quintain.Policy
	from  int
	with  error
	calls int
}

func (f *fails) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if f.calls++; f.calls > f.from {
		return nil, f.with
	}
	return f.Policy.Sample(ctx, r)
}

// scene is the settings of a way of the test program.
func scene(t testing.TB, way string) Settings {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	how := Default()
	how.Command, how.Leave = fmt.Sprintf("'%s' %s '%s'", self, playMode, way), 100*time.Millisecond
	return how
}

// play plays problem 3.
func play(t *testing.T, how Settings, p quintain.Policy) quintain.Trajectory {
	t.Helper()
	return playOf(t, how, p, counts{})
}

func playOf(t *testing.T, how Settings, p quintain.Policy, of quintain.Scenario) quintain.Trajectory {
	t.Helper()
	program, err := New(how)
	if err != nil {
		t.Fatal(err)
	}
	s := program.Over(of)
	problem, err := s.Problem(quintain.Draw{Index: 3})
	if err != nil {
		t.Fatal(err)
	}
	played, err := rollout.Play(t.Context(), p, quintain.Sampling{}, rollout.Job{Scenario: s, Problem: problem})
	if err != nil {
		t.Fatal(err)
	}
	return played
}

// A scenario without tags gets the answer in a program's result as it is.
func TestAnswersWithoutTags(t *testing.T) {
	t.Parallel()
	got := playOf(t, scene(t, "answers"), says("well"), counts{bare: true})
	if last := got.Turns[len(got.Turns)-1]; last.Why != "judged 3" {
		t.Errorf("the scenario %s", last.Why)
	}
}

// The session of a program has the settings of the program.
func TestSettingsOfTheSession(t *testing.T) {
	t.Parallel()
	how := Default()
	if of := how.session(); of.Guided || of.AgentRewards || of.ToolFormat != "" {
		t.Errorf("by default %+v", of)
	}
	how.Guided, how.AgentRewards, how.ToolFormat, how.Limits.Calls = true, true, "hermes", 3
	if of := how.session(); !of.Guided || !of.AgentRewards || of.ToolFormat != "hermes" || of.Limits.Calls != 3 {
		t.Errorf("%+v of %+v", of, how)
	}
}

// TestEveryEndOfAProgram is the table of what a program may do, and what comes of it.
func TestEveryEndOfAProgram(t *testing.T) {
	t.Parallel()
	right := says("<answer>3</answer>")
	cut := script.Say(func(quintain.Request, int) (string, quintain.Finish) { return "<answer>3", quintain.Length })
	for _, c := range []struct {
		way     string
		why     string
		set     func(*Settings)
		policy  quintain.Policy
		outcome quintain.Outcome
		end     quintain.End
		reward  float64
		turns   int
		tells   string // in the error, or in the reason of the reward
		wrote   string
	}{
		{way: "ask", outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1, wrote: "it says <answer>3</answer>\n[the program ended: exit status 0]\n"},
		{way: "ask", why: "a wrong answer", policy: says("<answer>4</answer>"), outcome: quintain.Scored, end: quintain.Terminated, turns: 1, tells: "judged <answer>4"},
		{way: "ask", why: "no answer", policy: says("well"), outcome: quintain.ModelFailed, end: quintain.Terminated, turns: 1, tells: "judged well"},
		{way: "ask", why: "the reply is cut", policy: cut, outcome: quintain.ModelFailed, end: quintain.Truncated, turns: 1, tells: "judged <answer>3"},
		{way: "ask", why: "the judge fails", policy: says("<answer>break</answer>"), outcome: quintain.EnvFailed, turns: 1, tells: "fell off"},
		{way: "answers", policy: says("well"), outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1},
		{way: "exits", outcome: quintain.EnvFailed, turns: 1, tells: "exit status 1; Traceback: ", wrote: "Traceback"},
		{way: "killed", outcome: quintain.EnvFailed, turns: 1, tells: "signal: killed", wrote: "[the program ended: signal: killed]"},
		{way: "silent", outcome: quintain.EnvFailed, tells: "no call of its model"},
		{way: "writes", outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1, wrote: "xxx\nit says"},
		{way: "calls for ever", set: func(s *Settings) { s.Limits.Calls = 3 }, outcome: quintain.Scored, end: quintain.Truncated, reward: 1, turns: 3, tells: "it made 3 calls", wrote: "killed by quintain"},
		{way: "twice", why: "it fails at the limit of calls", set: func(s *Settings) { s.Limits.Calls, s.Leave = 1, time.Minute }, outcome: quintain.Scored, end: quintain.Truncated, reward: 1, turns: 1, tells: "it made 1 call", wrote: "exit status 1"},
		{way: "hangs", set: func(s *Settings) { s.Limits.Seconds = 0.5 }, outcome: quintain.TimedOut, turns: 1, tells: "more than 0.5 seconds"},
		{way: "hangs", why: "without calls", set: func(s *Settings) { s.Limits.Idle = 0.5 }, outcome: quintain.TimedOut, turns: 1, tells: "no call came for 0.5 seconds"},
		{way: "rewards itself", outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1, tells: "own reward does not count: sessions.rewards is off", wrote: "reward: 403"},
		{way: "rewards itself", why: "it may", set: func(s *Settings) { s.AgentRewards = true }, outcome: quintain.Scored, end: quintain.Terminated, reward: 7, turns: 1, tells: "because", wrote: "reward: 200"},
		{way: "foreign key", outcome: quintain.Scored, end: quintain.Terminated, reward: 1, turns: 1, wrote: "key: 401 true\nkey: 401 true\nkey: 401 true\nkey: 403 true\n"},
		{way: "nonsense", outcome: quintain.EnvFailed, turns: 1, tells: "the result of the agent's program"},
		{way: "endless", outcome: quintain.EnvFailed, turns: 1, tells: "more than 1048576 bytes"},
		{way: "link", outcome: quintain.EnvFailed, turns: 1, tells: "no plain file"},
		{way: "ask", why: "the policy fails", policy: &fails{right, 0, errors.New("no server"), 0}, outcome: quintain.InfraFailed, tells: "no server"},
		{way: "ask", why: "the policy stops the run", policy: &fails{right, 0, quintain.ErrCancelled, 0}, outcome: quintain.Cancelled, tells: quintain.ErrCancelled.Error()},
		{way: "twice", why: "the policy fails later", policy: &fails{right, 1, errors.New("no server"), 0}, outcome: quintain.InfraFailed, turns: 1, tells: "no server"},
		{way: "ask", why: "the prompt is too long", policy: &fails{right, 0, quintain.ErrNoRoom, 0}, outcome: quintain.PromptTooLong, tells: quintain.ErrNoRoom.Error()},
		{way: "twice", why: "there is no room for more", policy: &fails{right, 1, quintain.ErrNoRoom, 0}, outcome: quintain.Scored, end: quintain.Truncated, reward: 1, turns: 1, tells: "no room"},
	} {
		t.Run(c.way+" "+c.why, func(t *testing.T) {
			t.Parallel()
			how := scene(t, c.way)
			if c.set != nil {
				c.set(&how)
			}
			if c.policy == nil {
				c.policy = right
			}
			got := play(t, how, c.policy)
			told := got.Error
			if got.Outcome.Rewarded() {
				told = got.Turns[got.Last()].Why
			}
			if got.Outcome != c.outcome || got.End != c.end || got.Reward() != c.reward || len(got.Turns) != c.turns {
				t.Errorf("%s, end %q, reward %v, %d turns; want %s, %q, %v, %d", got.Outcome, got.End, got.Reward(), len(got.Turns), c.outcome, c.end, c.reward, c.turns)
			}
			if !strings.Contains(told, c.tells) || !strings.Contains(got.Output, c.wrote) || len(got.Output) > mostOutput {
				t.Errorf("it says %q, want %q; it wrote %d bytes, want %q:\n%.500s", told, c.tells, len(got.Output), c.wrote, got.Output)
			}
		})
	}
}

// The program sees its problem and its address, but no solution and no key of ours.
func TestWhatAProgramSees(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-real")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "sk-ant-real")
	t.Setenv("SEARCH_API_KEY", "search-key")
	t.Setenv("GITHUB_TOKEN", "ghp-real")
	t.Setenv("QUINTAIN_POLICY_KEY_FILE", "key-file")
	t.Setenv("no_proxy", "example.org")
	how := scene(t, "looks around")
	how.Pass = []string{"SEARCH_API_KEY"}
	got := play(t, how, says("<answer>3</answer>"))
	for _, want := range []string{
		`"messages":[{"role":"user","content":"Say 3."}]`, `"task":"count"`, `"id":"agent.v1-`, "SEARCH_API_KEY=search-key", "OPENAI_BASE_URL=http://127.0.0.1:",
		"ANTHROPIC_API_KEY=qs_", "no_proxy=example.org,127.0.0.1",
	} {
		if !strings.Contains(got.Output, want) {
			t.Errorf("it does not see %s", want)
		}
	}
	for _, secret := range []string{"sesame", "gold", "sk-real", "sk-ant-real", "ghp-real", "key-file"} {
		if strings.Contains(got.Output, secret) {
			t.Errorf("it sees %s", secret)
		}
	}
	_, rest, _ := strings.Cut(got.Output, "\nin ")
	dir, _, _ := strings.Cut(rest, "\n")
	if here, err := os.Getwd(); err != nil || dir == here || !filepath.IsAbs(dir) {
		t.Errorf("it works in %q", dir)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
}

// listen listens for processes that hold a connection as long as they live.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Setenv(awaited, l.Addr().String())
	return l
}

// alive waits for a process. It returns what waits for its end.
func alive(t *testing.T, l net.Listener) (ended func()) {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_, _ = io.Copy(io.Discard, c) // it ends with the process, in whatever way
		c.Close()
	}
}

func TestChildrenEndWithTheProgram(t *testing.T) {
	l := listen(t)
	if got := play(t, scene(t, "leaves a child"), says("<answer>3</answer>")); got.Outcome != quintain.Scored {
		t.Errorf("%s: %s", got.Outcome, got.Error)
	}
	alive(t, l)()
}

func TestAProgramEndsWithTheRun(t *testing.T) {
	l := listen(t)
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	env := openEpisode(t, scene(t, "holds"))
	failed := make(chan error)
	go func() {
		_, err := env.Play(ctx, quintain.Seat{Policy: says(""), Key: "k"})
		failed <- err
	}()
	ended := alive(t, l)
	stop(enough)
	if err := <-failed; !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
	ended()
}

// With as many programs as there may be, an episode waits.
func TestEpisodesWaitForAProgramToEnd(t *testing.T) {
	env := openEpisode(t, scene(t, "ask"))
	free := env.(*episode).program.free
	for range cap(free) {
		free <- struct{}{}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop(enough)
	seat := quintain.Seat{Policy: says("<answer>3</answer>"), Key: "k"}
	if _, err := env.Play(ctx, seat); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
	played := make(chan error)
	go func() {
		_, err := env.Play(t.Context(), seat)
		played <- err
	}()
	<-free
	if err := <-played; err != nil || len(free) != cap(free)-1 {
		t.Errorf("error %v, %d programs", err, len(free))
	}
}

// openEpisode returns an open episode of problem 3.
func openEpisode(t *testing.T, how Settings) quintain.Agent {
	t.Helper()
	program, err := New(how)
	if err != nil {
		t.Fatal(err)
	}
	s := program.Over(counts{})
	problem, err := s.Problem(quintain.Draw{Index: 3})
	if err != nil {
		t.Fatal(err)
	}
	env, err := s.Env(problem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close() })
	if _, err := env.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return env.(quintain.Agent)
}

func TestProgramsThatCannotPlay(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"no-such-program --fast", "command: exec: \"no-such-program\""},
		{"./no-such-file", "command: "},
		{"python 'my_agent.py", "is not closed"},
		{" ", "is empty"},
	} {
		how := Default()
		how.Command = c.command
		if _, err := New(how); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.command, err, c.want)
		}
	}
	how := scene(t, "ask")
	how.ToolFormat = "runes"
	if _, err := New(how); err == nil || !strings.Contains(err.Error(), "tool_format") {
		t.Errorf("error %v", err)
	}
}

// The files that a command names are found from the program's own folder too.
func TestFilesOfACommandAreAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"agent.py", "agent"} {
		if err := os.WriteFile(name, nil, 0o700); err != nil { //nolint:gosec // it must be a program
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	got, err := rooted([]string{"./agent", "agent.py", "--fast", "other.py", here})
	want := []string{filepath.Join(here, "agent"), filepath.Join(here, "agent.py"), "--fast", "other.py", here}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
}

func TestAScenarioOfAgents(t *testing.T) {
	how := scene(t, "ask")
	ids := map[string]bool{}
	for _, calls := range []int{1, 2} {
		how.Limits.Calls = calls
		program, err := New(how)
		if err != nil {
			t.Fatal(err)
		}
		s := program.Over(counts{})
		p, err := s.Problem(quintain.Draw{Index: 3})
		if err != nil {
			t.Fatal(err)
		}
		ids[p.ID()] = true
		key, err := s.Key(p)
		if want := quintain.NewKey(p.Prompt); err != nil || key != want {
			t.Errorf("key %v, error %v, want %v", key, err, want)
		}
		if solution, err := s.(quintain.Solver).Solve(p); err != nil || solution != "3" {
			t.Errorf("solution %q, error %v", solution, err)
		}
		p.Scenario = "counts.v1"
		if _, err := s.Env(p); err == nil {
			t.Error("it plays a problem of another scenario")
		}
	}
	if len(ids) != 2 {
		t.Errorf("other settings, the same IDs: %v", ids)
	}
}

// BenchmarkEpisode plays episodes of one call. Its time beyond that of BenchmarkProgram is
// ours.
func BenchmarkEpisode(b *testing.B) {
	how := scene(b, "ask")
	program, err := New(how)
	if err != nil {
		b.Fatal(err)
	}
	s := program.Over(counts{})
	problem, err := s.Problem(quintain.Draw{Index: 3})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if t, err := rollout.Play(b.Context(), says("<answer>3</answer>"), quintain.Sampling{}, rollout.Job{Scenario: s, Problem: problem}); err != nil || t.Reward() != 1 {
			b.Fatal(t.Error, err)
		}
	}
}

func BenchmarkProgram(b *testing.B) {
	for b.Loop() {
		if err := exec.Command(os.Args[0], playMode, "silent").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
