package catalog

import (
	"slices"

	"github.com/quintain-rl/quintain/tiny/starter"
)

// StarterTasks returns the tasks that the embedded model is made for, in a scenario.
func StarterTasks(scenario string) Choices { return chosen(starter.Ladder(scenario), scenario) }

// Lessons returns the tasks of the embedded model's warm-up, in a scenario.
func Lessons(scenario string) Choices { return chosen(starter.Lessons(scenario), scenario) }

func chosen(tasks []starter.Choice, scenario string) (choices Choices) {
	for _, c := range tasks {
		choices = append(choices, Choice{Name: c.Task, Params: c.Params, Weight: c.Weight})
	}
	if scenario == "math_multi_turn" {
		choices = choices[:1]
		choices[0].Weight = 1
	}
	return choices
}

// Easiest returns the easiest form of a task that the embedded model is made for, or else c.
func Easiest(c Choice) Choice {
	made := StarterTasks(c.Name) // a game has the name of its task
	i := slices.IndexFunc(made, func(m Choice) bool { return m.Name == c.Name })
	if i < 0 {
		return c
	}
	return made[i]
}

// LanguageTasks returns the tasks of a run of a language model in this program that names none, in a scenario:
// its ladder or, if the scenario has tasks of its own, those at level 0.
func LanguageTasks(scenario string) (choices Choices) {
	for _, t := range TasksOf(scenario) {
		info := t.Info()
		if Owner(info.Name) == "" {
			return chosen(starter.LanguageLadder(), scenario)
		}
		choices = append(choices, Choice{Name: info.Name, Weight: 1})
	}
	return choices
}
