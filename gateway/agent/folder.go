package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A folder is that of one run of the program: with the problem, its working folder, and the
// place of its result.
type folder struct{ path string }

func newFolder(p quintain.Problem, talk []quintain.Message) (*folder, error) {
	path, err := os.MkdirTemp("", "quintain-agent-")
	if err != nil {
		return nil, err
	}
	f := &folder{path}
	text, err := json.Marshal(map[string]any{ // without the record, which has the solution
		"id": p.ID(), "task": p.Task, "prompt": p.Prompt, "messages": talk, "metadata": map[string]any{"level": p.Level, "params": p.Params},
	})
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
}

// mostResult bounds the file of the result, in bytes.
const mostResult = 1 << 20

// result reads the result of the program; that of none is empty.
func (f *folder) result() (*result, error) {
	var r result
	about, err := os.Lstat(f.output())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &r, nil
	case err != nil:
		return nil, lost(err)
	case !about.Mode().IsRegular():
		return nil, errors.New("the result of the agent's program is no plain file")
	}
	file, err := os.Open(f.output())
	if err != nil {
		return nil, fmt.Errorf("the result of the agent's program: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostResult+1))
	switch {
	case err != nil:
		return nil, lost(err)
	case len(text) > mostResult:
		return nil, fmt.Errorf("the result of the agent's program has more than %d bytes", mostResult)
	}
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the result of the agent's program: %w", strictjson.Explain(err))
	}
	return &r, nil
}
