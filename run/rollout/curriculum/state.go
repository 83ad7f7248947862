package curriculum

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A state is a stored curriculum.
type state struct {
	Draws   int              `json:"draws"`
	Courses map[string]saved `json:"courses"`
}

// A saved is a stored course.
type saved struct {
	Rungs []rung `json:"rungs"`
	Climb climb  `json:"climb"`
}

// MarshalJSON encodes all that later choices depend on, except the settings, the seed and
// the courses. Equal curricula give equal bytes, at most a few hundred for each rung.
func (c *Curriculum) MarshalJSON() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := state{c.draws, make(map[string]saved, len(c.courses))}
	for _, one := range c.courses {
		s.Courses[one.Name] = saved{one.rungs, one.climb}
	}
	return json.Marshal(s)
}

// UnmarshalJSON restores a curriculum that MarshalJSON encoded. A course that is missing
// from data, or had another number of levels, starts anew; unknown names are ignored.
// Invalid data changes nothing.
func (c *Curriculum) UnmarshalJSON(data []byte) error {
	var s state
	if err := strictjson.Unmarshal(data, &s); err != nil {
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

// mostNumber exceeds every number of a curriculum.
const mostNumber = 1e100

// check reports numbers outside their range.
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
