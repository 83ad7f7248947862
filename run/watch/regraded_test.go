package watch_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/trace"
)

// The page of a group that was graded anew has each old reward beside the new one, also if that comes
// after the page was asked for once.
func TestAGroupThatWasGradedAnewHasBothRewards(t *testing.T) {
	r := scored(0, "", said{"2", 1}, said{"3", 0}, said{"3", 0}, said{"", 0})
	dir := fill(t, "", r)
	s := open(t, dir)
	_, list, _ := get(t, s, "/watch/groups")
	page := "/watch/" + regexp.MustCompile(`group\?at=[^"]*`).FindString(list)
	if _, body, _ := get(t, s, page); strings.Contains(body, "raded anew") {
		t.Errorf("graded anew by nobody:\n%s", body)
	}
	path := filepath.Join(dir, datadir.Trace, trace.GradingsName)
	file, _, _, err := trace.OpenGradings(path)
	if err != nil {
		t.Fatal(err)
	}
	for n, right := range []float64{0.125, 0.25} { // the newest counts
		one := &trace.Grading{Group: r.Group(), Replies: trace.Replies(r.Episodes), Grader: trace.Grader{Name: "a <judge>", Version: "v2"}, Time: time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC)}
		for i, reward := range []*float64{&right, new(0.5), new(0.75), nil} {
			one.Grades = append(one.Grades, trace.Grade{Was: &r.Scores[i], Reward: reward, Why: []string{"", "", "<close>", "no verdict"}[i]})
		}
		err = errors.Join(err, file.Add(one))
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	_, body, _ := get(t, s, page)
	for _, want := range []string{
		"<dt>Graded anew<dd>by a &lt;judge&gt; v2 on 2026-01-02 03:04 UTC;", ">reward 1.000, graded anew 0.250</p>",
		">reward 0.000, graded anew 0.500; reward 0.000, graded anew 0.750: &lt;close&gt;</p>", ">reward 0.000, graded anew none: no verdict</p>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in\n%s", want, body)
		}
	}
	if err := os.WriteFile(path, []byte("no gradings at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := get(t, s, page); !strings.Contains(body, "<dt>Graded anew<dd>cannot be read: ") || !strings.Contains(body, "move it away") {
		t.Errorf("a damaged file is not told:\n%s", body)
	}
}
