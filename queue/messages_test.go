package queue

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// What is logged of a group that is set aside says when the queue tries again, if it does.
func TestSettingAsideIsLogged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		a     Unreadable
		again bool
	}{
		{"damaged", Unreadable{Why: errors.New("its sum is another")}, false},
		{"a disk that may recover", Unreadable{Why: ErrUnreadable, Again: time.Now()}, true},
	} {
		var log bytes.Buffer
		x := newIndex(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		x.exclude([]Unreadable{test.a})
		if strings.Contains(log.String(), " again=") != test.again || strings.Contains(log.String(), "0001-01-01") {
			t.Errorf("%s: %s", test.why, log.String())
		}
	}
}

// A store may be a folder: nothing says that a server is at fault.
func TestUnreachableStoreIsNoServer(t *testing.T) {
	t.Parallel()
	if text := ErrUnreachable.Error(); strings.Contains(text, "server") {
		t.Errorf("%q", text)
	}
}
