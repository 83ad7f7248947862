package reasoninggym

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Writer writes problems as entries. It is for one goroutine; the zero value is
// ready.
type Writer struct {
	task       string          // of the last problem
	params     json.RawMessage // of the last problem
	source     []byte          // the members that name the task
	difficulty []byte          // derived from the parameters
	records    strictjson.Appender
}

// Append appends p, with a right answer, to dst as an [Entry] in JSON, without a line end.
func (w *Writer) Append(dst []byte, p quintain.Problem, answer string) ([]byte, error) {
	if w.source == nil || w.task != p.Task || !bytes.Equal(w.params, p.Params) {
		if err := w.share(p); err != nil {
			return nil, fmt.Errorf("task %s: params: %w", p.Task, err)
		}
	}
	dst = strictjson.AppendText(append(dst, `{"question":`...), p.Prompt)
	dst = strictjson.AppendText(append(dst, `,"answer":`...), answer)
	dst = strconv.AppendInt(append(dst, w.source...), int64(p.Index), 10)
	dst, err := w.appendFields(dst, p.Instance)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", p.Task, err)
	}
	return append(dst, w.difficulty...), nil
}

// share writes the parts that p shares with other problems of its task.
func (w *Writer) share(p quintain.Problem) error {
	text, err := difficulty(p)
	if err != nil {
		return err
	}
	w.task, w.params = p.Task, bytes.Clone(p.Params)
	w.source = append(strictjson.AppendText([]byte(`,"metadata":{"source_dataset":`), p.Task), `,"source_index":`...)
	w.difficulty = fmt.Appendf(nil, `,"difficulty":%s}}`, text)
	return nil
}

// appendFields appends the fields of a record, each after a comma.
func (w *Writer) appendFields(dst []byte, r quintain.Record) ([]byte, error) {
	value := r.Value()
	if value == nil {
		value = r
	}
	start := len(dst)
	dst, err := w.records.Append(dst, value)
	switch record := dst[start:]; {
	case err != nil:
		return nil, err
	case record[0] != '{':
		return nil, errors.New("the instance is not an object")
	case string(record) == "{}":
		return dst[:start], nil
	}
	dst[start] = ','
	return dst[:len(dst)-1], nil
}

// renamed holds the settings with another name in an entry's difficulty.
var renamed = map[string]string{
	"basic_arithmetic.terms":                "num_terms",
	"basic_arithmetic.digits":               "num_digits",
	"chain_sum.terms":                       "num_terms",
	"chain_sum.digits":                      "num_digits",
	"coin_flip.trials":                      "num_trials",
	"decimal_arithmetic.terms":              "num_terms",
	"decimal_arithmetic.num_decimal_places": "decimal_places",
	"decimal_chain_sum.terms":               "num_terms",
	"decimal_chain_sum.digits":              "num_digits",
	"gcd.numbers":                           "num_terms",
	"leg_counting.animals":                  "num_animals",
	"leg_counting.instances":                "num_instances",
	"products.terms":                        "num_terms",
	"products.digits":                       "num_digits",
	"word_sorting.words":                    "num_words",
}

// difficulty writes the parameters of p as reasoning-gym does: min_x and max_x together as
// "x": [min, max], every other setting unchanged.
func difficulty(p quintain.Problem) ([]byte, error) {
	var params map[string]json.RawMessage
	if err := strictjson.Unmarshal(p.Params, &params); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(params))
	for name, value := range params {
		stem, isMin := strings.CutPrefix(name, "min_")
		highest, paired := params["max_"+stem]
		if isMin && paired {
			out[cmp.Or(renamed[p.Task+"."+stem], stem)] = [2]json.RawMessage{value, highest}
			continue
		}
		if strings.HasPrefix(name, "max_") && params["min_"+name[4:]] != nil {
			continue
		}
		out[name] = value
	}
	return json.Marshal(out)
}
