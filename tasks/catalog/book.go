package catalog

import (
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/task"
)

// Book returns the book of all tasks, mixtures of them, and all scenarios, with these scores, and of guests.
func Book(by reasoninggym.By, guests ...names.Guest) (*names.Book, error) {
	composite, err := NewComposite()
	if err != nil {
		return nil, err
	}
	tasks, err := task.NewSet(slices.Concat(Tasks(), OwnTasks(), []quintain.Task{composite}))
	if err != nil {
		return nil, err
	}
	return names.New(names.Config{Tasks: tasks, Scenarios: Scenarios(), Usual: DefaultScenario().Name, Owner: Owner, Scores: by, Guests: guests})
}
