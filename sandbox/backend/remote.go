package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/sandbox"
)

// NameRemote is the name of the back end.
const NameRemote = "remote"

// A RemoteConfig names servers. URLs is required; the zero value of every other field is fine.
type RemoteConfig struct {
	URLs  []string // such as "http://10.0.0.7:8080"
	Key   string   // sent as a bearer token; empty: none. No error contains it.
	Trust bool     // run programs on servers that do not say what holds there

	InFlight int           // jobs at the same time on each server; others wait; 0: 64
	Wait     time.Duration // for an answer, beyond the wall limit of the job; 0: one minute
	Within   time.Duration // how long a job is tried again after its first fault; 0: two minutes

	Transport http.RoundTripper // nil: a pool of connections
}

// A Remote is the sandboxes of several servers.
type Remote struct {
	config RemoteConfig
	http   *httpclient.Client

	mu      sync.Mutex
	servers []*server
	freed   chan struct{} // full: a server has a place again
}

var (
	_ sandbox.Sandbox = (*Remote)(nil)
	_ sandbox.Opener  = (*Remote)(nil)
)

// NewRemote returns the sandboxes of servers, without contacting them. The caller must Close it.
func NewRemote(c RemoteConfig) (*Remote, error) {
	if len(c.URLs) == 0 {
		return nil, errors.New("the remote sandbox has no address: want one like http://127.0.0.1:8080")
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the key of the remote sandbox has a character that no header can carry; is it a line end?")
	}
	fill(&c.InFlight, 64)
	fill(&c.Wait, time.Minute)
	fill(&c.Within, 2*time.Minute)
	b := &Remote{config: c, freed: make(chan struct{}, 1)}
	b.http = httpclient.New(httpclient.Config{Key: c.Key, Connections: c.InFlight, Idle: time.Minute, Transport: c.Transport})
	for _, text := range c.URLs {
		u, err := httpclient.ParseURL(text)
		if err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
			err = errors.New("has a user name, a query or a fragment, want one such as http://127.0.0.1:8080 (sandbox.key_file names a file with a key)")
		}
		if err != nil {
			return nil, fmt.Errorf("the address of a remote sandbox %w", err)
		}
		b.servers = append(b.servers, &server{box: b, url: strings.TrimRight(text, "/")})
	}
	return b, nil
}

// fill replaces zero by a default.
func fill[N ~int | ~int64](n *N, def N) {
	if *n <= 0 {
		*n = def
	}
}

// Close closes idle connections.
func (b *Remote) Close() error {
	b.http.CloseIdle()
	return nil
}

// Probe asks all servers what holds there. The pool lacks what one of them lacks. A server that is
// away lacks nothing, because nothing runs there; if all are, that is an error.
func (b *Remote) Probe(ctx context.Context) (sandbox.Strength, error) {
	type answer struct {
		strength sandbox.Strength
		err      error
	}
	answers := make([]answer, len(b.servers))
	var group sync.WaitGroup
	for i, s := range b.servers {
		group.Go(func() {
			s.forget()
			answers[i].strength, answers[i].err = s.look(ctx)
		})
	}
	group.Wait()
	all := sandbox.Strength{Backend: NameRemote}
	var faults []error
	lacks := map[string]bool{}
	for i, s := range b.servers {
		layer := sandbox.Layer{Name: s.url, Holds: answers[i].err == nil && len(answers[i].strength.Lacks) == 0}
		if err := answers[i].err; err != nil {
			faults = append(faults, err)
			layer.Note = err.Error()
		} else {
			layer.Note = told(answers[i].strength)
		}
		all.Layers = append(all.Layers, layer)
		for _, lack := range answers[i].strength.Lacks {
			if !lacks[lack] {
				all.Lacks = append(all.Lacks, lack)
			}
			lacks[lack] = true
		}
	}
	if len(faults) == len(b.servers) {
		return sandbox.Strength{}, errors.Join(faults...)
	}
	return all, nil
}

// told is a strength in a line.
func told(s sandbox.Strength) string {
	var names []string
	for _, l := range s.Layers {
		if l.Holds {
			names = append(names, l.Name)
		}
	}
	return s.Backend + ": " + strings.Join(names, ", ")
}

// Run runs a job on a server. See [sandbox.Sandbox].
func (b *Remote) Run(ctx context.Context, job sandbox.Job) (result sandbox.Result, err error) {
	if err := job.Limits.Check(); err != nil {
		return sandbox.Result{}, err
	}
	if err := job.Check(); err != nil {
		return refused(err)
	}
	job.Limits = job.Limits.Filled()
	err = b.try(ctx, job.Limits.Wall, func(ctx context.Context, s *server, is kind) (err error) {
		if is == fusion {
			result, err = s.runFusion(ctx, job)
		} else {
			result, err = s.runJob(ctx, job)
		}
		return err
	})
	if err != nil {
		return sandbox.Result{}, err
	}
	return result, nil
}

// try has do ask servers, one after another, until one answers.
func (b *Remote) try(ctx context.Context, wall time.Duration, do func(ctx context.Context, s *server, is kind) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	var last error
	for tries, end := 0, time.Now().Add(b.config.Within); ; tries++ {
		s, err := b.take(ctx, end)
		if err != nil {
			return errors.Join(err, last)
		}
		before := last
		last = s.ask(ctx, wall, do)
		b.give(s, last, ctx.Err() != nil)
		if before == nil { // the job itself may have taken long
			end = time.Now().Add(b.config.Within)
		}
		switch {
		case last == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %w", context.Cause(ctx), last)
		case !again(last):
			return last
		case time.Now().After(end):
			return fmt.Errorf("%w (%d attempts)", last, tries+1)
		}
	}
}

// ask has do ask a server, if that keeps the promises of the floor.
func (s *server) ask(ctx context.Context, wall time.Duration, do func(ctx context.Context, s *server, is kind) error) error {
	ctx, cancel := httpclient.Within(ctx, wall+s.box.config.Wait)
	defer cancel()
	strength, err := s.look(ctx)
	if err != nil {
		return err
	}
	if err := strength.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.url, err)
	}
	return do(ctx, s, s.known().kind)
}

// refused is the result of an invalid job.
func refused(err error) (sandbox.Result, error) {
	return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
}
