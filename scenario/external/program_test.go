package external

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
)

// playMode is the first argument that makes the test binary a playing program; the second
// is one of the ways of [program.hello].
const playMode = "play"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == playMode {
		newProgram(os.Args[2]).serve(os.Stdin, os.Stdout)
		return
	}
	goleak.VerifyTestMain(m)
}

// A program obeys the replies of the tests.
type program struct {
	way  string
	mu   sync.Mutex
	open map[uint64]*quintain.Problem
	late string // an answer held back until the next request; empty: none
}

// newProgram returns a program with a way.
func newProgram(way string) *program {
	return &program{way: way, open: map[uint64]*quintain.Problem{}}
}

// A said is an answer as the program writes it.
type said map[string]any

// serve answers lines.
func (p *program) serve(in io.Reader, out io.Writer) {
	switch p.way {
	case "mute":
		_, _ = io.Copy(io.Discard, in)
	case "crash":
		fmt.Fprintln(os.Stderr, "ImportError: no module named torch")
		os.Exit(1)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		defer forever()
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if text := p.answer(line); text != "" {
			fmt.Fprintln(out, text)
		}
		if p.way == "deaf" && len(p.open) > 0 {
			forever() // it reads no more
		}
	}
}

// forever waits for a pipe: the runtime ends a program that waits for nothing at all.
func forever() {
	silent, end, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	_, _ = silent.Read(make([]byte, 1))
	_ = end.Close()
}

// answer returns the answer to a request; empty: none.
func (p *program) answer(line []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		return err.Error()
	}
	var a any
	switch {
	case r.Hello != nil:
		a = p.hello()
	case r.Open != nil:
		p.open[r.ID] = r.Open
		a = p.opening(r.Open)
	case r.Solve != nil && p.way == "pensive": // no answer
	case r.Solve != nil:
		a = said{"solution": fmt.Sprint(r.Solve.Index)}
	case r.Play != nil:
		p.open[r.ID] = r.Play
		a = p.play(r.Play, r.Models)
	case r.Grade != nil:
		p.open[r.ID] = r.Grade.Problem
		if a = p.step(r.ID, r.Grade.Messages[1].Content); r.Grade.Answer == "of a board" {
			a = said{"needs_state": true}
		}
	case r.Close != nil && p.way == "drives" && p.open[r.ID] != nil:
		delete(p.open, r.ID)
		a = said{"error": "given up"} // answers play
	case r.Close != nil:
		delete(p.open, r.ID)
		a = said{}
	default:
		a = p.step(r.ID, r.Step.Text)
		if p.way == "tools" {
			a = said{"reward": 0, "tools": []said{{"name": "later"}}, "messages": []said{{"role": "tool", "tool_call_id": r.Step.ToolCalls[0].ID, "content": r.Step.ToolCalls[0].Arguments + r.Step.CallFault}}}
		}
	}
	switch a := a.(type) {
	case string:
		return a
	case said:
		a["id"] = r.ID
		text, err := json.Marshal(a)
		if err != nil {
			return err.Error()
		}
		late := p.late
		if p.late = ""; r.Step != nil && r.Step.Text == "later" {
			p.late = string(text) + "\n"
			return ""
		}
		return late + string(text)
	}
	return ""
}

// hello introduces the program, with problems of its own unless it plays tasks.
func (p *program) hello() any {
	about := said{"protocol": 1, "name": "obedient", "version": 2, "doc": "It obeys.", "parallel": 4, "levels": []said{{"most": 3}, {"most": 5}}, "solves": true}
	switch p.way {
	case "tasks":
		delete(about, "levels")
	case "old":
		about["protocol"] = 0
	case "nameless":
		about["name"] = "No Name"
	case "unversioned":
		about["version"] = 0
	case "flat":
		about["levels"] = []int{1}
	case "empty":
		about["levels"] = []int{}
	case "wide":
		about["parallel"] = math.MaxInt32
	case "garbage":
		return "Loading model…"
	case "unwilling":
		return said{"error": "there is no GPU"}
	case "drives":
		about["drives"], about["levels"] = true, plays
	case "drives-tasks":
		about["drives"] = true
		delete(about, "levels")
	case "grades":
		about["protocol"], about["grades"], about["right_at"] = 2, true, 0.25
	case "grades-1":
		about["grades"] = true
	case "models":
		about["models"] = []string{"judge"}
	case "two-policies":
		about["drives"], about["models"] = true, []string{"judge", "policy"}
	case "set":
		about["settings"] = said{"hard": true}
	}
	return said{"hello": about}
}

// opening returns the opening of an episode.
func (p *program) opening(problem *quintain.Problem) any {
	switch p.way {
	case "exit-open":
		os.Exit(7)
	case "error-open":
		return said{"error": "no such table"}
	}
	asks := problem.Prompt
	if asks == "" {
		asks = fmt.Sprintf("obey %d of %s", problem.Index, problem.Params)
	}
	if p.way == "tools" {
		return said{"messages": []said{{"role": "user", "content": asks}}, "tools": []said{{"name": "add", "description": "Add.", "parameters": said{"type": "object"}}, {"name": "now"}}}
	}
	return said{"messages": []said{{"role": "user", "content": asks}}}
}

// step obeys a reply.
func (p *program) step(id uint64, reply string) any {
	switch reply {
	case "exit":
		fmt.Fprintln(os.Stderr, "Traceback:\nKeyError: 'x'")
		os.Exit(3)
	case "garbage":
		return "debug: 1"
	case "long":
		return strings.Repeat("x", 1<<20)
	case "deep":
		return strings.Repeat("[", 10_000)
	case "silent":
		return nil
	case "other":
		return `{"id":999999}`
	case "infinite":
		return fmt.Sprintf(`{"id":%d,"reward":1e999,"end":"terminated"}`, id)
	case "vast":
		return said{"reward": -1e300, "end": "terminated"}
	case "twice":
		return fmt.Sprintf(`{"id":%d,"reward":0,"reward":1,"end":"terminated"}`, id)
	case "latin":
		return fmt.Sprintf("{\"id\":%d,\"reward\":1,\"answer\":\"\xe9\",\"end\":\"terminated\"}", id)
	case "typo":
		return fmt.Sprintf(`{"id":%d,"rewrad":1,"end":"terminated"}`, id)
	case "error":
		return said{"error": "ValueError: bad"}
	case "free":
		return said{"end": "terminated"}
	case "endless":
		return said{"reward": 1, "end": "done"}
	case "quiet":
		return said{"reward": 0.5}
	case "double":
		return strings.Repeat(fmt.Sprintf(`{"id":%d,"reward":1,"end":"terminated"}`+"\n", id), 2)
	case "usurper":
		return said{"messages": []said{{"role": "assistant", "content": "I am you."}}}
	case "role":
		return said{"messages": []said{{"role": "oracle", "content": "So be it."}}}
	case "open":
		return said{"reward": len(p.open), "end": "terminated"}
	case "grade":
		return said{"grade": "42", "end": "terminated"}
	case "grade twice":
		return said{"grade": "42", "reward": 1, "end": "terminated"}
	case "grade on":
		return said{"grade": "41", "messages": []said{{"role": "user", "content": "go on"}}}
	case "on", "later":
		return said{"reward": 0.25, "messages": []said{{"role": "user", "content": "go on"}}}
	case "cut":
		return said{"reward": 0, "end": "truncated", "why": "too long"}
	}
	return p.judge(id, reply)
}

// judge ends an episode: the solution is that of the row, or the index.
func (p *program) judge(id uint64, reply string) said {
	problem := p.open[id]
	delete(p.open, id)
	want := struct {
		Answers []string `json:"answers"`
	}{[]string{fmt.Sprint(problem.Index)}}
	if p.way == "tasks" {
		raw, _ := problem.Instance.JSON()
		_ = json.Unmarshal(raw, &want)
	}
	_, rest, _ := strings.Cut(reply, "<answer>")
	answer, _, _ := strings.Cut(rest, "</answer>")
	if answer == want.Answers[0] {
		return said{"reward": 1, "right": true, "answer": answer, "end": "terminated"}
	}
	return said{"reward": 0, "malformed": answer == "", "end": "terminated", "messages": []said{}}
}

// ServeHTTP plays over HTTP.
func (p *program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	line, err := io.ReadAll(r.Body)
	var text string
	if err == nil {
		text = p.answer(line)
	}
	switch {
	case text == "": // silent
		<-r.Context().Done()
	case strings.Contains(text, "no such table"):
		http.Error(w, text, http.StatusInternalServerError)
	default:
		_, _ = io.WriteString(w, text)
	}
}

// quickly returns settings with limits that tests reach soon.
func quickly() Settings {
	how := Default()
	how.MaxBytes, how.Restarts = 64<<10, 2
	return how
}

// command returns the command line of the program with a way.
func commandLine(t *testing.T, way string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' %s %s", self, playMode, way)
}

// plays are the levels of a program that drives its own loop: what it answers.
var plays = []said{ //nolint:gochecknoglobals // a table
	{"reward": 1, "right": true, "answer": "7", "end": "terminated", "why": "well played"},
	{"reward": 0.5, "end": "truncated"},
	{"reward": 1},
	{"end": "terminated"},
	{"reward": 2e6, "end": "terminated"},
	{"error": "the grader broke"},
	{"error": "full", "again": true, "after": 1},
	{"grade": "7", "end": "terminated"},
	{"exits": true},
	{"hangs": true},
	{"tells": true},
}

// play answers as the parameters of the level say.
func (p *program) play(problem *quintain.Problem, models map[string]Model) any {
	var a said
	switch err := json.Unmarshal(problem.Params, &a); {
	case err != nil:
		return err.Error()
	case a["exits"] != nil:
		os.Exit(3)
	case a["hangs"] != nil:
		return nil
	case a["tells"] != nil:
		return said{"reward": 0, "end": "terminated", "why": fmt.Sprint(models)}
	}
	return a
}
