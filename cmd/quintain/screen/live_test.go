package screen

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// manyTasks is the report of a run of n tasks; if examined, with two evaluations.
func manyTasks(n int, examined bool) run.Report {
	r := run.Report{
		Steps: 1234, Version: 1234, GroupsMade: 99999, GroupsDropped: map[rollout.Drop]int{rollout.DropEqual: 5},
		Tokens: 1 << 30, Seconds: 10, Unit: "tokens", Staleness: map[int]int{1: 3},
		Episodes: map[quintain.Outcome]int{quintain.InfraFailed: 3}, LastFault: strings.Repeat("a long reason ", 20) + "\nand more",
	}
	for i := range n {
		name := fmt.Sprintf("a_task_with_a_name_%02d", i)
		r.Tasks = append(r.Tasks, run.TaskReport{
			Curriculum: &curriculum.Standing{Complexity: 0.5, Share: 0.25}, Levels: []string{name, name + " (2)", name + " (3)"},
			Label: name, Groups: 1010, First: 0.75, Last: 0.5 + float64(i%10)/100, Curve: slices.Repeat([]float64{0.5}, 64),
		})
	}
	if examined {
		r.ExamBefore, r.ExamAfter = new(0.25), new(0.375)
		for i := range r.Tasks {
			t := &r.Tasks[i]
			t.ExamBefore, t.ExamAfter, t.ExamCurve, t.Examined, t.DoneBefore, t.DoneAfter = new(0.25), new(0.26), slices.Repeat([]float64{0.25}, 9), 3, new(1), new(1)
		}
	}
	return r
}

// group is a played group of a task with replies that are right and wrong in turn, and text
// that would spoil a terminal.
func group(label string, right ...bool) run.Played {
	p := run.Played{Result: rollout.Result{Job: rollout.Job{Label: label, Course: strings.Split(label, " ")[0]}}}
	for _, is := range right {
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleSystem, Content: "Be good."}, {Role: quintain.RoleUser, Content: strings.Repeat("What is it?\n", 30)}},
			Reply:    "\x1b[2J" + strings.Repeat("日本語 long reply without an end ", 40) + "\u202e\r\x07", Answer: "a guess", Why: "want 5",
		}
		if is {
			turn.Answer, turn.Why, turn.Reward, turn.Right = "5", "", 1, true
		}
		p.Trajectories = append(p.Trajectories, quintain.Trajectory{Turns: []quintain.Turn{turn}, Outcome: quintain.Scored})
		p.Scores = append(p.Scores, turn.Reward)
	}
	return p
}

// live is a Live that shows a problem.
func live(t *testing.T, on *Terminal, r run.Report) *Live {
	t.Helper()
	l := NewLive(on, func() run.Report { return r })
	if err := l.Note(group("a_task_with_a_name_00 (2)", true, false, false)); err != nil {
		t.Fatal(err)
	}
	l.showcase.turn(time.Now(), 0)
	return l
}

// escapes are control sequences of styles.
var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

// spaces are two or more.
var spaces = regexp.MustCompile("  +")

// The picture fits any width from 40 columns, however many tasks there are and whatever
// the model wrote.
func TestThePictureFits(t *testing.T) {
	for _, width := range []int{40, 41, 60, 80, 120, 200} {
		for _, tasks := range []int{0, 1, 7, 61} {
			for _, mode := range []bool{false, true} { // examined, in colours
				r := manyTasks(tasks, mode)
				lines := live(t, &Terminal{Out: io.Discard, Colors: mode}, r).picture(&r, width)
				if len(lines) > 24 {
					t.Errorf("%d columns, %d tasks: %d lines, want 24 at most", width, tasks, len(lines))
				}
				for _, line := range lines {
					if mode {
						line = escapes.ReplaceAllString(line, "")
					}
					if n := len([]rune(line)); n >= width {
						t.Errorf("%d columns, %d tasks: a line of %d: %q", width, tasks, n, line)
					}
					if strings.ContainsAny(line, "\x1b\r\x07\u202e") {
						t.Errorf("%q spoils the terminal", line)
					}
				}
			}
		}
	}
}

// While the policy is examined, the screen tells how far that is: at the start it has nothing else.
func TestTheScreenTellsHowFarAnEvaluationIs(t *testing.T) {
	first := run.Report{Examining: &exam.Progress{Done: 512, Total: 2312}, GroupsDropped: map[rollout.Drop]int{}}
	last := manyTasks(1, false)
	last.Examining = &exam.Progress{Done: 1, Total: 2, Failed: 1, Cause: "no answer"}
	waits := run.Report{GroupsDropped: map[rollout.Drop]int{}, Waiting: "waiting for the server (try 4): unreachable: dial tcp 127.0.0.1:9: connect: connection refused", LastFault: "open rubric: no such file or directory", Episodes: map[quintain.Outcome]int{quintain.EnvFailed: 1}}
	for _, test := range []struct {
		why, want, lacks string
		report           *run.Report
	}{
		{"what it waits for is in words", "(try 4): unreachable: nothing answers at 127.0.0.1:9 (connection refused)", "dial tcp", &waits},
		{"what failed, too", "failed episodes 1 (there is no file or folder rubric)", "no such file", &waits},
		{"the first one", "no group is played yet (examining 512 of 2,312 problems, none failed)", "dropped", &first},
		{"the last one", "(examining 1 of 2 problems, 1 failed (no answer), 99,999 groups kept", "not played yet", &last},
	} {
		if line := statusLine(test.report); !strings.Contains(line, test.want) || strings.Contains(line, test.lacks) {
			t.Errorf("%s: %s", test.why, line)
		}
	}
}

func TestThePictureShowsTheTasksThatMove(t *testing.T) {
	for _, examined := range []bool{false, true} {
		r := manyTasks(61, examined)
		for i := range r.Tasks {
			r.Tasks[i].First = r.Tasks[i].Last
		}
		want := []string{"name_40  0.900", "name_03  0.100", "and 54 tasks that move less"}
		r.Tasks[40].Last, r.Tasks[3].Last = 0.9, 0.1
		if examined {
			want[0], want[1] = "name_40  0.250 → 0.900", "name_03  0.250 → 0.100"
			r.Tasks[40].ExamAfter, r.Tasks[3].ExamAfter = new(0.9), new(0.1)
		}
		lines := strings.Join(live(t, &Terminal{Out: io.Discard}, r).picture(&r, 80), "\n")
		for _, part := range want {
			if !strings.Contains(spaces.ReplaceAllString(lines, "  "), part) {
				t.Errorf("no %q in\n%s", part, lines)
			}
		}
	}
}

// A stranger sees a problem, a right reply and a wrong one, and how many are right.
func TestThePictureShowsAProblem(t *testing.T) {
	r := manyTasks(1, true)
	lines := strings.Join(live(t, &Terminal{Out: io.Discard}, r).picture(&r, 80), "\n")
	for _, want := range []string{
		"held-out score 0.250 → 0.375", "a_task_with_a_name_00 (2): 1 of 3 replies right", "asked What is it?", "right 5\n", "wrong a guess  (want 5)",
		"practises", "1 of 3", "  (2) ",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

// A terminal gets a picture in place; other outputs get short lines.
func TestWhereTheRunIsShown(t *testing.T) {
	for _, draws := range []bool{true, false} {
		var out strings.Builder
		l := live(t, &Terminal{Out: &out, Draws: draws}, manyTasks(61, true))
		l.show()
		l.show()
		l.Say("something happened")
		if got := strings.Contains(out.String(), "\x1b["); got != draws {
			t.Errorf("drawing %v: escapes %v\n%q", draws, got, out.String())
		}
		if draws {
			continue
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(line)); n > 240 {
				t.Errorf("a line of %d characters", n)
			}
		}
	}
}

// Every ten seconds one problem is shown in lines: the first solved one at once, then the best
// since, and none twice.
func TestAProblemEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := manyTasks(2, true)
		l := NewLive(&Terminal{Out: &out}, func() run.Report { return r })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		said := func() string {
			synctest.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			text := out.String()
			out.Reset()
			return text
		}
		for i, step := range []struct {
			groups []run.Played
			after  time.Duration
			want   []string // parts, in order
			lines  int
		}{
			{[]run.Played{group("a_task_with_a_name_00", false, false)}, 0, nil, 0},
			{[]run.Played{group("a_task_with_a_name_00", true, false)}, 0, []string{"_00: What is it?", "→ 5: right (1 of 2 replies are, mean score 0.50)"}, 1},
			{
				[]run.Played{group("a_task_with_a_name_00 (2)", false, false), group("a_task_with_a_name_01 (3)", true, false, true), group("a_task_with_a_name_00", true, true)},
				10 * time.Second, []string{"step 1234, 10 s: held-out score 0.250 → 0.375", "_01 (3): What is it?", ": right (2 of 3 replies are, "}, 2,
			},
			{nil, 10 * time.Second, []string{"step 1234"}, 1},
			{[]run.Played{group("a_task_with_a_name_00 (2)", false, false)}, 10 * time.Second, []string{"step 1234", "_00 (2): What is it?", "→ a guess: wrong (0 of 2 replies right"}, 2},
		} {
			for _, g := range step.groups {
				if err := l.Note(g); err != nil {
					t.Fatal(err)
				}
			}
			<-time.After(step.after)
			text := said()
			rest := text
			for _, part := range step.want {
				_, after, has := strings.Cut(rest, part)
				if rest = after; !has {
					t.Errorf("step %d: no %q in its place in\n%s", i, part, text)
				}
			}
			if n := strings.Count(text, "\n"); n != step.lines {
				t.Errorf("step %d: %d lines, want %d:\n%s", i, n, step.lines, text)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Who rewards replies need not say which are right: no line calls them wrong then.
func TestReplies(t *testing.T) {
	for _, test := range []struct {
		of   shown
		want string
	}{
		{shown{of: 8, right: 2, mean: 0.25}, "2 of 8 replies right, mean score 0.25"},
		{shown{of: 8}, "0 of 8 replies right, mean score 0.00"},
		{shown{of: 8, mean: 1}, "8 replies, mean score 1.00"},
	} {
		if got := test.of.replies(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// On a terminal a problem stays for ten seconds, and only the first held-out score stays above
// the picture.
func TestThePictureIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := manyTasks(1, true)
		l := live(t, &Terminal{Out: &out, Draws: true}, r)
		first := l.showcase.shown
		for second := range 11 {
			for _, e := range []run.Event{group("a_task_with_a_name_00", true, false), run.Examined{Report: &exam.Report{Summary: exam.Summary{Mean: new(0.625)}}}} {
				if err := l.Note(e); err != nil {
					t.Fatal(err)
				}
			}
			l.show()
			if changed := l.showcase.shown != first; changed != (second == 10) {
				t.Errorf("after %d s another problem: %v", second, changed)
			}
			<-time.After(time.Second)
		}
		if n := strings.Count(out.String(), "0.625"); n != 1 {
			t.Errorf("%d evaluations stay above the picture, want the first", n)
		}
	})
}

func TestBar(t *testing.T) {
	for _, draws := range []bool{true, false} {
		var out strings.Builder
		b := NewBar(&Terminal{Out: &out, Draws: draws, Columns: func() int { return 40 }}, "examining")
		b.Show(1, 2, strings.Repeat("none failed ", 10))
		b.Show(2, 2, "none failed")
		b.End()
		text := out.String()
		if strings.Contains(text, "left") {
			t.Errorf("drawing %v: it tells in the first second how long the rest takes: %q", draws, text)
		}
		if got := strings.Contains(text, "\x1b["); got != draws || !strings.Contains(text, "quintain: examining, 2 of 2") || !strings.HasSuffix(text, "\n") {
			t.Errorf("drawing %v: %q", draws, text)
		}
		for part := range strings.SplitSeq(text, "\r\x1b[K") {
			if n := len([]rune(strings.TrimSpace(part))); draws && n >= 40 {
				t.Errorf("%d characters in 40 columns: %q", n, part)
			}
		}
	}
}
