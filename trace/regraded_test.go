package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
)

// one is a group of two episodes of one turn, and a grading of it.
func one(n int, rewards ...float64) (*Record, *Grading) {
	r := &Record{Time: time.Unix(int64(n), 0), Problem: quintain.Problem{Task: "t", Version: 1, Index: n, Params: []byte("{}")}, Scores: []float64{1, 0}, Advantages: [][]float64{{1}, {-1}}}
	for i := range 2 {
		r.Episodes = append(r.Episodes, quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{{Reply: fmt.Sprint(i), Reward: r.Scores[i], Right: i == 0, Why: "old"}}})
	}
	g := &Grading{Group: r.Group(), Replies: Replies(r.Episodes), Grades: make([]Grade, 2), Scores: rewards}
	for i := range rewards {
		g.Grades[i] = Grade{Was: &r.Scores[i], Reward: &rewards[i], Right: rewards[i] > 0, Malformed: rewards[i] < 0, Why: "new"}
	}
	return r, g
}

// A record is read under its newest grading if that is asked for, and as it is otherwise.
func TestRecordsAreReadUnderTheirNewestGrading(t *testing.T) {
	dir := t.TempDir()
	w, err := NewWriter(dir, Head{}, Default())
	if err != nil {
		t.Fatal(err)
	}
	g, _, _, err := OpenGradings(filepath.Join(dir, GradingsName))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := OpenGradings(filepath.Join(dir, GradingsName)); !errors.Is(err, datadir.ErrInUse) {
		t.Errorf("two processes add to one file: error %v", err)
	}
	for n, rewards := range [][][]float64{{{0, 1}, {0.5, -1}}, {{0, 0}}, {}, {nil}} {
		r, _ := one(n)
		errs := []error{w.Write(r)}
		for _, of := range rewards {
			_, grading := one(n, of...)
			if n == 1 {
				grading.Replies = "of other replies"
			}
			if of == nil {
				grading.Grades[0].Why, grading.Grades[1].Why = "away", "away"
			}
			errs = append(errs, g.Add(grading))
		}
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range []bool{false, true} {
		want := []string{"[1 0] 1 true old scored 0 false old scored 2", "[1 0] 1 true old scored 0 false old scored 2", "[1 0] 1 true old scored 0 false old scored 2", "[1 0] 1 true old scored 0 false old scored 2"}
		if asked {
			want[0], want[3] = "[0.5 -1] 0.5 true new scored -1 false new model_failed 0", "[] 1 true old ungraded 0 false old ungraded 0"
			if err := r.Regrade(); err != nil || len(r.gradings) != 3 {
				t.Errorf("%d groups, error %v", len(r.gradings), err)
			}
		}
		for i, e := range r.Find(Query{}) {
			record, err := r.Read(e.Ref)
			if err != nil {
				t.Fatal(err)
			}
			a, b := &record.Episodes[0], &record.Episodes[1]
			if got := fmt.Sprintln(record.Scores, a.Reward(), a.Solved(), a.Turns[0].Why, a.Outcome, b.Reward(), b.Solved(), b.Turns[0].Why, b.Outcome, len(record.Advantages)); got != want[i]+"\n" {
				t.Errorf("asked %v, group %d: %s, want %s", asked, i, got, want[i])
			}
		}
	}
}

// Damage of the file of gradings costs the gradings there and is counted; an end that a killed process
// did not finish is cut off; none is misread.
func TestDamagedGradingsAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), GradingsName)
	g, _, _, err := OpenGradings(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		_, grading := one(n, 1, 0)
		if err := g.Add(grading); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += 1 + at/2%61 {
		for _, harm := range []func([]byte) []byte{func(b []byte) []byte { return b[:at] }, func(b []byte) []byte { b[at] ^= 16; return b }} {
			b := harm(bytes.Clone(whole))
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			g, have, lost, err := OpenGradings(path)
			if at < len(magic) && len(b) > 0 && !bytes.HasPrefix(b, []byte(magic)) {
				if !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d: error %v", at, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range have {
				if *one.Grades[0].Reward != 1 || *one.Grades[1].Reward != 0 || one.Grades[1].Why != "new" {
					t.Errorf("byte %d: misread as %+v", at, one)
				}
			}
			ends := len(b) < len(whole) // between two gradings, nothing shows
			if len(have) == 4 || lost == 0 && !ends {
				t.Errorf("byte %d of %d: %d gradings, %d lost", at, len(b), len(have), lost)
			}
			if err := errors.Join(g.Add(have0(have)), g.Close()); err != nil {
				t.Fatal(err)
			}
			again, now, lost, err := OpenGradings(path)
			if err != nil || len(now) != len(have)+1 {
				t.Fatalf("byte %d: then %d gradings and %d lost, error %v", at, len(now), lost, err)
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// have0 is a grading to add.
func have0(have []*Grading) *Grading {
	_, g := one(9, 1, 0)
	g.Grades[1].Why = "new"
	if len(have) > 0 {
		return have[0]
	}
	return g
}
