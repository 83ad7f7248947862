package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/run"
)

// manyTasks is the report of a run of n tasks.
func manyTasks(n int) run.Report {
	r := run.Report{
		Steps: 1234, Version: 1234, GroupsMade: 99999, GroupsDropped: map[rollout.Drop]int{rollout.DropEqual: 5},
		Tokens: 1 << 30, Seconds: 10, Unit: "tokens", Staleness: map[int]int{1: 3},
		Episodes: map[quintain.Outcome]int{quintain.InfraFailed: 3}, LastFault: strings.Repeat("a long reason ", 20) + "\nand more",
	}
	for i := range n {
		r.Tasks = append(r.Tasks, run.TaskReport{
			Curriculum: &curriculum.Standing{Complexity: 0.5, Share: 0.25},
			Label:      fmt.Sprintf("a_task_with_a_name_%02d:0", i), Groups: 10, First: 0.5, Last: 0.5 + float64(i%10)/100, Curve: slices.Repeat([]float64{0.5}, 64),
		})
	}
	return r
}

// worked is a played problem with text that would spoil a terminal.
func worked() *run.Played {
	turn := quintain.Turn{
		Observed: []quintain.Message{{Role: quintain.RoleSystem, Content: "Be good."}, {Role: quintain.RoleUser, Content: strings.Repeat("What is it?\n", 30)}},
		Reply:    "\x1b[2J" + strings.Repeat("日本語 long reply without an end ", 40) + "\u202e\r\x07", Why: "want 5",
	}
	return &run.Played{
		Result: rollout.Result{Job: rollout.Job{Label: "a_task:0"}, Trajectories: []quintain.Trajectory{{Turns: []quintain.Turn{turn}}}},
		Scores: []float64{0.25},
	}
}

// The picture fits any width from 40 columns, however many tasks there are and whatever
// the model wrote.
func TestThePictureFits(t *testing.T) {
	for _, width := range []int{40, 41, 60, 80, 200} {
		for _, tasks := range []int{0, 1, 7, 61} {
			l := &Live{terminal: &Terminal{}, worked: worked()}
			r := manyTasks(tasks)
			lines := l.picture(&r, width)
			if len(lines) > 24 {
				t.Errorf("%d columns, %d tasks: %d lines, want 24 at most", width, tasks, len(lines))
			}
			for _, line := range lines {
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

func TestThePictureShowsTheTasksThatMove(t *testing.T) {
	r := manyTasks(61)
	r.Tasks[40].Last, r.Tasks[3].Last = 0.9, 0.1
	lines := strings.Join((&Live{terminal: &Terminal{}}).picture(&r, 80), "\n")
	for _, want := range []string{"name_40:0 0.900", "name_03:0 0.100", "and 54 tasks that move less"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

func TestThePictureShowsAProblem(t *testing.T) {
	r := manyTasks(1)
	lines := strings.Join((&Live{terminal: &Terminal{}, worked: worked()}).picture(&r, 80), "\n")
	for _, want := range []string{"a problem of a_task:0", "asked What is it?", "wrote [2J", "scored 0.25: want 5"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}

// A terminal gets a picture in place; other outputs get short lines.
func TestWhereTheRunIsShown(t *testing.T) {
	for _, draws := range []bool{true, false} {
		var out strings.Builder
		l := NewLive(&Terminal{Out: &out, Draws: draws}, func() run.Report { return manyTasks(61) })
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

func TestBar(t *testing.T) {
	for _, draws := range []bool{true, false} {
		var out strings.Builder
		b := NewBar(&Terminal{Out: &out, Draws: draws, Columns: func() int { return 40 }}, "examining")
		b.Show(1, 2, strings.Repeat("none failed ", 10))
		b.Show(2, 2, "none failed")
		b.End()
		text := out.String()
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
