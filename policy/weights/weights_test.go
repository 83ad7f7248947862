package weights_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/weights"
)

// records stores nothing of its own.
type records struct {
	text  []byte
	fails error
}

func (r *records) State(context.Context, string) ([]byte, error) { return r.text, r.fails }

func (r *records) SetState(_ context.Context, _ string, text []byte) error {
	if r.fails == nil {
		r.text = text
	}
	return r.fails
}

func TestAVersionNeverFalls(t *testing.T) {
	kept := &records{}
	v, err := weights.Open(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	for _, test := range []struct {
		why   string
		told  int32
		disk  error
		falls bool
		now   int32
	}{
		{"nobody has told it, and -1 tells nothing", -1, nil, true, weights.Unknown},
		{"the first weights", 0, nil, false, 0},
		{"it may leap", 7, nil, false, 7},
		{"again, as after a lost reply", 7, nil, false, 7},
		{"it does not fall", 6, nil, true, 7},
		{"an unsaved version does not count", 8, full, false, 7},
		{"and may be told again", 8, nil, false, 8},
		{"the highest", 1<<31 - 1, nil, false, 1<<31 - 1},
	} {
		kept.fails = test.disk
		before, changed := v.Now(), v.Changed()
		err := v.Tell(t.Context(), test.told)
		_, falls := errors.AsType[*weights.FallError](err)
		if falls != test.falls || !falls && !errors.Is(err, test.disk) {
			t.Errorf("%s: error %v", test.why, err)
		}
		woken := false
		select {
		case <-changed:
			woken = true
		default:
		}
		if now := v.Now(); now != test.now || woken != (now != before) {
			t.Errorf("%s: version %d, woken %t; want %d, and to be woken by changes alone", test.why, now, woken, test.now)
		}
		kept.fails = nil
		if again, err := weights.Open(t.Context(), kept); err != nil || again.Now() != test.now {
			t.Errorf("%s: after a restart %v, error %v, want %d", test.why, again, err, test.now)
		}
	}
	if err := v.Forget(t.Context()); err != nil || v.Now() != weights.Unknown {
		t.Errorf("after Forget the version is %d, error %v", v.Now(), err)
	}
	if err := v.Tell(t.Context(), 1); err != nil {
		t.Errorf("another run tells 1: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"format":1,"version":3}`, "<nil>"},
		{`{`, "unexpected end"},
		{`{"format":2,"version":3}`, "this program reads format 1"},
		{`{"format":1,"version":-2}`, "want -1 or more"},
		{`{"format":1,"version":4294967296}`, "cannot unmarshal"},
	} {
		_, err := weights.Open(t.Context(), &records{text: []byte(test.text)})
		if !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
	}
}
