package scalars

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings say where the metrics of a run go, besides its gauges.
type Settings struct {
	Every       time.Duration // least time between rows
	Lines       bool          // to a file of JSON lines
	TensorBoard string        // folder; empty: nowhere
	MLflow      string        // address; empty: nowhere
	TokenFile   string        // with a bearer token for MLflow; empty: none
	Experiment  string        // of MLflow
}

// Default returns the default settings.
func Default() Settings { return Settings{Every: 5 * time.Second, Lines: true, Experiment: "quintain"} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Duration(&s.Every, "every", "least time between two rows of metrics").AtLeast(0)
	d.Bool(&s.Lines, "lines", "write the metrics of each step to DATA/metrics.jsonl; env process: beside its groups").Flag("metrics")
	d.Text(&s.TensorBoard, "tensorboard", "folder for TensorBoard's event files")
	d.Text(&s.MLflow, "mlflow", "address of an MLflow server")
	d.Text(&s.TokenFile, "mlflow_token_file", "file with the bearer token of the MLflow server")
	d.Text(&s.Experiment, "mlflow_experiment", "experiment of the MLflow server")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.MLflow != "" {
		if _, err := NewMLflow(MLflowConfig{URL: s.MLflow}); err != nil {
			return fmt.Errorf("mlflow: %w", err)
		}
	}
	return nil
}

// Open opens the logs of a run: the file lines, unless the settings turn it off, and the
// others. Flow, unless nil, must run beside the run and outlast it.
func (s *Settings) Open(lines, run string, log *slog.Logger) (all All, flow *MLflow, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, all.Close())
		}
	}()
	if s.Lines {
		file, err := OpenLines(lines, log)
		if err != nil {
			return all, nil, err
		}
		all = append(all, file)
	}
	if s.TensorBoard != "" {
		events, err := OpenEvents(s.TensorBoard)
		if err != nil {
			return all, nil, fmt.Errorf("metrics.tensorboard: %w", err)
		}
		all = append(all, events)
	}
	if s.MLflow == "" {
		return all, nil, nil
	}
	c := MLflowConfig{URL: s.MLflow, Experiment: s.Experiment, Run: run, Log: log}
	if s.TokenFile != "" {
		token, err := jsonl.ReadText(s.TokenFile, 1<<20)
		if err != nil {
			return all, nil, fmt.Errorf("metrics.mlflow_token_file: %w", err)
		}
		c.Token = strings.TrimSpace(string(token))
	}
	if flow, err = NewMLflow(c); err != nil {
		return all, nil, fmt.Errorf("metrics.mlflow: %w", err)
	}
	return append(all, flow), flow, nil
}
