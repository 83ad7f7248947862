package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/serve/names"
)

// New returns the server of all tasks and scenarios.
func New(book *names.Book) *Server {
	h := handler{book}
	return &Server{
		Instructions: "Draw a problem with draw_problem, solve it, and submit the answer with submit_answer. list_tasks describes the kinds of problems.",
		Tools: []Tool{
			{"list_tasks", "List the tasks, 25 at a time. Each has problems without end.", schema(listArguments), h.list},
			{"draw_problem", "Draw a problem of a task.", schema(drawArguments, "task"), h.draw},
			{"submit_answer", "Grade the answer to a problem: 1 is right.", schema(submitArguments, "problem", "answer"), h.submit},
		},
	}
}

const (
	listArguments = `"category":{"type":"string","description":"only tasks of this kind"},` +
		`"search":{"type":"string","description":"only tasks with this text in their name or description"},` +
		`"from":{"type":"integer","minimum":0,"description":"number of the first one; next of the reply before leads to the rest"}`
	drawArguments = `"task":{"type":"string","description":"name of the task"},` +
		`"level":{"type":"integer","minimum":0,"description":"how hard; 0 is the easiest"},` +
		`"seed":{"type":"string","description":"a whole number; the same seed, level and index name the same problem; by default any"},` +
		`"index":{"type":"integer","minimum":0},` +
		`"scenario":{"type":"string","description":"asks and judges in this way; by default the answer is judged as it is"}`
	submitArguments = `"problem":{"type":"string","description":"as draw_problem named it"},` +
		`"answer":{"type":"string","description":"the final answer alone; in a scenario, the whole reply, in which a call of one of its tools is <call>{\"name\": …, \"arguments\": {…}}</call>"},` +
		`"before":{"type":"array","items":{"type":"string"},"description":"in a scenario of several replies: the earlier ones, in their order"}`
)

// schema returns the JSON schema of arguments.
func schema(properties string, required ...string) json.RawMessage {
	if required == nil {
		required = []string{}
	}
	return fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, properties, legible(required))
}

// Read decodes the arguments of a tool. The error names an unknown one or one of the wrong
// type.
func Read(arguments json.RawMessage, into any) error {
	if err := strictjson.UnmarshalKnown(arguments, into); err != nil {
		return fmt.Errorf("arguments: %w", strictjson.Explain(err))
	}
	return nil
}

// A handler runs the tools. It keeps no state: it finds a problem again by its ID.
type handler struct{ book *names.Book }

// pageSize is the number of tasks in a reply of list_tasks: models read about 4,000
// characters of it.
const pageSize = 25

// list describes tasks, a page of them.
func (h handler) list(_ context.Context, arguments json.RawMessage) (any, error) {
	var asked struct {
		Category string `json:"category"`
		Search   string `json:"search"`
		From     int    `json:"from"`
	}
	if err := Read(arguments, &asked); err != nil {
		return nil, err
	}
	all, err := h.book.List(asked.Category, asked.Search)
	if err != nil {
		return nil, err
	}
	if asked.From < 0 || asked.From > len(all) {
		return nil, fmt.Errorf("from: is %d, want 0 to %d, the number of these tasks", asked.From, len(all))
	}
	reply := page{Total: len(all), Tasks: []row{}}
	for _, t := range all[asked.From:min(len(all), asked.From+pageSize)] {
		about, _, _ := strings.Cut(t.Doc, ". ")
		reply.Tasks = append(reply.Tasks, row{t.Name, t.Category, about, len(t.Levels)})
	}
	if next := asked.From + len(reply.Tasks); next < len(all) {
		reply.Next = &next
	}
	return reply, nil
}

// A page is the reply of list_tasks.
type page struct {
	Tasks []row `json:"tasks"`
	Total int   `json:"total"`          // of this kind, on all pages
	Next  *int  `json:"next,omitempty"` // from of the next page; nil: there is none
}

// A row describes a task.
type row struct {
	Name     string `json:"name"`
	Category string `json:"category"`
	Doc      string `json:"doc"` // its first sentence
	Levels   int    `json:"levels"`
}

// draw draws a problem.
func (h handler) draw(ctx context.Context, arguments json.RawMessage) (any, error) {
	var asked struct {
		Task     string      `json:"task"`
		Level    int         `json:"level"`
		Seed     json.Number `json:"seed"`
		Index    int         `json:"index"`
		Scenario string      `json:"scenario"`
	}
	if err := Read(arguments, &asked); err != nil {
		return nil, err
	}
	if asked.Seed == "" {
		asked.Seed = json.Number(strconv.FormatUint(rand.Uint64(), 10))
	}
	problem, err := h.book.Draw(names.Draw{Task: asked.Task, Scenario: asked.Scenario, Seed: asked.Seed, Level: asked.Level})
	if err != nil {
		return nil, err
	}
	p, err := problem(asked.Index)
	if err != nil {
		return nil, err
	}
	if p.Scenario == "" {
		return map[string]any{"problem": p.ID(), "question": p.Prompt}, nil
	}
	messages, tools, err := h.open(ctx, p)
	return opened{p.ID(), messages, tools}, err
}

// An opened is the beginning of an episode.
type opened struct {
	Problem  string             `json:"problem"`
	Messages []quintain.Message `json:"messages"`
	Tools    json.RawMessage    `json:"tools,omitempty"` // of the scenario, in the form of OpenAI's chat completions
}

// open returns the opening messages of a scenario, and its tools.
func (h handler) open(ctx context.Context, p quintain.Problem) (messages []quintain.Message, tools json.RawMessage, err error) {
	e, err := h.book.Env(p, "")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if messages, err = e.Open(ctx); err != nil {
		return nil, nil, err
	}
	tools, err = quintain.ToolsJSON(names.ToolsOf(e))
	return messages, tools, err
}

// submit grades an answer.
func (h handler) submit(ctx context.Context, arguments json.RawMessage) (any, error) {
	var asked struct {
		Problem string   `json:"problem"`
		Answer  *string  `json:"answer"`
		Before  []string `json:"before"`
	}
	if err := Read(arguments, &asked); err != nil {
		return nil, err
	}
	if asked.Answer == nil {
		return nil, errors.New("answer: is missing")
	}
	p, err := h.book.Problem(legible(asked.Problem))
	if err != nil {
		return nil, err
	}
	if p.Scenario == "" {
		v, err := h.book.Grade(p, asked.Answer)
		return grade{v.Score, v.Malformed}, err
	}
	if len(asked.Before) >= maxBefore {
		return nil, fmt.Errorf("before: has %s, want %d at most", stats.Count(len(asked.Before), "reply"), maxBefore-1)
	}
	var replies []quintain.Reply
	for _, text := range append(asked.Before, *asked.Answer) {
		replies = append(replies, policy.PlainReply(text))
	}
	step, err := h.book.Judge(ctx, p, "", replies...)
	if err != nil {
		return nil, err
	}
	if step.End == quintain.Going {
		return going{step.Observe, "the episode goes on: submit the next reply, with all earlier ones in before"}, nil
	}
	return grade{step.Reward, step.Malformed}, nil
}

// maxBefore is more than the replies before another one.
const maxBefore = 1000

// A going is what an episode says that wants another reply.
type going struct {
	Messages []quintain.Message `json:"messages"`
	Next     string             `json:"next"` // what to do
}

// A grade gives no reason: the model could try again.
type grade struct {
	Score     float64 `json:"score"`
	Malformed bool    `json:"malformed"`
}
