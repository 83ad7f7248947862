package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A folder is that of one run of the program: with the problem, its working folder, and the
// place of its result.
type folder struct {
	path string
	host Host // nil: the program acts on this machine alone
}

func newFolder(e *episode) (*folder, error) {
	path, err := os.MkdirTemp("", "quintain-agent-")
	if err != nil {
		return nil, err
	}
	f, about := &folder{path: path}, map[string]any(nil)
	if host, is := e.Env.(Host); is {
		f.host, about = host, host.About()
	}
	text, err := describe(e.problem, e.talk, about)
	if err == nil {
		err = os.WriteFile(f.problem(), text, 0o600)
	}
	if err == nil {
		err = os.Mkdir(f.work(), 0o700)
	}
	if err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

// describe returns what a program reads of a problem: without the record, which has the solution.
func describe(p quintain.Problem, talk []quintain.Message, more map[string]any) ([]byte, error) {
	all := map[string]any{
		"id": p.ID(), "task": p.Task, "prompt": p.Prompt, "messages": talk, "metadata": map[string]any{"level": p.Level, "params": p.Params},
	}
	maps.Copy(all, more)
	return json.Marshal(all)
}

func (f *folder) problem() string { return filepath.Join(f.path, "problem.json") }
func (f *folder) output() string  { return filepath.Join(f.path, "result.json") }
func (f *folder) work() string    { return filepath.Join(f.path, "work") }

// remove removes the folder. A process that left its group may still write there.
func (f *folder) remove() { _ = os.RemoveAll(f.path) }

// A result is what the program says of itself in the end.
type result struct {
	Answer string   `json:"answer"` // empty: the last reply
	Reward *float64 `json:"reward"` // counts only if the settings allow it
	Right  bool     `json:"right"`  // with a reward
	Why    string   `json:"why"`    // with a reward

	fault error // it cannot be read
}

// mostResult bounds the file of the result, in bytes.
const mostResult = 1 << 20

// result reads the result of the program; that of none is empty.
func (f *folder) result() (r result, err error) {
	about, err := os.Lstat(f.output())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return r, lost(err)
	case !about.Mode().IsRegular():
		return r, errors.New("the result of the agent's program is no plain file")
	}
	file, err := os.Open(f.output())
	if err != nil {
		return r, fmt.Errorf("the result of the agent's program: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostResult+1))
	switch {
	case err != nil:
		return r, lost(err)
	case len(text) > mostResult:
		return r, fmt.Errorf("the result of the agent's program has more than %d bytes", mostResult)
	}
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("the result of the agent's program: %w", strictjson.Explain(err))
	}
	return r, nil
}
