package service

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/serve/sessions"
)

// maxBody limits the bytes of a request.
const maxBody = 256 << 20

// limits are the most that a job may ask for.
func limits() sandbox.Limits {
	return sandbox.Limits{
		CPU: 30 * time.Minute, Wall: 2 * time.Hour, Memory: 1 << 40, Output: 64 << 20, FileSize: 1 << 30, Disk: 1 << 30,
		Files: 100_000, Processes: 4096, Threads: 1 << 16, Open: 1 << 16,
	}
}

// A Server answers the requests. Many goroutines may use it.
type Server struct {
	gate     *Gate
	sessions *sessions.Table[sandbox.Session] // a session's Close ends its cells
	lost     lost
}

// New returns a server of jobs and sessions. At most so many sessions are open, and one that is idle
// for that time ends. The caller must Close the server, and then the sandbox of the gate.
func NewServer(gate *Gate, most int, idle time.Duration) *Server {
	limits := sessions.Limits{Most: most, Idle: idle, Full: errMany}
	return &Server{gate: gate, sessions: sessions.New[sandbox.Session](limits), lost: lost{byStatus: map[int]int64{}}}
}

// errMany says that no more sessions may be open.
var errMany = fmt.Errorf("%w: as many sessions are open as may be", sandbox.ErrBusy)

// Routes returns the routes.
func (s *Server) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodGet, Path: backend.PathStrength, For: web.AnyKey, Serve: s.strength},
		{Method: http.MethodPost, Path: backend.PathRun, For: web.AnyKey, Serve: call(s.run)},
		{Method: http.MethodPost, Path: backend.PathSessions, For: web.AnyKey, Serve: call(s.open)},
		{Method: http.MethodPost, Path: backend.PathSessions + "/{id}", For: web.AnyKey, Serve: call(s.cell)},
		{Method: http.MethodDelete, Path: backend.PathSessions + "/{id}", For: web.AnyKey, Serve: s.end},
	}
}

// Close ends all sessions. No request may be under way, and none may come.
func (s *Server) Close() error { return s.sessions.Close() }

// strength tells what holds here.
func (s *Server) strength(c *web.Call) error {
	strength, err := s.gate.Probe(c.Context())
	if err != nil {
		return web.Errorf(http.StatusServiceUnavailable, "%v", err)
	}
	return reply(c, backend.OfStrength(strength))
}

// reply writes an answer.
func reply(c *web.Call, form any) error {
	text, err := json.Marshal(form)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// call reads a request, has do answer it, and writes the answer.
func call[Q any](do func(c *web.Call, q Q) (backend.Answer, error)) func(c *web.Call) error {
	return func(c *web.Call) error {
		c.MaxBody, c.Waits = maxBody, true
		q, err := web.ReadBody(c, func(body []byte) (q Q, err error) {
			if err := strictjson.Unmarshal(body, &q); err != nil {
				return q, web.Errorf(http.StatusUnprocessableEntity, "%v", err)
			}
			return q, nil
		})
		if err != nil {
			return err
		}
		answer, err := do(c, q)
		if err != nil {
			return refusal(c.Context(), err)
		}
		return reply(c, answer)
	}
}

// refusal gives an error its status: 504 to one that may not come again.
func refusal(ctx context.Context, err error) error {
	_, ok := errors.AsType[*web.Error](err)
	switch {
	case ok:
		return err
	case errors.Is(err, sandbox.ErrBusy), ctx.Err() != nil:
		return web.Errorf(http.StatusGatewayTimeout, "%v", err)
	}
	return web.Errorf(http.StatusServiceUnavailable, "%v", err)
}

// answer is the answer of a result, or of an error that has a form.
func answer(result sandbox.Result, err error) (backend.Answer, error) {
	if err == nil {
		return backend.Answer{Result: backend.OfResult(result)}, nil
	}
	if a, has := backend.OfError(err); has {
		return a, nil
	}
	return backend.Answer{}, err
}

// run answers PathRun.
func (s *Server) run(c *web.Call, q backend.Job) (backend.Answer, error) {
	if why := refused(q.Limits); why != "" {
		return backend.Answer{Fault: backend.Invalid, Detail: why}, nil
	}
	return answer(s.gate.Run(c.Context(), q.Job()))
}

// open answers PathSessions.
func (s *Server) open(c *web.Call, q backend.Spec) (backend.Answer, error) {
	if why := refused(q.Limits); why != "" {
		return backend.Answer{Fault: backend.Invalid, Detail: why}, nil
	}
	spec := q.Spec()
	if err := (sandbox.Job{Argv: []string{"cells"}, Files: spec.Files, Limits: spec.Limits}).Check(); err != nil {
		return invalid(err)
	}
	id := rand.Text()
	switch err := s.sessions.Open(id, c.Owner, func() (sandbox.Session, error) { return s.gate.Open(c.Context(), spec) }); {
	case errors.Is(err, errNoSessions):
		return invalid(err)
	case err != nil:
		return answer(sandbox.Result{}, err)
	}
	return backend.Answer{ID: id}, nil
}

// invalid is the answer to a request that is at fault itself.
func invalid(err error) (backend.Answer, error) {
	return backend.Answer{Fault: backend.Invalid, Detail: err.Error()}, nil
}

// cell answers a cell of a session.
func (s *Server) cell(c *web.Call, q backend.Cell) (backend.Answer, error) {
	if why := refused(q.Limits); why != "" {
		return backend.Answer{Fault: backend.Invalid, Detail: why}, nil
	}
	var result sandbox.Result
	ok, err := s.sessions.Call(c.Param("id"), c.Owner, func(of sandbox.Session) (over bool, err error) {
		result, err = of.Run(c.Context(), string(q.Code), q.Limits)
		return false, err
	})
	if !ok {
		err = sandbox.ErrOver
	}
	return answer(result, err)
}

// end ends a session.
func (s *Server) end(c *web.Call) error {
	if err := s.sessions.End(c.Param("id"), c.Owner); err != nil {
		return web.Errorf(http.StatusServiceUnavailable, "%v", err)
	}
	return c.JSON(http.StatusOK, []byte(`{}`))
}

// refused says why limits are not allowed; empty: they are.
func refused(l sandbox.Limits) string {
	if err := l.Check(); err != nil {
		return err.Error()
	}
	l, most := l.Filled(), limits()
	if l.CPU > most.CPU || l.Wall > most.Wall || l.Memory > most.Memory || l.Output > most.Output || l.FileSize > most.FileSize || l.Disk > most.Disk ||
		l.Files > most.Files || l.Processes > most.Processes || l.Threads > most.Threads || l.Open > most.Open {
		return "a limit is larger than this server allows"
	}
	return ""
}
