package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/interop/areal"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/trace"
)

// A Mode is an AReaL form of episodes.
type Mode string

// The modes.
const (
	Legacy Mode = "legacy" // as in math-multi-turn: a SequenceSample for each episode, with a sequence for each turn
	Single Mode = "single" // as in math-single-step: a SequenceSample for each group, with a sequence for each episode
	Modern Mode = "modern" // tensors with one sequence for each episode, and a loss mask
)

// Modes lists all modes.
var Modes = []Mode{Legacy, Single, Modern}

// A Form is a file format of AReaL's records.
type Form string

// The file formats.
const (
	JSON        Form = "json"        // a line for each record, or for each group of rows
	NPZ         Form = "npz"         // one file of NumPy arrays
	Safetensors Form = "safetensors" // one file of the library safetensors
)

// Forms lists all forms.
var Forms = []Form{JSON, NPZ, Safetensors}

// Areal is a [Sink] of episodes in AReaL's forms; see docs/formats/areal.md. Set the fields
// before the first Write and do not change them afterwards.
//
// Lines of JSON are written at once, each in one call. The other formats are one file,
// which Close writes; all records stay in memory until then.
type Areal struct {
	Out  io.Writer
	Mode Mode
	Form Form
	Shaping

	mu      sync.Mutex
	sample  areal.Sample
	batch   areal.Batch
	unknown int
}

// Write implements [Sink]. It leaves out groups without log-probabilities, and counts them.
func (s *Areal) Write(r *trace.Record) error {
	sample, batch, err := s.convert(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, areal.ErrUnknown):
		s.unknown++
		return nil
	case err != nil:
		return fmt.Errorf("areal: %w", err)
	case s.Form != JSON:
		s.sample, s.batch = append(s.sample, sample...), append(s.batch, batch...)
		return nil
	}
	for i := range sample {
		if err := strictjson.WriteLegible(s.Out, sample[i:i+1]); err != nil {
			return err
		}
	}
	if len(batch) > 0 {
		return strictjson.WriteLegible(s.Out, batch)
	}
	return nil
}

// convert turns the episodes of r into records or rows; none if an episode has no reward.
func (s *Areal) convert(r *trace.Record) (sample areal.Sample, batch areal.Batch, err error) {
	rules := s.all()
	rules.Sequences = rollout.WholeEpisodes
	if s.Mode != Modern {
		rules.Sequences = rollout.EachTurn
	}
	g, err := judge(r, rules)
	if err != nil || g == nil {
		return nil, nil, err
	}
	meta, kind := metaOf(r)
	if s.Mode == Modern {
		batch, err = areal.NewRows(g)
		for _, row := range batch {
			row.Meta = meta
		}
		return nil, batch, err
	}
	sample, err = areal.NewRecords(g, r.Episodes, s.Mode == Single)
	for _, one := range sample {
		one.Meta, one.Task = meta, areal.TaskIndex(kind)
	}
	return sample, nil, err
}

// metaOf returns the name and the metadata of the row of a record's problem, and its kind of
// task; nothing if it comes from no file.
func metaOf(r *trace.Record) (meta map[string]any, kind string) {
	id, row, ok := dataset.About(r.Problem)
	if !ok {
		return nil, ""
	}
	meta = maps.Clone(map[string]any(row))
	if meta == nil {
		meta = map[string]any{}
	}
	meta["query_id"] = id
	kind, _ = meta["task"].(string)
	return meta, kind
}

// Unknown returns the number of groups left out because the log-probabilities of their
// tokens are unknown.
func (s *Areal) Unknown() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unknown
}

// Close writes the file, unless the form is JSON.
func (s *Areal) Close() (err error) {
	var f areal.File
	switch {
	case s.Form == JSON:
		return nil
	case s.Mode == Modern:
		f, err = s.batch.File()
	default:
		f, err = s.sample.File()
	}
	switch {
	case err != nil:
		return err
	case s.Form == NPZ:
		return f.NPZ(s.Out)
	}
	return f.Safetensors(s.Out)
}

// Records is a [Sink] that keeps the episodes of a run in an AReaL form: kept groups as
// lines of JSON, and logs of all rewarded ones like those of AReaL's agents.
type Records struct {
	Areal
	logs areal.Logs
	file *jsonl.Log[json.RawMessage]
}

// OpenRecords returns a sink that appends to the file areal-MODE.jsonl in dir, and to the
// folder generated beside it. It cuts off an incomplete line, which a killed process may
// leave. Rules are those of the run.
func OpenRecords(dir string, mode Mode, rules rollout.Rules) (*Records, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("records: %w", err)
	}
	file, _, err := jsonl.OpenLog[json.RawMessage](filepath.Join(dir, "areal-"+string(mode)+".jsonl"), nil)
	if err != nil {
		return nil, fmt.Errorf("records: %w", err)
	}
	return &Records{
		Areal: Areal{Mode: mode, Form: JSON, Shaping: Shaping{Rules: rules}, Out: lines{file}},
		logs:  areal.Logs{Dir: filepath.Join(dir, "generated"), Single: mode == Single},
		file:  file,
	}, nil
}

// lines adds each Write, a line of JSON, to a log.
type lines struct{ to *jsonl.Log[json.RawMessage] }

// Write implements [io.Writer].
func (l lines) Write(line []byte) (int, error) { return len(line), l.to.Add(line) }

// Write implements [Sink].
func (r *Records) Write(record *trace.Record) error {
	if len(record.Scores) == 0 || record.Drop == string(rollout.DropDuplicate) {
		return nil
	}
	if err := r.logs.Write(record.Group(), record.Episodes); err != nil || record.Drop != "" {
		return err
	}
	return r.Areal.Write(record)
}

// Close closes the file.
func (r *Records) Close() error { return r.file.Close() }
