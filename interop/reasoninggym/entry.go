// Package reasoninggym writes problems as entries of the Python library
// reasoning-gym, and reads its entries as problems. Settings and record fields
// have the same names on both sides, so no task has an adapter of its own.
package reasoninggym

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
)

// An Entry is one problem in reasoning-gym's form.
type Entry struct {
	Question string          `json:"question"`
	Answer   *string         `json:"answer"`   // a right answer; nil: none is stored
	Metadata json.RawMessage `json:"metadata"` // object: the task's record, source_dataset, source_index, difficulty
}

// A Writer writes problems as entries. It is for one goroutine; the zero value is
// ready.
type Writer struct {
	params     json.RawMessage // of the last problem
	difficulty []byte          // that was made of them
}

// Append appends p, with a right answer to it, to dst as a line of JSON without
// its end: an [Entry].
func (w *Writer) Append(dst []byte, p quintain.Problem, answer string) ([]byte, error) {
	if w.difficulty == nil || !bytes.Equal(w.params, p.Params) {
		difficulty, err := difficulty(p)
		if err != nil {
			return nil, fmt.Errorf("task %s: params: %w", p.Task, err)
		}
		w.params, w.difficulty = p.Params, difficulty
	}
	record, err := p.Instance.JSON()
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", p.Task, err)
	}
	record = bytes.TrimSpace(record)
	if len(record) < 2 || record[0] != '{' {
		return nil, fmt.Errorf("task %s: the instance is no object", p.Task)
	}
	dst = appendString(append(dst, `{"question":`...), p.Prompt)
	dst = appendString(append(dst, `,"answer":`...), answer)
	dst = appendString(append(dst, `,"metadata":{"source_dataset":`...), p.Task)
	dst = append(strconv.AppendInt(append(dst, `,"source_index":`...), int64(p.Index), 10), ',')
	if fields := record[1 : len(record)-1]; len(fields) > 0 {
		dst = append(append(dst, fields...), ',')
	}
	return append(append(append(dst, `"difficulty":`...), w.difficulty...), "}}"...), nil
}

// appendString appends text as encoding/json writes it, without its detours for what
// most texts have nothing else of.
func appendString(dst []byte, text string) []byte {
	start := len(dst)
	dst = append(dst, '"')
	for from := 0; ; {
		at := from
		for at < len(text) && plain[text[at]] {
			at++
		}
		dst = append(dst, text[from:at]...)
		if at == len(text) {
			return append(dst, '"')
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r > 0x7f && r != '\u2028' && r != '\u2029' && r != utf8.RuneError:
			dst = append(dst, text[at:at+size]...)
		default: // signs of HTML, controls, ends of lines in JavaScript, and what is no text at all
			quoted, _ := json.Marshal(text) // a string always has a form
			return append(dst[:start], quoted...)
		}
		from = at + size
	}
}

// plain are the bytes that stand for themselves in JSON.
var plain = plainBytes()

func plainBytes() (is [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		is[c] = !strings.ContainsRune(`"\<>&`, rune(c))
	}
	return is
}

// Read returns e as a problem that the task it names can grade.
func Read(e Entry) (quintain.Problem, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Metadata, &fields); err != nil {
		return quintain.Problem{}, fmt.Errorf("metadata: %w", err)
	}
	var name string
	err := json.Unmarshal(fields["source_dataset"], &name)
	if err != nil || name == "" {
		return quintain.Problem{}, errors.New("metadata.source_dataset: want the name of a task")
	}
	for _, ours := range []string{"source_dataset", "source_index", "source_idx", "difficulty", "config", "version_id", "entry_id"} {
		delete(fields, ours)
	}
	if e.Answer != nil && slices.Contains(inAnswer, name) {
		if fields["answer"], err = json.Marshal(*e.Answer); err != nil {
			return quintain.Problem{}, fmt.Errorf("answer: %w", err)
		}
	}
	record, err := json.Marshal(fields)
	if err != nil {
		return quintain.Problem{}, fmt.Errorf("metadata: %w", err)
	}
	return quintain.Problem{Task: name, Level: quintain.OwnParams, Prompt: e.Question, Instance: quintain.RawRecord(record)}, nil
}

// inAnswer lists the tasks whose entries have the solution in the answer alone: their
// metadata has neither it nor the question. Its name in their records is answer.
var inAnswer = []string{"ab", "game_of_life", "sentence_reordering"}

// renamed holds the settings whose name in an entry's difficulty is not that of
// the setting.
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

// difficulty writes the parameters of p as reasoning-gym does: min_x and max_x
// together as "x": [min, max], every other setting as it is.
func difficulty(p quintain.Problem) ([]byte, error) {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(p.Params, &params); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(params))
	for name, value := range params {
		stem, isMin := strings.CutPrefix(name, "min_")
		highest, paired := params["max_"+stem]
		switch {
		case isMin && paired:
			key := stem
			if other, found := renamed[p.Task+"."+stem]; found {
				key = other
			}
			out[key] = [2]json.RawMessage{value, highest}
		case strings.HasPrefix(name, "max_") && params["min_"+name[4:]] != nil:
		default:
			out[name] = value
		}
	}
	return json.Marshal(out)
}
