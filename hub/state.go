package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// The records in which a hub keeps itself, beside the groups of its queue.
const (
	runKey     = "hub-run"
	batchesKey = "hub-batches"
	holdingKey = "hub-holding"

	stateVersion = 1
)

// A run is what the trainer and the environments have said of themselves.
type run struct {
	Version    int    `json:"version"`
	Registered bool   `json:"registered"` // the trainer has
	Started    bool   `json:"started"`    // it has asked for a batch, so environments may register
	Group      string `json:"wandb_group"`
	Project    string `json:"wandb_project"`
	BatchSize  int    `json:"batch_size"`
	MaxTokens  int    `json:"max_token_len"`
	Checkpoint string `json:"checkpoint_dir"`
	Interval   int    `json:"save_checkpoint_interval"`
	NumSteps   int    `json:"num_steps"`
	Envs       []env  `json:"envs"` // by their id
}

// An env is an environment.
type env struct {
	MaxTokens   int      `json:"max_context_len"`
	Weight      float64  `json:"weight"`
	DesiredName string   `json:"desired_name"`
	RealName    string   `json:"real_name"`
	Connected   bool     `json:"connected"`
	Minimum     *float64 `json:"min_batch_allocation"` // part of each batch; nil: none
	GroupSize   int      `json:"group_size"`
}

// batchSize is the number of sequences in a batch, -1 before a trainer registers.
func (r *run) batchSize() int {
	if !r.Registered {
		return -1
	}
	return r.BatchSize
}

// clone returns a copy that shares nothing that changes.
func (r *run) clone() run {
	c := *r
	c.Envs = slices.Clone(r.Envs)
	return c
}

// batches is the record of the batches that are not acknowledged.
type batches struct {
	Version int        `json:"version"`
	Step    int        `json:"step"`
	Open    [][]uint64 `json:"open"`    // sequence numbers of the groups of each, oldest batch first
	Numbers []uint64   `json:"numbers"` // of the batches; absent in a record of the first program that wrote such
	Next    uint64     `json:"next"`    // number of the last batch that was formed
	Acked   []uint64   `json:"acked"`   // numbers of the last batches that were acknowledged
}

// save keeps a record.
func (s *Server) save(ctx context.Context, key string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	return s.queue.SetState(ctx, key, text)
}

// read reads a record; one that was never kept leaves it as it is.
func (s *Server) read(ctx context.Context, key string, record any) error {
	text, err := s.queue.State(ctx, key)
	if err != nil || text == nil {
		return err
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	if head.Version != stateVersion {
		return fmt.Errorf("state %s: has version %d, and this program reads version %d", key, head.Version, stateVersion)
	}
	if err := json.Unmarshal(text, record); err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	return nil
}

// saveRun keeps next, and makes it the run. s.trade is held.
func (s *Server) saveRun(ctx context.Context, next run) error {
	next.Version = stateVersion
	if err := s.save(ctx, runKey, next); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = next
	s.changes++
	return nil
}

// saveBatches keeps step and open, and makes them the server's. Batches without a
// number get theirs. s.trade is held.
func (s *Server) saveBatches(ctx context.Context, step int, open []*delivery) error {
	next := s.next
	record := batches{Version: stateVersion, Step: step, Open: make([][]uint64, len(open)), Numbers: make([]uint64, len(open))}
	for i, d := range open {
		if d.number == 0 {
			next++
			d.number = next
		}
		record.Open[i], record.Numbers[i] = d.seqs, d.number
	}
	record.Next = next
	s.mu.RLock()
	record.Acked = s.acked.list()
	s.mu.RUnlock()
	if err := s.save(ctx, batchesKey, record); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setStep(step)
	s.open = open
	s.next = next
	return nil
}

// load reads the state of an earlier server, and takes up where it ended: batches
// that were not acknowledged are due again.
func (s *Server) load(ctx context.Context) error {
	var past batches
	if err := s.read(ctx, runKey, &s.run); err != nil {
		return err
	}
	if err := s.read(ctx, batchesKey, &past); err != nil {
		return err
	}
	if err := s.loadHeld(ctx); err != nil {
		return err
	}
	s.step, s.next = past.Step, past.Next
	for _, number := range past.Acked {
		s.acked.put(number)
	}
	for i, seqs := range past.Open {
		d := &delivery{seqs: seqs, out: true}
		if i < len(past.Numbers) {
			d.number = past.Numbers[i]
		} else {
			s.next++
			d.number = s.next
		}
		if err := s.reclaim(ctx, d); err != nil {
			return err
		}
	}
	for id := range s.run.Envs {
		s.heard[id] = time.Now()
	}
	return nil
}

// reclaim leases the groups of a batch that an earlier server had formed, and opens
// it where all are there. None is where the batch was acknowledged; those of a batch of
// which a part is lost wait for another.
func (s *Server) reclaim(ctx context.Context, d *delivery) error {
	var found []queue.Entry
	leased, err := s.queue.Lease(ctx, queue.Want{Consumer: consumer, Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		found = found[:0]
		for _, seq := range d.seqs {
			at, ok := slices.BinarySearchFunc(waiting, seq, func(e queue.Entry, seq uint64) int { return cmp.Compare(e.Seq, seq) })
			if ok {
				found = append(found, waiting[at])
			}
		}
		if len(found) < len(d.seqs) {
			return nil
		}
		return found
	}})
	switch {
	case isCorrupt(err):
		return nil // it is set aside, and the rest was not leased
	case err != nil:
		return err
	case len(leased) == len(d.seqs) && len(leased) > 0:
		d.add(leased)
		s.open = append(s.open, d)
	case len(found) == 0:
		s.acked.put(d.number)
	}
	return nil
}
