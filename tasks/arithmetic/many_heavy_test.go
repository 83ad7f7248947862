//go:build heavy

package arithmetic

import (
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// No number is close to the answers of many problems.
func TestDecimalArithmeticIsNotGuessed(t *testing.T) {
	for level := range decimalArithmetic.Levels {
		for _, guess := range []string{"0", "1", "5", "10"} {
			hits := 0
			for i := range 1000 {
				if tasktest.Made[decimalArithmeticItem](t, decimalArithmetic.Task(), level, i).Score(guess).Score == 1 {
					hits++
				}
			}
			if hits > 20 {
				t.Errorf("level %d: %s is right in %d of 1000", level, guess, hits)
			}
		}
	}
}
