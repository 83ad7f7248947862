package run

import (
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
)

// openCurriculum has the curriculum of the settings choose among the levels of the courses.
func (r *Run) openCurriculum() (err error) {
	s := r.config.Curriculum
	if s.Mode == "" || s.Mode == curriculum.None {
		return nil
	}
	r.curriculum, err = curriculum.New(s, r.config.Settings.Seed, courses(r.mix.Streams()))
	if err != nil {
		return err
	}
	r.mix.ChooseBy(r.curriculum)
	return nil
}

// courses returns the courses of streams. The weight of a course is the sum over its levels.
func courses(streams []rollout.Stream) (all []curriculum.Course) {
	for _, s := range streams {
		if last := len(all) - 1; last >= 0 && all[last].Name == s.Course {
			all[last].Levels++
			all[last].Weight += s.Weight
			continue
		}
		all = append(all, curriculum.Course{Name: s.Course, Levels: 1, Weight: s.Weight})
	}
	return all
}

// Standings returns the curriculum's view of each course; nil: there is no curriculum.
func (r *Run) Standings() []curriculum.Standing {
	if r.curriculum == nil {
		return nil
	}
	return r.curriculum.Standings()
}
