package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
)

// root says what this is.
func (s *Server) root(c *call) {
	s.json(c, http.StatusOK, []byte(`{"message":"AtroposLib API"}`))
}

// register takes what a trainer says of itself. One that comes again, after a
// restart, is given again what it had and has not acknowledged.
func (s *Server) register(c *call) {
	r, err := decodeBody(s, c, atropos.DecodeRegistration)
	var by claim
	if err == nil {
		by, err = s.claimOf(c.r)
	}
	if err == nil {
		err = s.enroll(context.WithoutCancel(c.r.Context()), r, by.trainer)
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	s.json(c, http.StatusOK, fmt.Appendf(nil, `{"uuid":%d}`, newUUID()))
}

// enroll makes r the run's registration. The step never goes back: it counts the
// batches that were handed out, and what gives out work by it relies on that.
func (s *Server) enroll(ctx context.Context, r atropos.Registration, trainer string) error {
	s.trade.Lock()
	defer s.trade.Unlock()
	next := s.run.clone()
	first := !next.Registered
	if first || !s.config.Strict {
		if err := s.restate(ctx, next, r); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeBack(trainer)
	clear(s.reported)
	s.events.tell("trainer_registered", map[string]any{"trainer": trainer, "batch_size": s.run.BatchSize, "step": s.step})
	s.log.Info("a trainer registered", "run", s.name, "trainer", trainer, "batch_size", s.run.BatchSize, "step", s.step, "again", !first)
	return nil
}

// restate makes r what counts in the run from now on. s.trade is held.
func (s *Server) restate(ctx context.Context, next run, r atropos.Registration) error {
	step, open := max(s.step, r.StartingStep), s.open
	if !next.Registered {
		step = r.StartingStep
	}
	resized := next.Registered && next.BatchSize != r.BatchSize
	if resized {
		open = nil
	}
	next.Registered = true
	next.Group, next.Project = r.WandbGroup, r.WandbProject
	next.BatchSize, next.MaxTokens = r.BatchSize, r.MaxTokenLen
	next.Checkpoint, next.Interval, next.NumSteps = r.CheckpointDir, r.SaveCheckpointInterval, r.NumSteps
	if err := s.saveBatches(ctx, step, open); err != nil {
		return err
	}
	if resized {
		s.queue.ReleaseAll(consumer)
	}
	return s.saveRun(ctx, next)
}

// newUUID returns a random UUID of version 4 as a number.
func newUUID() *big.Int {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return new(big.Int).SetBytes(b[:])
}

// wandbInfo says under which names the run is logged.
func (s *Server) wandbInfo(c *call) {
	s.mu.RLock()
	r := s.run
	s.mu.RUnlock()
	if !r.Registered {
		s.json(c, http.StatusOK, []byte(`{"group":null,"project":null}`))
		return
	}
	body := atropos.AppendString([]byte(`{"group":`), r.Group)
	body = atropos.AppendString(append(body, `,"project":`...), r.Project)
	s.json(c, http.StatusOK, append(body, '}'))
}

// info says how large batches and sequences are.
func (s *Server) info(c *call) {
	s.mu.RLock()
	batch, tokens := s.run.batchSize(), -1
	if s.run.Registered {
		tokens = s.run.MaxTokens
	}
	s.mu.RUnlock()
	s.json(c, http.StatusOK, fmt.Appendf(nil, `{"batch_size":%d,"max_token_len":%d}`, batch, tokens))
}

// status says how far the run is.
func (s *Server) status(c *call) {
	waiting := s.account(time.Now()).groups
	s.json(c, http.StatusOK, fmt.Appendf(nil, `{"current_step":%d,"queue_size":%d}`, s.Step(), waiting))
}

// batch hands out the next batch.
func (s *Server) batch(c *call) {
	ctx := context.WithoutCancel(c.r.Context())
	started, err := s.start(ctx)
	if err != nil {
		s.fail(c, err)
		return
	}
	if !started {
		s.json(c, http.StatusOK, []byte(`{"status":"error","message":"Trainer not registered. Call /register first.","batch":[]}`))
		return
	}
	if c.r.Context().Err() != nil {
		return // nobody is there any more
	}
	by, err := s.claimOf(c.r)
	if err != nil {
		s.fail(c, err)
		return
	}
	by.next = true
	p, err := s.nextBatch(ctx, by)
	switch {
	case errors.Is(err, errNoBatch):
		s.json(c, http.StatusOK, []byte(`{"batch":null}`))
	case err != nil:
		s.fail(c, err)
	default:
		s.deliver(c, p, s.writeJSON)
	}
}

// start notes that the trainer has begun to ask for batches. It reports whether one
// has registered.
func (s *Server) start(ctx context.Context) (bool, error) {
	s.mu.RLock()
	registered, started := s.run.Registered, s.run.Started
	s.mu.RUnlock()
	if !registered || started {
		return registered, nil
	}
	s.trade.Lock()
	defer s.trade.Unlock()
	next := s.run.clone()
	next.Started = next.Registered
	return next.Registered, s.saveRun(ctx, next)
}

// latestExample shows the group that came last.
func (s *Server) latestExample(c *call) {
	g, err := s.newest(c.r.Context())
	switch {
	case err != nil:
		s.fail(c, err)
	case g == nil:
		var body []byte
		for i, key := range []string{"tokens", "masks", "scores", "advantages", "ref_logprobs",
			"generation_params", "inference_logprobs", "messages", "images"} {
			body = append(body, "{,"[min(i, 1)])
			body = append(strconv.AppendQuote(body, key), ":[]"...)
		}
		s.json(c, http.StatusOK, append(body, '}'))
	default:
		s.json(c, http.StatusOK, atropos.AppendGroup(nil, g))
	}
}

// reset forgets the run and all groups.
func (s *Server) reset(c *call) {
	if err := s.forget(context.WithoutCancel(c.r.Context())); err != nil {
		s.fail(c, err)
		return
	}
	s.text(c, http.StatusOK, "Reset successful")
}

// forget forgets the run and all groups.
func (s *Server) forget(ctx context.Context) error {
	s.trade.Lock()
	defer s.trade.Unlock()
	s.sorting.Lock()
	defer s.sorting.Unlock()
	if err := s.saveRun(ctx, run{}); err != nil {
		return err
	}
	s.mu.Lock()
	s.takeBack("") // replies under way change nothing any more
	clear(s.heard)
	clear(s.reported)
	s.mu.Unlock()
	if err := s.saveBatches(ctx, 0, nil); err != nil {
		return err
	}
	if err := s.queue.Reset(ctx); err != nil {
		return err
	}
	s.events.tell("reset", map[string]any{})
	s.log.Info("the run was reset", "run", s.name)
	return s.letGo(ctx, newHolding(nil))
}
