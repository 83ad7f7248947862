package coderun

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/tasks/codetask"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// Open reads files of code problems (package problems). The name of a data set is that of its file
// without what follows the last dot.
func Open(files []string) (map[string]*problems.Set, error) {
	sets := map[string]*problems.Set{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if _, twice := sets[name]; twice || name == codetask.TaskName {
			return nil, fmt.Errorf("%s: there is another data set %q: name the file otherwise", file, name)
		}
		set, err := open(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sets[name] = set
	}
	return sets, nil
}

// open reads a file of code problems.
func open(path string) (*problems.Set, error) {
	file, err := dataset.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return problems.Open(file, problems.Settings{})
}

// A config says how a data set is read, and how a program is judged. Times are seconds.
type config struct {
	Language       string          `json:"language"`
	CompileTimeout *float64        `json:"compile_timeout"`
	RunTimeout     *float64        `json:"run_timeout"`
	ExtractLogic   *string         `json:"custom_extract_logic"`
	ProvidedData   json.RawMessage `json:"provided_data"`
	Extra          struct {
		RunAllCases bool   `json:"run_all_cases"`
		Freeform    bool   `json:"is_freeform"` // of HumanEval: the reply has the whole program in a block
		Seed        uint64 `json:"seed"`        // of write_program
		Level       int    `json:"level"`       // of write_program
	} `json:"extra"`
}

// given returns the data that come with a request, without spaces around them; empty: none.
func (c *config) given() string {
	text := strings.TrimSpace(string(c.ProvidedData))
	if text == "null" || text == "{}" || text == "[]" {
		return ""
	}
	return text
}

// A name is the ID of a problem: a text, or a number.
type name struct {
	json.RawMessage
	text string
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *name) UnmarshalJSON(text []byte) error {
	n.RawMessage, n.text = slices.Clone(text), string(text)
	if text[0] == '"' {
		return strictjson.Unmarshal(text, &n.text)
	}
	if _, err := strconv.ParseFloat(n.text, 64); err != nil {
		return web.Errorf(http.StatusUnprocessableEntity, "id: is %.40s, want a text or a number", text)
	}
	return nil
}

// A promptsRequest is the body of /get_prompts and /list_ids.
type promptsRequest struct {
	Dataset string `json:"dataset"`
	Config  config `json:"config"`
	Offset  int    `json:"offset"`
	Limit   *int   `json:"limit"` // null: all
}

// A prompt is a problem as a model may see it.
type prompt struct {
	ID     string            `json:"id"`
	Prompt string            `json:"prompt"`
	Labels map[string]string `json:"labels"`
}

// shown is a problem without its tests and solutions.
func shown(p *problems.Problem) prompt {
	labels := map[string]string{"programming_language": p.Tests.Language}
	if p.Difficulty != "" {
		labels["difficulty"] = p.Difficulty
	}
	return prompt{p.ID, codeplay.Ask(p.Ask(), p.Tests.Language), labels}
}

// mostDrawn is the most problems of write_program, which has no end, in an answer.
const mostDrawn = 1000

// rows returns the problems that a request asks for.
func (s *Server) rows(ctx context.Context, q promptsRequest) ([]problems.Problem, error) {
	const most = 1 << 30
	limit := most
	if q.Limit != nil {
		limit = *q.Limit
	}
	if q.Offset < 0 || q.Offset > most || limit < 0 {
		return nil, web.Errorf(http.StatusUnprocessableEntity, "offset and limit: are %d and %d, want 0 or more, and an offset of at most %d", q.Offset, limit, most)
	}
	var all []problems.Problem
	switch given := q.Config.given(); {
	case given != "":
		var err error
		if all, err = provided(given); err != nil {
			return nil, err
		}
	case q.Dataset == codetask.TaskName:
		for i := range min(limit, mostDrawn) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p, err := drawn(quintain.Draw{Seed: q.Config.Extra.Seed, Level: q.Config.Extra.Level, Index: q.Offset + i})
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		return all, nil
	default:
		set, err := s.set(q.Dataset)
		if err != nil {
			return nil, err
		}
		all = set.Rows()
	}
	all = all[min(q.Offset, len(all)):]
	return all[:min(limit, len(all))], nil
}

// provided reads rows that come with a request: a list, or one row.
func provided(text string) (all []problems.Problem, err error) {
	rows := []json.RawMessage{json.RawMessage(text)}
	if text[0] == '[' {
		if err := strictjson.Unmarshal([]byte(text), &rows); err != nil {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "config.provided_data: %v", err)
		}
	}
	for i, row := range rows {
		p, err := problems.ReadRow(i, row, problems.Settings{})
		if err != nil {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "config.provided_data: row %d: %v", i, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// set returns a data set of the server.
func (s *Server) set(name string) (*problems.Set, error) {
	set, has := s.Sets[name]
	if !has {
		return nil, web.Errorf(http.StatusBadRequest, "dataset: there is no %.100q; there are %s; or send rows as config.provided_data", name, strings.Join(s.names(), ", "))
	}
	return set, nil
}

// names lists the data sets.
func (s *Server) names() []string {
	return append(slices.Sorted(maps.Keys(s.Sets)), codetask.TaskName)
}

// find returns a problem of a data set by its ID.
func (s *Server) find(dataset, id string) (problems.Problem, error) {
	if dataset == codetask.TaskName {
		_, task, d, err := quintain.ParseID(id)
		if err != nil || task != codetask.TaskName {
			return problems.Problem{}, web.Errorf(http.StatusNotFound, "id: %.100q is not the ID of a problem of %s", id, codetask.TaskName)
		}
		p, err := drawn(d)
		if err == nil && p.ID != id {
			err = web.Errorf(http.StatusNotFound, "id: %.100q is of another version; here it is %s", id, p.ID)
		}
		return p, err
	}
	set, err := s.set(dataset)
	if err != nil {
		return problems.Problem{}, err
	}
	p, has := set.Row(id)
	if !has {
		return problems.Problem{}, web.Errorf(http.StatusNotFound, "id: %s has no problem %.100q", dataset, id)
	}
	return *p, nil
}

// drawn returns a problem of write_program.
func drawn(d quintain.Draw) (problems.Problem, error) {
	whole, err := codetask.New(d)
	if err != nil {
		return problems.Problem{}, web.Errorf(http.StatusUnprocessableEntity, "%s: %v", codetask.TaskName, err)
	}
	of := quintain.Problem{Task: codetask.TaskName, Version: codetask.Version, Seed: d.Seed, Level: d.Level, Index: d.Index}
	return problems.Problem{ID: of.ID(), Statement: whole.Statement, Tests: whole.Tests}, nil
}

// prompts answers /get_prompts.
func (s *Server) prompts(ctx context.Context, q promptsRequest) ([]prompt, error) {
	all, err := s.rows(ctx, q)
	list := make([]prompt, len(all))
	for i := range all {
		list[i] = shown(&all[i])
	}
	return list, err
}

// ids answers /list_ids.
func (s *Server) ids(ctx context.Context, q promptsRequest) ([]string, error) {
	all, err := s.rows(ctx, q)
	list := make([]string, len(all))
	for i := range all {
		list[i] = all[i].ID
	}
	return list, err
}

// A promptRequest is the body of /get_prompt_by_id.
type promptRequest struct {
	Dataset string `json:"dataset"`
	ID      name   `json:"id"`
	Config  config `json:"config"`
}

// prompt answers /get_prompt_by_id.
func (s *Server) prompt(_ context.Context, q promptRequest) (prompt, error) {
	p, err := s.problem(q.Dataset, q.ID.text, &q.Config)
	if err != nil {
		return prompt{}, err
	}
	return shown(&p), nil
}

// problem returns the problem that a request names, or brings along.
func (s *Server) problem(dataset, id string, c *config) (problems.Problem, error) {
	given := c.given()
	if given == "" {
		return s.find(dataset, id)
	}
	if given[0] != '{' {
		return problems.Problem{}, web.Errorf(http.StatusUnprocessableEntity, "config.provided_data: want one row, an object")
	}
	all, err := provided(given)
	if err != nil {
		return problems.Problem{}, err
	}
	return all[0], nil
}

// list answers /list_datasets.
func (s *Server) list(c *web.Call) error {
	text, err := json.Marshal(s.names())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// A metricsRequest is the body of /get_metrics and /get_metrics_function.
type metricsRequest struct {
	Results []struct {
		Accepted bool `json:"accepted"`
	} `json:"results"`
}

// metrics answers /get_metrics: the share of the results that are accepted.
func metrics(_ context.Context, q metricsRequest) (map[string]float64, error) {
	accepted := 0.0
	for _, r := range q.Results {
		if r.Accepted {
			accepted++
		}
	}
	return map[string]float64{"accepted": accepted / float64(max(1, len(q.Results))), "results": float64(len(q.Results))}, nil
}

// metricsFunction answers /get_metrics_function: no data set has one.
func metricsFunction(context.Context, metricsRequest) (map[string]*string, error) {
	return map[string]*string{"function": nil}, nil
}
