package external

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestLongLinesAreCutOrRefused(t *testing.T) {
	var got []string
	l := &Lines{Most: 4, Take: func(line []byte) error {
		got = append(got, string(line))
		return nil
	}}
	for _, text := range []string{"ab", "c\n\n  \n123456789\nx"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: wrote %d, error %v", text, n, err)
		}
	}
	if err := l.Flush(); err != nil {
		t.Error(err)
	}
	if want := []string{"abc", "1234", "5678", "9", "x"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	long := errors.New("long")
	l.Long = func() error { return long }
	if _, err := l.Write([]byte("1234\n12345")); !errors.Is(err, long) {
		t.Errorf("error %v", err)
	}
}

// FuzzAnswers writes a program's output in two pieces. The lines must be those of the text,
// no answer may panic, and every reward must be finite.
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"messages":[{"role":"user","content":"a"}]}`, `{"id":1,"reward":0.5,"right":true,"end":"terminated"}`, "debug\n\n",
		`{"id":1,"hello":{"protocol":1,"name":"a","version":1,"levels":[{}],"settings":{}}}` + "\n" + `{"id":2,"error":"a"}`, `{"id":1,"reward":1e308,"messages":[null]}`,
		`{"id":0,"hello":{"protocol":1,"name":"a","version":1,"levels":[null],"settings":[]}}`, `[[[[`, `"\"[`,
	} {
		f.Add([]byte(text), 7)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		var got [][]byte
		l := &Lines{Most: 1 << 20, Take: func(line []byte) error {
			got = append(got, bytes.Clone(line))
			return nil
		}}
		at = min(max(0, at), len(text))
		for _, part := range [][]byte{text[:at], text[at:], []byte("\n")} {
			if _, err := l.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		var want [][]byte
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				want = append(want, line)
			}
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("lines %q, want %q", got, want)
		}
		for _, line := range got {
			checkAnswer(t, line)
		}
	})
}

// checkAnswer reads a line as each kind of answer.
func checkAnswer(t *testing.T, line []byte) {
	a, err := readAnswer(line)
	if err != nil {
		return
	}
	if err := a.isHello(); err == nil && (a.Hello.Parallel < 1 || a.Hello.id() == "") {
		t.Errorf("hello %+v", a.Hello)
	}
	if talk, err := a.opening(); err == nil && len(talk) == 0 {
		t.Error("an episode opens without a message")
	}
	s, err := a.step()
	switch {
	case err != nil:
	case math.IsNaN(s.Reward) || math.IsInf(s.Reward, 0):
		t.Errorf("reward %v", s.Reward)
	case (s.End == quintain.Going) != (len(s.Observe) > 0):
		t.Errorf("step %+v", s)
	}
}
