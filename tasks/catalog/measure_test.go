package catalog

import (
	"math"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/list"
)

// measureTask measures a task except for its surface rates. It takes seconds.
func measureTask(t quintain.Task) (f list.Facts, err error) {
	const (
		creditDraws = 4 // per level, as are the others
		guessDraws  = 400
		spaceDraws  = 4000
	)
	info := t.Info()
	f = list.Facts{Name: info.Name, Version: info.Version}
	if f.Credit, err = task.CreditOf(t, creditDraws); err != nil {
		return f, err
	}
	for level := range info.Levels {
		var l list.LevelFacts
		if l.GuessRate, err = task.GuessRate(t, level, guessDraws); err != nil {
			return f, err
		}
		if l.Space, err = task.SpaceOf(t, level, spaceDraws); err != nil {
			return f, err
		}
		f.Levels = append(f.Levels, l)
	}
	return f, nil
}

// measureSurface adds the surface rates that f lacks. It takes up to a minute.
func measureSurface(f *list.Facts, t quintain.Task) error {
	const lessons = 1000
	for level := range f.Levels {
		if f.Levels[level].SurfaceRate != nil {
			continue
		}
		surface, err := task.SurfaceRate(t, level, lessons)
		if err != nil {
			return err
		}
		rate := math.Round(1000*surface.Rate) / 1000
		f.Levels[level].SurfaceRate = &rate
	}
	return nil
}
