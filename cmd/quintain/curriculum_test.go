package main

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
)

// climbing are flags of a run with a curriculum that plays one group after the other.
var climbing = []string{"run", "--policy", "script", "--tasks", "chain_sum,spell_backward,number_sorting:2", "--complexity-mode", "curriculum",
	"--parallel", "8", "--with", "policy.delay=0s", "--with", "run.step_time=0s", "--port", "0", "--log-level", "debug", "--with", "log.format=json"}

// playUntilKilled runs the program until it has played n groups, kills it, and returns
// their IDs in the order of playing.
func playUntilKilled(t *testing.T, data string, n int) (played []string) {
	t.Helper()
	c := program(t, append(slices.Clone(climbing), "--data", data)...)
	log := startLogged(t, c)
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Msg, Problem string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "played" {
			continue
		}
		if played = append(played, line.Problem); len(played) == n {
			_ = c.Process.Kill()
		}
	}
	_ = c.Wait() // it was killed
	if len(played) < n {
		t.Fatalf("the program ended after %d groups, want %d", len(played), n)
	}
	return played
}

// TestKilledCurriculumGoesOn kills a run again and again. From its start on, each process
// plays the same groups as a run that is never killed, the last process for lastGroups.
func TestKilledCurriculumGoesOn(t *testing.T) {
	t.Parallel()
	const rounds = killRounds
	data, reached := t.TempDir(), 0
	whole := playUntilKilled(t, t.TempDir(), rounds*60+lastGroups+100)
	for round := range rounds + 1 {
		n := 1 + rand.IntN(50)
		if round == rounds {
			n = lastGroups
		}
		played := playUntilKilled(t, data, n)
		from := slices.Index(whole, played[0])
		if from < 0 || from > reached || from+len(played) > len(whole) || !slices.Equal(played, whole[from:from+len(played)]) {
			t.Fatalf("round %d plays other problems than a run that was not killed: it begins with number %d, and %d were played before", round, from, reached)
		}
		reached = from + len(played)
	}
	if levels := strings.Count(strings.Join(whole, " "), ".s1.l1."); levels == 0 {
		t.Error("the curriculum never moved")
	}
}

func TestRunReportsItsCurriculum(t *testing.T) {
	r := runReport(t, "--with", "policy.accuracy=1", "--tasks", "chain_sum,spell_backward:3,number_sorting:1,number_sorting:3", "--complexity-mode", "curriculum",
		"--with", "rules.keep_equal=true", "--steps", "25", "--exam-problems", "2", "--data", t.TempDir())
	want := map[string]float64{"chain_sum": 7, "spell_backward": 1, "number_sorting": 1} // levels above the easiest that is played
	if len(r.Tasks) != len(want) {
		t.Fatalf("%d tasks, want %d, each with all its levels", len(r.Tasks), len(want))
	}
	shares := 0.0
	for _, task := range r.Tasks {
		c := task.Curriculum
		if c == nil || c.Name != task.Label || c.PassRate != 1 || c.Complexity < 0.5 || task.ExamAfter == nil {
			t.Errorf("%s: %+v, want a task that is solved at all levels", task.Label, c)
			continue
		}
		shares += c.Share
	}
	if math.Abs(shares-1) > 1e-9 {
		t.Errorf("the shares are %v in all", shares)
	}
	var shown strings.Builder
	if err := screen.Report(&screen.Terminal{Out: &shown}, &r); err != nil || !strings.Contains(shown.String(), "levels done  groups  share") {
		t.Errorf("error %v, shown as\n%s", err, shown.String())
	}
}
