package play

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/task/rng"
)

// A level is the tasks of one difficulty.
type level struct {
	word   string // empty: the tasks do not say
	tasks  []*entry
	params json.RawMessage
	order  *rng.Epochs
}

// known are the difficulties that people write, easiest first.
func known() []string { return []string{"", "trivial", "easy", "medium", "hard", "expert"} }

// sort makes levels of the tasks, by their difficulty; only those of a word, if it is given.
func (s *Set) sort(entries []*entry, word string) error {
	words := known()
	for _, e := range entries {
		if d := e.Config.Difficulty(); !slices.Contains(words, d) {
			words = append(words, d)
		}
	}
	slices.Sort(words[len(known()):])
	for _, w := range words {
		of := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool { return e.Config.Difficulty() != w })
		if len(of) == 0 || word != "" && w != word {
			continue
		}
		params, err := strictjson.Legible(map[string]string{"difficulty": w})
		if err != nil {
			return err
		}
		s.levels = append(s.levels, level{w, of, params, &rng.Epochs{Rows: len(of), Path: []string{"harbor", w}}})
	}
	if len(s.levels) == 0 {
		return fmt.Errorf("difficulty=%s: no task says so in its metadata", word)
	}
	whole, err := filepath.Abs(s.folder)
	base := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(filepath.Base(whole)), "_"), "_")
	s.name = strings.TrimSuffix("harbor_"+base[:min(len(base), 40)], "_")
	return err
}

// describe makes the info.
func (s *Set) describe() error {
	text, usual, err := s.how.id()
	s.info = quintain.ScenarioInfo{
		Name: s.name, Version: 1, Settings: text, Default: usual, Mark: s.mark + s.images,
		Doc:    "Tasks in the format of Harbor: the policy works with bash in a container of its own, and the tests of the task pay.",
		Source: "Harbor: " + s.folder,
	}
	s.id = s.info.ID()
	return err
}

// Info implements [quintain.Scenario].
func (s *Set) Info() quintain.ScenarioInfo { return s.info }

// TaskInfo implements [quintain.Scenario].
func (s *Set) TaskInfo() quintain.Info {
	info := quintain.Info{Name: s.name, Category: "own", Doc: s.info.Doc, Source: s.info.Source, Version: 1}
	for _, l := range s.levels {
		info.Levels = append(info.Levels, l.params)
	}
	return info
}

// Hello says what the set is, as programs do.
func (s *Set) Hello() external.Hello {
	n := 0
	for _, l := range s.levels {
		n += len(l.tasks)
	}
	return external.Hello{
		Name: s.name, Version: 1, MaxTurns: s.how.Calls + 1, RightAt: &s.how.RightAt, Doc: fmt.Sprintf("%s of %s. %s", stats.Count(n, "task"), s.folder, s.info.Doc),
		Source: &external.Source{System: "harbor", Package: s.folder, Digest: s.mark},
	}
}

// Problem implements [quintain.Scenario]. The parameters name the task, its hash and its image.
func (s *Set) Problem(d quintain.Draw) (p quintain.Problem, err error) {
	e, err := s.at(d.Seed, d.Level, d.Index)
	if err != nil {
		return p, err
	}
	params, err := strictjson.Legible(struct {
		Task   string `json:"task"`
		Name   string `json:"name,omitempty"`
		Hash   string `json:"hash"`
		Image  string `json:"image"`
		Digest string `json:"digest"`
	}{e.Name, e.Config.Name, e.Hash, e.image.Name, e.image.Digest})
	return quintain.Problem{Task: s.name, Scenario: s.id, Version: 1, Seed: d.Seed, Level: d.Level, Index: d.Index, Params: params}, err
}

// at returns the task of a draw: in passes, each in an order of its own.
func (s *Set) at(seed uint64, level, index int) (*entry, error) {
	if level < 0 || level >= len(s.levels) || index < 0 {
		return nil, fmt.Errorf("%s: level %d, index %d: want levels 0 to %d and an index of 0 or more", s.name, level, index, len(s.levels)-1)
	}
	of := s.levels[level]
	return of.tasks[of.order.Row(seed, index)], nil
}

// of returns the task of a problem.
func (s *Set) of(p quintain.Problem) (*entry, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s: the tasks, their images or the settings have changed", p.ID(), s.id)
	}
	return s.at(p.Seed, p.Level, p.Index)
}

// Key implements [quintain.Scenario]: tasks with equal files ask the same.
func (s *Set) Key(p quintain.Problem) (quintain.Key, error) {
	e, err := s.of(p)
	if err != nil {
		return quintain.Key{}, err
	}
	return quintain.NewKey("harbor " + e.Hash), nil
}

// Size implements [quintain.Finite].
func (s *Set) Size(level int) int { return len(s.levels[level].tasks) }

// Env implements [quintain.Scenario].
func (s *Set) Env(p quintain.Problem) (quintain.Env, error) {
	e, err := s.of(p)
	if err != nil {
		return nil, err
	}
	return newEpisode(s, e), nil
}

// Solve implements [quintain.Solver]: all is done by the plan.
func (s *Set) Solve(p quintain.Problem) (string, error) {
	e, err := s.of(p)
	if err == nil && !e.Solved {
		err = fmt.Errorf("task %s has no %s/%s", e.Name, harbor.Solution, harbor.SolveScript)
	}
	return "done", err
}

// Bounds of commands in bytes: Linux takes 128 KiB in an argument, and few policies write as much in a reply.
const (
	mostCommand  = 100_000
	usualCommand = 2000 // of a plan
)

// Plan implements [quintain.Planner]: calls that write the solution's files, and one that runs it.
func (s *Set) Plan(p quintain.Problem) (calls []quintain.ToolCall, err error) {
	e, err := s.of(p)
	if err != nil || !e.Solved {
		return nil, err
	}
	lines, size, err := e.recipe()
	if err != nil {
		return nil, err
	}
	most := min(max(usualCommand, 2*size/s.how.Calls), mostCommand)
	run := "chmod +x /solution/" + harbor.SolveScript + "\n" + strings.Join(append([]string{"env"}, quotedAll(e.solve)...), " ") +
		" /solution/" + harbor.SolveScript + "; status=$?; rm -rf /solution; exit $status"
	command := "mkdir -p /solution"
	for _, line := range append(lines, run) {
		if len(command)+len(line) >= most {
			calls, err = s.calls(calls, command, err)
			command = line
			continue
		}
		command += "\n" + line
	}
	return s.calls(calls, command, err)
}

// calls adds a call of the tool, unless there is an error.
func (s *Set) calls(calls []quintain.ToolCall, command string, before error) ([]quintain.ToolCall, error) {
	args, err := strictjson.Legible(map[string]any{"command": command, "timeout": s.how.Seconds})
	return append(calls, quintain.ToolCall{Name: toolName, Arguments: string(args)}), errors.Join(before, err)
}

// recipe returns commands that write the solution's files, and how many bytes they have.
func (e *entry) recipe() (lines []string, size int, err error) {
	const piece = 900 // bytes of a file
	err = e.Walk(harbor.Solution, func(f harbor.File) error {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		at := quoted("/solution/" + f.Name)
		if strings.Contains(f.Name, "/") {
			lines = append(lines, "mkdir -p "+quoted("/solution/"+path.Dir(f.Name)))
		}
		lines = append(lines, ": > "+at)
		for part := range slices.Chunk(text, max(piece, len(text)/20)) {
			lines = append(lines, "base64 -d >> "+at+" <<'EOF'\n"+base64.StdEncoding.EncodeToString(part)+"\nEOF")
		}
		return nil
	})
	for _, line := range lines {
		size += len(line)
	}
	return lines, size, err
}

// quoted quotes a word for the shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// quotedAll quotes words.
func quotedAll(words []string) (all []string) {
	for _, w := range words {
		all = append(all, quoted(w))
	}
	return all
}

// Own returns the scenario of the tasks.
func (s *Set) Own() quintain.Scenario { return s }

// Over refuses tasks of ours.
func (s *Set) Over(quintain.Task) (quintain.Scenario, error) {
	return nil, fmt.Errorf("scenario %s plays problems of its own, not tasks", s.name)
}

// Splits returns none: the tasks are held out by their keys.
func (s *Set) Splits() []external.Split { return nil }
