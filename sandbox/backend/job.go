package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// answerOf is the most bytes of an answer about a program with limits: two outputs and all of its
// files, in base64.
func answerOf(l sandbox.Limits, fetched bool) int64 {
	bytes := 2 * l.Output
	if fetched {
		bytes += l.Disk
	}
	return bytes/3*4 + most
}

// post sends a form, and reads the answer.
func (s *server) post(ctx context.Context, path string, form any, most int64) (a Answer, err error) {
	body, err := json.Marshal(form)
	if err != nil {
		return a, err
	}
	text, err := s.call(ctx, request{http.MethodPost, path, body, most})
	if err != nil {
		return a, err
	}
	if err := strictjson.Unmarshal(text, &a); err != nil {
		return a, s.fault(fmt.Errorf("%s: %w", path, err))
	}
	return a, nil
}

// runJob runs a job on a Quintain.
func (s *server) runJob(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	a, err := s.post(ctx, PathRun, OfJob(job), answerOf(job.Limits, len(job.Fetch) > 0))
	if err != nil {
		return sandbox.Result{}, err
	}
	return s.read(a)
}

// read reads the result of an answer.
func (s *server) read(a Answer) (sandbox.Result, error) {
	if err := a.Err(); err != nil {
		return sandbox.Result{}, fmt.Errorf("the sandbox at %s: %w", s.url, err)
	}
	result, err := a.Read()
	if err != nil {
		return sandbox.Result{}, s.fault(err)
	}
	return result, nil
}

// Open opens a session on a Quintain. See [sandbox.Opener].
func (b *Remote) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	if err := spec.Limits.Check(); err != nil {
		return nil, err
	}
	limits := spec.Limits.Filled()
	var opened *session
	err := b.try(ctx, limits.Wall, func(ctx context.Context, s *server, is kind) error {
		if is == fusion {
			return fmt.Errorf("%s: SandboxFusion has no sessions, which quintain sandbox serve has", s.url)
		}
		a, err := s.post(ctx, PathSessions, OfSpec(spec), most)
		if err != nil {
			return err
		}
		if err := a.Err(); err != nil {
			return fmt.Errorf("the sandbox at %s: %w", s.url, err)
		}
		if a.ID == "" {
			return s.fault(fmt.Errorf("%s: the ID of a session is missing", PathSessions))
		}
		opened = &session{server: s, path: PathSessions + "/" + a.ID, limits: limits}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// A session is one on a server.
type session struct {
	server *server
	path   string
	limits sandbox.Limits

	mu   sync.Mutex // held while a cell runs
	over bool
}

// Run runs a cell, once: nobody knows what one did whose answer was lost. See [sandbox.Session].
func (s *session) Run(ctx context.Context, cell string, limits sandbox.Limits) (sandbox.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return sandbox.Result{}, sandbox.ErrOver
	}
	if err := limits.Check(); err != nil {
		return sandbox.Result{}, err
	}
	within := s.limits
	if limits.Output > 0 {
		within.Output = limits.Output
	}
	if limits.Wall > 0 || limits.CPU > 0 {
		within.Wall = limits.Filled().Wall
	}
	ctx, cancel := httpclient.Within(ctx, max(within.Wall, s.limits.Wall)+s.server.box.config.Wait)
	defer cancel()
	a, err := s.server.post(ctx, s.path, Cell{Code: []byte(cell), Limits: limits}, answerOf(within, false))
	var result sandbox.Result
	if err == nil {
		result, err = s.server.read(a)
	}
	s.over = s.over || err != nil || result.Over
	return result, err
}

// closing is how long a server may take to end a session.
const closing = 10 * time.Second

// Close ends the session. If its server is away, it ends there by itself, as one that is idle.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	ctx, cancel := httpclient.Within(context.Background(), closing)
	defer cancel()
	_, err := s.server.call(ctx, request{method: http.MethodDelete, path: s.path, most: most})
	return err
}
