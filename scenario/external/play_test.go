package external

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// playLevel has a program play a problem of a level.
func playLevel(ctx context.Context, t *testing.T, p *Program, level int) (quintain.Step, error) {
	t.Helper()
	problem, err := p.Own().Problem(quintain.Draw{Seed: 1, Level: level})
	if err != nil {
		t.Fatal(err)
	}
	return p.Play(ctx, &problem, map[string]Model{PolicyRole: {URL: "http://here/v1", Key: "sesame"}})
}

func TestProgramsPlayByThemselves(t *testing.T) {
	both(t, "drives", func(t *testing.T, how Settings) {
		p := start(t, how)
		if !p.Drives() || p.Parallel() != 4*how.Processes && how.URL == "" {
			t.Errorf("it drives: %v, %d at once", p.Drives(), p.Parallel())
		}
		for _, c := range []struct {
			why   string
			level int
			want  quintain.Step
			tells string // the error
			lost  bool
		}{
			{why: "a whole end", level: 0, want: quintain.Step{Reward: 1, Right: true, Answer: "7", End: quintain.Terminated, Why: "well played"}},
			{why: "cut", level: 1, want: quintain.Step{Reward: 0.5, End: quintain.Truncated}},
			{why: "no end", level: 2, tells: "no end"},
			{why: "no reward", level: 3, tells: "without a reward"},
			{why: "a reward beyond the limit", level: 4, tells: "reward"},
			{why: "its fault", level: 5, tells: "the grader broke"},
			{why: "not the reply's fault", level: 6, tells: "full", lost: true},
			{why: "there is no task", level: 7, tells: "grade"},
			{why: "the models", level: 10, want: quintain.Step{End: quintain.Terminated, Why: "map[policy:{http://here/v1 sesame}]"}},
		} {
			got, err := playLevel(t.Context(), t, p, c.level)
			switch {
			case (err == nil) != (c.tells == "") || err != nil && !strings.Contains(err.Error(), c.tells) || errors.Is(err, quintain.ErrLost) != c.lost:
				t.Errorf("%s: error %v, want one with %q, lost %v", c.why, err, c.tells, c.lost)
			case err == nil && (got.Reward != c.want.Reward || got.Right != c.want.Right || got.Answer != c.want.Answer || got.End != c.want.End || got.Why != c.want.Why):
				t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
			}
		}
	})
}

// An episode that is given up does not end the process, whose other episodes go on.
func TestPlayGivenUp(t *testing.T) {
	both(t, "drives", func(t *testing.T, how Settings) {
		how.Processes = 1
		p := start(t, how)
		for range 3 * 4 { // more than it plays at once
			ctx, stop := context.WithCancelCause(t.Context())
			enough := errors.New("enough")
			stop(enough)
			if _, err := playLevel(ctx, t, p, 9); !errors.Is(err, enough) {
				t.Errorf("error %v, want %v", err, enough)
			}
		}
		if got, err := playLevel(t.Context(), t, p, 0); err != nil || got.Reward != 1 {
			t.Errorf("%+v, error %v", got, err)
		}
	})
}

// A process that ends is started again for the next episode.
func TestPlayOutlivesProcesses(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "drives")
	p := start(t, how)
	if _, err := playLevel(t.Context(), t, p, 8); err == nil || !strings.Contains(err.Error(), "exit status 3") || errors.Is(err, quintain.ErrLost) {
		t.Errorf("error %v, want that of its end", err)
	}
	if got, err := playLevel(t.Context(), t, p, 0); err != nil || got.Reward != 1 {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestLoopsThatCannotPlay(t *testing.T) {
	t.Parallel()
	for way, tells := range map[string]string{"drives-tasks": "no problems of its own", "models": "drives is not true", "two-policies": `"policy"`} {
		how := quickly()
		how.Command = commandLine(t, way)
		p, err := Open(t.Context(), how, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tells) {
			t.Errorf("%s: error %v, want one with %q", way, err, tells)
		}
	}
}
