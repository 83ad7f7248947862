package artifacts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
)

// LearningCurves plots mean scores of held-out problems over minutes, from the evaluations
// in the data folders of runs: a line for each folder, or for each task of a folder. A
// folder without evaluations is an error.
func LearningCurves(folders []string, byTask bool) (stats.Plot, error) {
	p := stats.Plot{Title: "mean score of held-out problems"}
	var damaged error
	for i, name := range folderNames(folders) {
		exams, err := folderExams(folders[i])
		if _, ok := errors.AsType[*jsonl.DamagedError](err); ok {
			damaged = err
		} else if err != nil {
			return p, err
		}
		for _, e := range exams {
			if !byTask {
				p.Add(name, e.Seconds/60, e.Mean)
				continue
			}
			for _, task := range slices.Sorted(maps.Keys(e.Tasks)) {
				p.Add(task, e.Seconds/60, e.Tasks[task])
			}
		}
	}
	return p, damaged
}

// folderNames names folders by their last part, or by the whole path if two share the last
// part.
func folderNames(folders []string) []string {
	count := map[string]int{}
	for _, folder := range folders {
		count[filepath.Base(folder)]++
	}
	names := make([]string, len(folders))
	for i, folder := range folders {
		if names[i] = filepath.Base(folder); count[names[i]] > 1 {
			names[i] = filepath.Clean(folder)
		}
	}
	return names
}

// folderExams reads the evaluations of a data folder.
func folderExams(folder string) ([]run.ExamLine, error) {
	path := filepath.Join(folder, datadir.Evaluations)
	exams, err := jsonl.ReadLog[run.ExamLine](path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: is %s the data folder of a run with evaluations?", path, folder)
	}
	if err != nil {
		return exams, err
	}
	if len(exams) == 0 {
		return nil, fmt.Errorf("%s has no line yet", path)
	}
	return exams, nil
}
