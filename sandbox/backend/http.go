package backend

import (
	"context"
	"errors"
	"net/http"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/sandbox"
)

// A Fault is a fault of a server, or of the way to it.
type Fault struct{ Err *httpclient.Error }

// Error names the server and the fault.
func (f *Fault) Error() string {
	text := "the sandbox: " + f.Err.Error()
	if f.Err.Status == http.StatusUnauthorized || f.Err.Status == http.StatusForbidden {
		text += "; is the key right (sandbox.key_file)?"
	}
	return text
}

// Unwrap returns the fault below.
func (f *Fault) Unwrap() error { return f.Err }

// Is reports whether target is [sandbox.ErrBusy], and the fault may pass.
func (f *Fault) Is(target error) bool { return target == sandbox.ErrBusy && f.Err.Temporary() }

// again reports whether another try may help: the server was away, failed, or had too much to do.
func again(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Err.Temporary()
}

// fault returns a fault of the server, whose answer cannot be read.
func (s *server) fault(err error) *Fault { return &Fault{&httpclient.Error{URL: s.url, Err: err}} }

// A request is what to ask, and the most bytes of the answer.
type request struct {
	method, path string
	body         []byte // JSON; nil: none
	most         int64
}

// call asks the server. An answer that tells of a fault, is cut or is too long is a [*Fault].
func (s *server) call(ctx context.Context, q request) ([]byte, error) {
	r, err := s.box.http.Request(ctx, q.method, s.url+q.path, q.body)
	if err != nil {
		return nil, err
	}
	reply, err := s.box.http.Do(r, q.most)
	if e, ok := errors.AsType[*httpclient.Error](err); ok {
		return nil, &Fault{e}
	}
	return reply.Body, nil
}
