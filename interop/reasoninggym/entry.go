// Package reasoninggym writes problems as entries of the Python library reasoning-gym, and
// reads its entries as problems. Settings and record fields have the same names on both
// sides, so no task needs an adapter.
//
// It also gives answers the scores of reasoning-gym 0.1.25, with its accidents: 0.01 for a wrong
// number, shares for parts of an answer, labels that are wrong. Scoring knows entries, not tasks. It
// runs no part of an answer: a text that reasoning-gym evaluates is read here by a parser of Python's
// literals or of SymPy's formulas, and earns what an error earns there if it is anything else. The
// cost of a score is bounded.
package reasoninggym

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Entry is one problem in reasoning-gym's form.
type Entry struct {
	Question string          `json:"question"`
	Answer   *string         `json:"answer"`   // a right answer; nil: none
	Metadata json.RawMessage `json:"metadata"` // object: fields of the task's record, source_dataset, source_index, difficulty
}

// ours are the members of an entry's metadata that are not fields of the task's record.
var ours = []string{"source_dataset", "source_index", "source_idx", "difficulty", "config", "version_id", "entry_id"}

// Read returns e as a problem, which its task can grade.
func Read(e Entry) (quintain.Problem, error) {
	var fields map[string]json.RawMessage
	if err := strictjson.Unmarshal(e.Metadata, &fields); err != nil {
		return quintain.Problem{}, fmt.Errorf("metadata: %w", err)
	}
	var name string
	err := strictjson.Unmarshal(fields["source_dataset"], &name)
	if err != nil || name == "" {
		return quintain.Problem{}, errors.New("metadata.source_dataset: want the name of a task")
	}
	for _, one := range ours {
		delete(fields, one)
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
	return asProblem(name, e.Question, record), nil
}

// asProblem returns the problem of an entry.
func asProblem(task, question string, record []byte) quintain.Problem {
	return quintain.Problem{Task: task, Level: quintain.OwnParams, Prompt: question, Instance: quintain.RawRecord(record)}
}

// inAnswer lists the tasks whose entries have the solution only in the answer, not in the
// metadata or the question. Their records have it in the field answer.
var inAnswer = []string{"ab", "acre", "aiw", "bf", "circuit_logic", "codeio", "figlet_font", "game_of_life", "intermediate_integration", "list_functions", "path_star", "self_reference", "sentence_reordering", "simple_integration", "zebra_puzzles"}
