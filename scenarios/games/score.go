package games

// A Score counts what moves gave away.
type Score struct {
	Lost float64
	Par  float64 // what play without thinking gives away on average
}

// Add counts a move that is worth so much less than the best one. Less than slack is a rounding error.
func (s *Score) Add(loss, slack float64) {
	if loss > slack {
		s.Lost += loss
	}
}

// Value is 1 if nothing is lost, and 0 if as much as par.
func (s *Score) Value() float64 {
	if s.Lost == 0 {
		return 1
	}
	return max(0, 1-s.Lost/s.Par)
}
