package hub

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
)

// registerEnv takes what an environment says of itself, once the trainer has begun.
func (s *Server) registerEnv(c *call) {
	r, err := decodeBody(s, c, atropos.DecodeEnvRegistration)
	if err != nil {
		s.fail(c, err)
		return
	}
	id, next, err := s.admit(context.WithoutCancel(c.r.Context()), r)
	if err != nil {
		s.fail(c, err)
		return
	}
	if id < 0 {
		s.json(c, http.StatusOK, []byte(`{"status":"wait for trainer to start"}`))
		return
	}
	body := fmt.Appendf(nil, `{"status":"success","env_id":%d,"wandb_name":`, id)
	body = atropos.AppendString(body, next.Envs[id].RealName)
	body = atropos.AppendString(append(body, `,"checkpoint_dir":`...), next.Checkpoint)
	s.json(c, http.StatusOK, fmt.Appendf(body, `,"starting_step":%d,"checkpoint_interval":%d,"num_steps":%d}`,
		s.Step(), next.Interval, next.NumSteps))
}

// admit gives an environment its id and name; the id is -1 while the trainer has not
// begun.
func (s *Server) admit(ctx context.Context, r atropos.EnvRegistration) (id int, next run, err error) {
	s.mu.RLock()
	started := s.run.Started
	s.mu.RUnlock()
	if !started {
		return -1, next, nil
	}
	s.trade.Lock()
	defer s.trade.Unlock()
	next = s.run.clone()
	if !next.Started {
		return -1, next, nil
	}
	namesakes := 0
	for _, e := range next.Envs {
		if e.DesiredName == r.DesiredName {
			namesakes++
		}
	}
	id = len(next.Envs)
	next.Envs = append(next.Envs, env{
		MaxTokens:   r.MaxTokenLength,
		Weight:      r.Weight,
		DesiredName: r.DesiredName,
		RealName:    fmt.Sprintf("%s_%d", r.DesiredName, namesakes),
		Connected:   true,
		Minimum:     r.MinBatchAllocation,
		GroupSize:   r.GroupSize,
	})
	if err := s.saveRun(ctx, next); err != nil {
		return 0, next, err
	}
	s.hear(int32(id))
	s.events.tell("env_registered", map[string]any{"env_id": id, "name": next.Envs[id].RealName})
	s.log.Info("an environment registered", "env", id, "name", next.Envs[id].RealName, "group_size", r.GroupSize)
	return id, next, nil
}

// hear notes a sign of life of an environment, if id is one's.
func (s *Server) hear(id int32) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if id < 0 || int(id) >= len(s.run.Envs) {
		return
	}
	if !s.alive(int(id), now) {
		s.changes++
	}
	s.heard[int(id)] = now
}

// alive reports whether an environment is connected: it has not said that it goes, and
// it gave a sign of life of late. s.mu is held.
func (s *Server) alive(id int, now time.Time) bool {
	return s.run.Envs[id].Connected && now.Sub(s.heard[id]) <= s.config.EnvTimeout
}

// disconnectEnv notes that an environment has gone. What is held of it will not be
// made up any more, and may be packed as it is.
func (s *Server) disconnectEnv(c *call) {
	id, err := decodeBody(s, c, atropos.DecodeEnvID)
	if err != nil {
		s.fail(c, err)
		return
	}
	known, err := s.dismiss(context.WithoutCancel(c.r.Context()), id)
	switch {
	case err != nil:
		s.fail(c, err)
	case !known:
		s.json(c, http.StatusOK, []byte(`{"status":"failure","error":"no environment has this env_id"}`))
	default:
		s.json(c, http.StatusOK, []byte(`{"status":"success"}`))
	}
}

func (s *Server) dismiss(ctx context.Context, id int) (known bool, err error) {
	s.trade.Lock()
	defer s.trade.Unlock()
	next := s.run.clone()
	if id < 0 || id >= len(next.Envs) {
		return false, nil
	}
	next.Envs[id].Connected = false
	if err := s.saveRun(ctx, next); err != nil {
		return true, err
	}
	s.events.tell("env_disconnected", map[string]any{"env_id": id})
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake()
	}()
	s.sorting.Lock()
	defer s.sorting.Unlock()
	ids := s.held.ids(int32(id))
	if len(ids) == 0 {
		return true, nil
	}
	return true, s.letGo(ctx, s.held.without(ids...))
}

// statusEnv tells an environment how much of its work waits.
func (s *Server) statusEnv(c *call) {
	id, err := decodeBody(s, c, atropos.DecodeEnvID)
	if err != nil {
		s.fail(c, err)
		return
	}
	s.hear(int32(min(max(id, -1), math.MaxInt32)))
	st, known := s.envStatus(id)
	if !known {
		s.fail(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{"env_id"}, Msg: "no environment has this env_id"})
		return
	}
	body := fmt.Appendf(nil, `{"current_step":%d,"queue_size":%d,"unallocated_fraction":`, s.Step(), st.queue)
	body = atropos.AppendFloat(body, st.unallocated)
	body = fmt.Appendf(body, `,"self_queue_size":%d,"max_group_size":%d,"env_weight":`, st.own, st.largest)
	s.json(c, http.StatusOK, append(atropos.AppendFloat(body, st.weight), '}'))
}
