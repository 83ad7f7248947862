package pipe

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A problemWriter writes problems as encoding/json does. It encodes the common parts of the
// problems in a stream only once.
type problemWriter struct {
	shared  quintain.Problem // the last problem, without index, prompt and instance
	before  []byte           // up to the index
	between []byte           // from there to the prompt
	records strictjson.Appender
}

// append appends p to a line.
func (w *problemWriter) append(line []byte, p quintain.Problem) ([]byte, error) {
	if w.before == nil || !w.shares(p) {
		if err := w.share(p); err != nil {
			return line, err
		}
	}
	line = strconv.AppendInt(append(line, w.before...), int64(p.Index), 10)
	line = strictjson.AppendText(append(line, w.between...), p.Prompt)
	line = append(line, `,"instance":`...)
	held := p.Instance.Value()
	if held == nil {
		held = p.Instance
	}
	line, err := w.records.Append(line, held)
	return append(line, '}'), err
}

// shares reports whether p has the same parts as shared.
func (w *problemWriter) shares(p quintain.Problem) bool {
	q := &w.shared
	return p.Seed == q.Seed && p.Level == q.Level && p.Version == q.Version && p.Task == q.Task && p.Scenario == q.Scenario &&
		bytes.Equal(p.Params, q.Params) && (p.Params == nil) == (q.Params == nil)
}

// share sets shared, before and between from p.
func (w *problemWriter) share(p quintain.Problem) error {
	p.Params = bytes.Clone(p.Params)
	p.Index, p.Prompt, p.Instance = 0, "", quintain.Record{}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	w.shared = p
	text = bytes.TrimSuffix(text, []byte(`"","instance":null}`))
	at := bytes.Index(text, []byte(`"index":0,"params":`)) + len(`"index":`)
	w.before, w.between = text[:at], text[at+1:]
	return nil
}
