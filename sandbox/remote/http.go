package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/sandbox"
)

// A Fault is a fault of a server, or of the way to it.
type Fault struct {
	URL    string
	Status int // of HTTP; 0: there was no answer, or none that could be read
	Err    error
}

// Error names the server and the fault.
func (f *Fault) Error() string {
	text := "the sandbox at " + f.URL
	if f.Status != 0 {
		text += fmt.Sprintf(": HTTP %d %s", f.Status, http.StatusText(f.Status))
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	switch {
	case f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden:
		text += "; is the key right (sandbox.key_file)?"
	case f.Status >= 300 && f.Status < 400:
		text += "; redirects are not followed: use the address it points to"
	}
	return text
}

// Unwrap returns the fault below.
func (f *Fault) Unwrap() error { return f.Err }

// Is reports whether target is [sandbox.ErrBusy], and the fault may pass.
func (f *Fault) Is(target error) bool { return target == sandbox.ErrBusy && again(f) }

// again reports whether another try may help: the server was away, failed, or had too much to do.
func again(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && (f.Status < 300 || f.Status >= 500 || f.Status == http.StatusRequestTimeout || f.Status == http.StatusTooManyRequests)
}

// fault returns a fault of the server.
func (s *server) fault(status int, err error) *Fault { return &Fault{s.url, status, err} }

// A request is what to ask, and the most bytes of the answer.
type request struct {
	method, path string
	body         []byte // JSON; nil: none
	most         int64
}

// call asks the server. Any answer but 200, and one that is cut or too long, is a [*Fault].
func (s *server) call(ctx context.Context, q request) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, s.url+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.box.config.Key != "" {
		r.Header.Set("Authorization", "Bearer "+s.box.config.Key)
	}
	answer, err := s.box.http.Do(r)
	if err != nil {
		return nil, s.fault(0, cause(ctx, err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000)) // what there is of it
		return nil, s.fault(answer.StatusCode, s.said(text))
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, q.most+1))
	if err != nil {
		return nil, s.fault(0, cause(ctx, err))
	}
	if int64(len(text)) > q.most {
		return nil, s.fault(0, fmt.Errorf("its answer has more than %d bytes", q.most))
	}
	return text, nil
}

// cause is the reason why ctx ended, if that is why a request failed.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// said is what a server said, without our key.
func (s *server) said(text []byte) error {
	line := strings.TrimSpace(string(text))
	if line == "" {
		return nil
	}
	if s.box.config.Key != "" {
		line = strings.ReplaceAll(line, s.box.config.Key, "KEY")
	}
	if !utf8.ValidString(line) {
		line = fmt.Sprintf("%q", line)
	}
	return errors.New(line)
}
