package hub

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
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
	s.log.Info("an environment registered", "env", id, "name", next.Envs[id].RealName, "group_size", r.GroupSize)
	return id, next, nil
}

// hear notes a sign of life of an environment, if id is one's.
func (s *Server) hear(id int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id >= 0 && int(id) < len(s.run.Envs) {
		s.heard[int(id)] = time.Now()
	}
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
	var st envStatus
	known := false
	s.queue.View(func(waiting []queue.Entry) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if known = id >= 0 && id < len(s.run.Envs); known {
			st = statusOf(&s.run, id, countSizes(s.held.others(waiting), len(s.run.Envs)))
		}
	})
	if !known {
		s.fail(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{"env_id"}, Msg: "no environment has this env_id"})
		return
	}
	s.hear(int32(id))
	body := fmt.Appendf(nil, `{"current_step":%d,"queue_size":%d,"unallocated_fraction":`, s.Step(), st.queue)
	body = atropos.AppendFloat(body, st.unallocated)
	body = fmt.Appendf(body, `,"self_queue_size":%d,"max_group_size":%d,"env_weight":`, st.own, st.largest)
	s.json(c, http.StatusOK, append(atropos.AppendFloat(body, st.weight), '}'))
}

// An envStatus is what /status-env tells.
type envStatus struct {
	queue       int     // groups of the environment's size that wait, its own and what others have beyond their minimum
	own         int     // groups of the environment's size that are its own
	largest     int     // sequences of the largest group that waits
	unallocated float64 // part of a batch that is no environment's minimum
	weight      float64 // the environment's part among all
}

// sizes is what waits from one environment.
type sizes struct{ sequences, largest int }

// countSizes adds up what waits by environment; the last place is for what comes
// from none that is known.
func countSizes(waiting []queue.Entry, envs int) []sizes {
	all := make([]sizes, envs+1)
	for i := range waiting {
		e := &waiting[i]
		at := envs
		if e.EnvID >= 0 && int(e.EnvID) < envs {
			at = int(e.EnvID)
		}
		all[at].sequences += e.Sequences
		all[at].largest = max(all[at].largest, e.Sequences)
	}
	return all
}

// statusOf computes what the environment of the given id is told.
func statusOf(r *run, id int, waiting []sizes) envStatus {
	e := &r.Envs[id]
	st := envStatus{largest: 1}
	total, allocated := 0.0, 0.0
	for i := range r.Envs {
		if other := &r.Envs[i]; other.Connected || i == id {
			total += float64(other.MaxTokens) * max(0, other.Weight)
			if other.Minimum != nil && other.Connected {
				allocated += *other.Minimum
			}
		}
	}
	st.unallocated = 1 - min(1, allocated)
	st.weight = 0.01
	if total > 0 {
		st.weight = max(st.weight, float64(e.MaxTokens)*e.Weight/total)
	}
	for _, w := range waiting {
		st.largest = max(st.largest, w.largest)
	}
	size := max(1, e.GroupSize, waiting[id].largest)
	st.own = waiting[id].sequences / size
	st.queue = (waiting[id].sequences + available(r, id, waiting, st.largest)) / size
	return st
}

// available is the number of sequences of other environments beyond their minimum
// part of a batch, in groups of the largest size.
func available(r *run, id int, waiting []sizes, largest int) int {
	if largest <= 1 {
		return 0
	}
	sum := 0
	for other, w := range waiting {
		if other == id {
			continue
		}
		packed, least := (w.sequences+largest-1)/largest*largest, 0
		if other < len(r.Envs) && r.Envs[other].Minimum != nil {
			least = int(float64(r.BatchSize) * *r.Envs[other].Minimum)
		}
		sum += max(0, packed-least)
	}
	return sum
}
