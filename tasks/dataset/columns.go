package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/task/answer"
)

// Columns name the columns of a file. An empty name means the first match among the names
// that data sets in the field use, in upper or lower case.
type Columns struct {
	ID       string // else query_id, unique_id, problem_id or id, else the number of the row
	Question string // else question, problem, prompt or query; of a list of messages, the user's last counts
	Answer   string // else answer, final_answer, expected_answer, gold, solutions or solution, or verl's reward_model.ground_truth
}

// Declare implements [settings.Declarer].
func (c *Columns) Declare(d *settings.Section) {
	d.Text(&c.ID, "id", "column of a problem's name; empty: query_id, unique_id, problem_id or id, else the number of the row")
	d.Text(&c.Question, "question", "column of the question; empty: question, problem, prompt or query")
	d.Text(&c.Answer, "answer", "column of the gold answer, or of a list of them; empty: answer, final_answer, expected_answer, gold, solutions or solution")
}

// The names under which columns are found.
var (
	idNames       = []string{"query_id", "unique_id", "problem_id", "id"}
	questionNames = []string{"question", "problem", "prompt", "query"}
	answerNames   = []string{"answer", "final_answer", "expected_answer", "gold", "solutions", "solution"}
)

// spellings returns a name in lower case, capitalised, and in upper case; none if it is empty.
func spellings(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name, strings.ToUpper(name[:1]) + name[1:], strings.ToUpper(name)}
}

// find returns the value of a column, the named one or the first of others.
func find(fields map[string]any, named string, others ...string) any {
	if named != "" {
		return fields[named]
	}
	for _, name := range others {
		for _, spelled := range spellings(name) {
			if v := fields[spelled]; v != nil {
				return v
			}
		}
	}
	return nil
}

// row reads row number n of a file.
func (c *Columns) row(fields map[string]any, n int) (r row, err error) {
	if task, ok := fields["task"].(string); ok && task != "math" && task != "stem" {
		return r, fmt.Errorf("task: is %.40q, want math or stem: other tasks have no answer to compare", task)
	}
	if _, ok := fields["test"].(string); ok {
		return r, errors.New("test: is a column of programs, and this row has no other of a known form of theirs: rename it if it is none")
	}
	id, err := text(find(fields, c.ID, idNames...))
	if err != nil {
		return r, fmt.Errorf("id: %w", err)
	}
	if r.ID = id; id == "" {
		r.ID = fmt.Sprint(n)
	}
	question, err := asked(find(fields, c.Question, questionNames...))
	if r.Question = untemplated(question); err == nil && r.Question == "" {
		err = errors.New("is missing")
	}
	if err != nil {
		return r, fmt.Errorf("question: %w", err)
	}
	found := find(fields, c.Answer, answerNames...)
	if model, ok := fields["reward_model"].(map[string]any); ok && found == nil && c.Answer == "" { // verl
		found = model["ground_truth"]
	}
	list, several := found.([]any)
	if !several {
		list = []any{found}
	}
	for _, one := range list {
		gold, err := text(one)
		if gold = final(gold); err == nil && gold == "" {
			err = errors.New("is missing")
		}
		if err != nil {
			return r, fmt.Errorf("answer: %w", err)
		}
		r.Answers = append(r.Answers, gold)
	}
	if len(r.Answers) == 0 {
		return r, errors.New("answer: the list is empty")
	}
	r.Meta = c.meta(fields)
	r.Tokens, err = tokens(fields[packedPrompts])
	return r, err
}

// asked returns the last message of the user in a list of messages, or v as text.
func asked(v any) (string, error) {
	list, ok := v.([]any)
	for i := len(list) - 1; i >= 0; i-- {
		if message, _ := list[i].(map[string]any); message["role"] == "user" {
			return text(message["content"])
		}
	}
	if ok {
		return "", errors.New("is a list without a message of the user")
	}
	return text(v)
}

// text returns v as text if it is a text, a number or a truth value; empty if it is nil.
func text(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return strings.TrimSpace(v), nil
	case json.Number, float32, float64, bool:
		return fmt.Sprint(v), nil
	case Unread:
		return "", v
	}
	return "", errors.New("is not a text, a number or a truth value")
}

// final extracts the answer from a reference solution: the text after the last ####, as in
// GSM8K, else the content of the last \boxed{}, as in MATH, else all of it.
func final(solution string) string {
	if at := strings.LastIndex(solution, "####"); at >= 0 {
		return strings.TrimSpace(solution[at+len("####"):])
	}
	if boxed, found := answer.Boxed(solution); found {
		return boxed
	}
	return solution
}

// templates are chat templates' marks around a user's message. AReaL's prompts come with
// them; a run adds those of its own model.
var templates = [][2]string{
	{"<｜User｜>", "<｜Assistant｜>"},
	{"<|User|>", "<|Assistant|>"},
	{"<|im_start|>user\n", "<|im_end|>"},
	{"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
	{"[INST]", "[/INST]"},
}

// untemplated returns the last user's message of a prompt made by a chat template; it
// returns any other prompt unchanged.
func untemplated(prompt string) string {
	for _, around := range templates {
		if _, after, found := cutLast(prompt, around[0]); found {
			message, _, _ := strings.Cut(after, around[1])
			return strings.TrimSpace(message)
		}
	}
	return prompt
}

// cutLast is [strings.Cut] around the last instance of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
