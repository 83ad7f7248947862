package curriculum

import (
	"fmt"
	"math"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A state is what a curriculum keeps.
type state struct {
	Draws   int              `json:"draws"`
	Courses map[string]saved `json:"courses"`
}

// A saved is what is kept of a course.
type saved struct {
	Rungs []rung `json:"rungs"`
	Climb climb  `json:"climb"`
}

// MarshalJSON encodes everything that later choices depend on, but the settings, the seed
// and the courses. Equal curricula give equal bytes, at most a few hundred for each rung.
func (c *Curriculum) MarshalJSON() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := state{c.draws, make(map[string]saved, len(c.courses))}
	for _, one := range c.courses {
		s.Courses[one.Name] = saved{one.rungs, one.climb}
	}
	return jsonform.Marshal(s)
}

// UnmarshalJSON goes on from what MarshalJSON wrote. A course that data does not name, or
// that had another number of levels, begins anew; unknown names are ignored. For invalid
// data it changes nothing.
func (c *Curriculum) UnmarshalJSON(data []byte) error {
	var s state
	if err := jsonform.Unmarshal(data, &s); err != nil {
		return err
	}
	if s.Draws < 0 {
		return fmt.Errorf("curriculum: draws is %d, want 0 or more", s.Draws)
	}
	for name, kept := range s.Courses {
		if err := kept.check(); err != nil {
			return fmt.Errorf("curriculum: course %s: %w", name, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draws = s.Draws
	for _, one := range c.courses {
		if kept, has := s.Courses[one.Name]; has && len(kept.Rungs) == one.Levels {
			one.rungs, one.climb = kept.Rungs, kept.Climb
		}
	}
	return nil
}

// mostNumber is more than a curriculum has of anything.
const mostNumber = 1e100

// check reports numbers that no curriculum has.
func (s *saved) check() error {
	for level, r := range s.Rungs {
		if !(0 <= r.Spread && r.Spread <= r.Groups && r.Groups < mostNumber && math.Abs(r.Scores) < mostNumber) {
			return fmt.Errorf("level %d: %+v is invalid", level, r)
		}
	}
	if !(0 <= s.Climb.Level && s.Climb.Level <= 1) || len(s.Climb.Last) > climbWindow {
		return fmt.Errorf("climb %+v is invalid", s.Climb)
	}
	return nil
}
