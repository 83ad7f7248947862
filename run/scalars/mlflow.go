package scalars

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// MLflow is a [Log] on an MLflow server, by its REST API 2.0 (mlflow.org/docs, "REST
// API"). Rows wait in memory and are sent by [MLflow.Run]: a server that is slow or away
// holds nothing up, and costs the oldest rows if it is away for long. Close it after Run has
// returned.
type MLflow struct {
	config MLflowConfig
	client *httpclient.Client

	run string // on the server; empty: not yet made

	mu      sync.Mutex
	waiting []metric
	lost    int           // numbers that no longer wait
	fresh   chan struct{} // has an element when something waits
}

// An MLflowConfig says where a run is logged.
type MLflowConfig struct {
	URL        string // such as http://127.0.0.1:5000, with user and password if need be
	Token      string // sent as a bearer token; empty: none
	Experiment string // made if it does not exist
	Run        string // ID of the run; an existing run with this ID is continued
	Log        *slog.Logger
}

// Limits of MLflow's log-batch, and ours.
const (
	maxBatch   = 1000    // values in a request
	maxWaiting = 200_000 // values in memory
	maxReply   = 1 << 20
	patience   = 30 * time.Second // for a reply
)

// runTag is the tag that finds a run again.
const runTag = "quintain.run"

// A metric is one value of a row, in MLflow's form.
type metric struct {
	Key       string  `json:"key"`
	Value     float64 `json:"value"`
	Timestamp int64   `json:"timestamp"` // milliseconds since 1970
	Step      int     `json:"step"`
}

// NewMLflow returns a log that sends its rows while Run runs.
func NewMLflow(c MLflowConfig) (*MLflow, error) {
	if _, err := httpclient.ParseURL(c.URL); err != nil {
		return nil, err
	}
	c.URL = strings.TrimRight(c.URL, "/")
	return &MLflow{config: c, client: httpclient.New(httpclient.Config{Key: c.Token}), fresh: make(chan struct{}, 1)}, nil
}

// Add implements [Log]. It does not wait for the server.
func (m *MLflow) Add(row Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range row.names() {
		m.waiting = append(m.waiting, metric{letters(name, "_-. /"), row.Values[name], row.Time.UnixMilli(), row.Step})
	}
	if over := len(m.waiting) - maxWaiting; over > 0 {
		m.waiting = append([]metric(nil), m.waiting[over:]...)
		m.lost += over
	}
	select {
	case m.fresh <- struct{}{}:
	default:
	}
	return nil
}

// Run sends rows until ctx ends. It logs the first failure of the server, and tries again
// every two seconds. The error is always nil, so that no run ends because of the server.
func (m *MLflow) Run(ctx context.Context) error {
	failed := false
	for ctx.Err() == nil {
		err := m.send(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			m.config.Log.Warn("the MLflow server takes no metrics; they wait", "err", err)
		}
		failed = err != nil
		m.pause(ctx, failed)
	}
	return nil
}

// pause waits until there is something to send, or to try again.
func (m *MLflow) pause(ctx context.Context, failed bool) {
	if failed {
		pause.For(ctx, 2*time.Second)
		return
	}
	select {
	case <-m.fresh:
	case <-ctx.Done():
	}
}

// lastTry limits the time that Close takes to send waiting rows.
const lastTry = 10 * time.Second

// Close implements [Log]. Within ten seconds it sends the waiting rows and marks the run as
// finished. It logs how many values are lost.
func (m *MLflow) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastTry)
	defer cancel()
	err := m.finish(ctx)
	m.client.CloseIdle()
	m.mu.Lock()
	defer m.mu.Unlock()
	if left := len(m.waiting) + m.lost; left > 0 || err != nil {
		m.config.Log.Warn("the MLflow server does not have all metrics of the run", "missing", left, "err", err)
	}
	return nil
}

// finish sends the waiting rows and marks the run as finished.
func (m *MLflow) finish(ctx context.Context) error {
	if err := m.send(ctx); err != nil || m.run == "" {
		return err
	}
	return m.call(ctx, "runs/update", map[string]any{"run_id": m.run, "status": "FINISHED", "end_time": time.Now().UnixMilli()}, nil)
}

// send sends the waiting rows to the run, which it finds or makes first.
func (m *MLflow) send(ctx context.Context) (err error) {
	for {
		m.mu.Lock()
		batch := m.waiting[:min(len(m.waiting), maxBatch)]
		lost := m.lost
		m.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		if m.run == "" {
			if m.run, err = m.openRun(ctx); err != nil {
				return err
			}
		}
		if err := m.call(ctx, "runs/log-batch", map[string]any{"run_id": m.run, "metrics": batch}, nil); err != nil {
			return err
		}
		m.mu.Lock()
		m.waiting = m.waiting[max(0, len(batch)-(m.lost-lost)):]
		m.mu.Unlock()
	}
}

// openRun finds the run by its tag, or makes it, in the experiment.
func (m *MLflow) openRun(ctx context.Context) (id string, err error) {
	experiment, err := m.experiment(ctx)
	if err != nil {
		return "", err
	}
	type run struct {
		Info struct {
			ID string `json:"run_id"`
		} `json:"info"`
	}
	var found struct{ Runs []run }
	err = m.call(ctx, "runs/search", map[string]any{
		"experiment_ids": []string{experiment}, "filter": fmt.Sprintf("tags.`%s` = '%s'", runTag, m.config.Run), "max_results": 1,
	}, &found)
	if err != nil {
		return "", err
	}
	if len(found.Runs) > 0 {
		id = found.Runs[0].Info.ID
		return id, m.call(ctx, "runs/update", map[string]any{"run_id": id, "status": "RUNNING"}, nil)
	}
	var made struct{ Run run }
	err = m.call(ctx, "runs/create", map[string]any{
		"experiment_id": experiment, "start_time": time.Now().UnixMilli(), "run_name": "quintain " + m.config.Run[:min(8, len(m.config.Run))],
		"tags": []map[string]string{{"key": runTag, "value": m.config.Run}},
	}, &made)
	return made.Run.Info.ID, err
}

// experiment finds the experiment by its name, or makes it.
func (m *MLflow) experiment(ctx context.Context) (id string, err error) {
	var found struct {
		Experiments []struct {
			ID   string `json:"experiment_id"`
			Name string `json:"name"`
		} `json:"experiments"`
	}
	err = m.call(ctx, "experiments/search", map[string]any{
		"filter": fmt.Sprintf("name = '%s'", strings.ReplaceAll(m.config.Experiment, "'", "")), "max_results": 1,
	}, &found)
	if err != nil {
		return "", err
	}
	if len(found.Experiments) > 0 {
		return found.Experiments[0].ID, nil
	}
	var made struct {
		ID string `json:"experiment_id"`
	}
	err = m.call(ctx, "experiments/create", map[string]string{"name": m.config.Experiment}, &made)
	return made.ID, err
}

// call posts a request to a route, and reads the reply into to, unless it is nil.
func (m *MLflow) call(ctx context.Context, route string, request, to any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	ctx, cancel := httpclient.Within(ctx, patience)
	defer cancel()
	r, err := m.client.Request(ctx, http.MethodPost, m.config.URL+"/api/2.0/mlflow/"+route, body)
	if err != nil {
		return err
	}
	reply, err := m.client.Do(r, maxReply)
	if err == nil && to != nil {
		if wrong := strictjson.Unmarshal(reply.Body, to); wrong != nil {
			err = reply.Invalid(wrong)
		}
	}
	if status := httpclient.StatusOf(err); status == http.StatusOK || status == http.StatusNotFound {
		return fmt.Errorf("%w; is this the address of an MLflow server?", err)
	}
	return err
}
