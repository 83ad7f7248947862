package policy

import (
	"errors"
	"fmt"
	"math"
)

// LogProb checks a log-probability from a server; nil stands for null, which servers write
// for NaN. A value that is null, infinite, or above zero by more than rounding means that
// the model or the server is broken. The error continues a sentence with the name of the
// value.
func LogProb(p *float64) (float32, error) {
	const rounding = 1e-3
	switch {
	case p == nil:
		return 0, errors.New("is null")
	case *p > rounding:
		return 0, fmt.Errorf("is %v, above 0", *p)
	case !(*p >= -math.MaxFloat32):
		return 0, fmt.Errorf("is %v", *p)
	}
	return min(0, float32(*p)), nil
}
