package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// runsKey is the record in the default run's queue that lists the further runs.
const runsKey = "hub-runs"

// runsVersion is the version of that record.
const runsVersion = 1

// runsRecord is the list of the further runs.
type runsRecord struct {
	Version int      `json:"version"`
	Names   []string `json:"names"`
}

// run returns the run of a name, and opens it if need be.
func (s *Server) run(ctx context.Context, name string) (*Run, error) {
	if name == DefaultRun {
		return s.main, nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	return s.furtherRun(ctx, name)
}

// furtherRun is run for a further run. s.opening is held.
func (s *Server) furtherRun(ctx context.Context, name string) (*Run, error) {
	if r, ok := s.further[name]; ok {
		return r, nil
	}
	names, err := s.runNames(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, web.Errorf(http.StatusNotFound, "there is no run of this name")
	}
	return s.openRun(ctx, name)
}

// openRun opens a run. s.opening is held.
func (s *Server) openRun(ctx context.Context, name string) (*Run, error) {
	q, err := s.config.OpenRun(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	r, err := s.newRun(context.WithoutCancel(ctx), name, q)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	s.further[name] = r
	return r, nil
}

// makeRun makes a run if there is none of this name, and reports whether it did.
func (s *Server) makeRun(ctx context.Context, name string) (fresh bool, err error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	names, err := s.runNames(ctx)
	if err != nil || name == DefaultRun || slices.Contains(names, name) {
		return false, err
	}
	if most := s.config.Settings.MaxRuns; len(names) >= most {
		return false, web.Errorf(http.StatusConflict, "the hub has %s, the limit: delete one, or raise hub.max_runs", stats.Count(most, "run"))
	}
	if err := s.saveNames(ctx, append(names, name)); err != nil {
		return false, err
	}
	_, err = s.openRun(ctx, name)
	return err == nil, err
}

// dropRun deletes a run with its content, even if it cannot be opened.
func (s *Server) dropRun(ctx context.Context, name string) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	r, err := s.furtherRun(ctx, name)
	if errors.As(err, new(*web.Error)) { // there is none
		return err
	}
	if err != nil {
		s.config.Log.Warn("a run that cannot be opened is deleted", "run", name, "err", err)
	} else if err := r.reset(ctx); err != nil { // first, so a crash leaves an empty run
		return err
	}
	names, err := s.runNames(ctx)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(other string) bool { return other == name })
	if err := s.saveNames(ctx, names); err != nil {
		return err
	}
	if r != nil {
		delete(s.further, name)
		r.deleted.Store(true)
		defer r.batches.moved.Wake()
	}
	return s.config.DropRun(ctx, name)
}

// runNames are the names of the further runs.
func (s *Server) runNames(ctx context.Context) ([]string, error) {
	if s.config.OpenRun == nil {
		return nil, nil
	}
	text, err := s.main.queue.State(ctx, runsKey)
	if err != nil {
		return nil, err
	}
	var record runsRecord
	err = queue.State{Key: runsKey, Value: text}.Record(runsVersion, &record)
	return record.Names, err
}

// saveNames stores the names of the further runs.
func (s *Server) saveNames(ctx context.Context, names []string) error {
	record, err := queue.NewRecord(runsKey, runsRecord{runsVersion, names})
	if err != nil {
		return err
	}
	return s.main.queue.SetStates(ctx, []queue.State{record})
}

// running are the open runs, the default one first.
func (s *Server) running() []*Run {
	s.opening.Lock()
	defer s.opening.Unlock()
	var others []*Run
	for _, r := range s.further {
		others = append(others, r)
	}
	slices.SortFunc(others, func(a, b *Run) int { return strings.Compare(a.name, b.name) })
	return append([]*Run{s.main}, others...)
}

// validName reports whether a run may have this name.
func validName(name string) bool {
	plain := func(r rune) bool { return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }
	return name != "" && len(name) <= 40 && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0
}

// listRuns lists the names of the runs.
func (s *Server) listRuns(c *web.Call) error {
	names, err := s.runNames(c.Context())
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string][]string{"runs": append([]string{DefaultRun}, names...)})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// putRun makes a run.
func (s *Server) putRun(c *web.Call) error {
	name := c.Param("run")
	if !validName(name) {
		return queryError("run", "1 to 40 letters of a-z, 0-9, '-' and '_'")
	}
	if s.config.OpenRun == nil {
		return web.Errorf(http.StatusNotImplemented, "this hub has one run only")
	}
	fresh, err := s.makeRun(context.WithoutCancel(c.Context()), name)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
		s.config.Log.Info("a run was made", "run", name)
	}
	return c.JSON(status, fmt.Appendf(nil, `{"run":%q,"fresh":%t}`, name, fresh))
}

// deleteRun deletes a run.
func (s *Server) deleteRun(c *web.Call) error {
	name := c.Param("run")
	if name == DefaultRun {
		return web.Errorf(http.StatusConflict, "the default run cannot be deleted: GET /reset_data empties it")
	}
	if s.config.DropRun == nil {
		return web.Errorf(http.StatusNotImplemented, "this hub deletes no runs")
	}
	if err := s.dropRun(context.WithoutCancel(c.Context()), name); err != nil {
		return err
	}
	s.config.Log.Info("a run was deleted", "run", name)
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"run":%q,"deleted":true}`, name))
}
